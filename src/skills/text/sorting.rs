//! Sorts lists of all kinds with one sort.
//!
//! The compiler makes five kilobytes of code for every type that is sorted, which is a lot for lists
//! that are short and sorted once. Here the places of the elements are sorted, and places are of one
//! type. Long lists that most runs sort use the standard library.

use std::cmp::Ordering;

/// Sorts stably, by comparing elements.
pub fn sort_by<T>(list: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let places = sorted_places(list.len(), &|one, other| compare(&list[one], &list[other]));
    rearrange(list, places);
}

/// Sorts stably, by a key of each element.
pub fn sort_by_key<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(list, |one, other| key(one).cmp(&key(other)));
}

/// The places of this many elements, in the order of the elements.
fn sorted_places(length: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..length).collect();
    places.sort_by(|one, other| compare(*one, *other));
    places
}

/// Moves every element to where its place stands in the list of places.
fn rearrange<T>(list: &mut [T], mut places: Vec<usize>) {
    for first in 0..list.len() {
        // What belongs here lies there; what lay here goes round until its place comes up.
        let mut here = first;
        loop {
            let there = std::mem::replace(&mut places[here], here);
            if there == first {
                break;
            }
            list.swap(here, there);
            here = there;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn lists_come_out_as_from_the_standard_library(list in prop::collection::vec((0_u8..8, 0_u8..8), 0..100)) {
            let (mut own, mut known) = (list.clone(), list);
            sort_by_key(&mut own, |(key, _)| *key);
            known.sort_by_key(|(key, _)| *key);
            prop_assert_eq!(&own, &known);
            sort_by(&mut own, |one, other| other.1.cmp(&one.1));
            known.sort_by_key(|one| std::cmp::Reverse(one.1));
            prop_assert_eq!(own, known);
        }
    }
}
