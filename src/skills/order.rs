//! Puts things in order with one copy of the sorting code, instead of one for every type.
//!
//! What is sorted thousands of times, names in a directory or files of a skill, has its own.

use std::cmp::Ordering;

/// Sorts by a comparison; what is equal keeps its order.
pub fn sort_by<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    // Much of it comes in order already, and need not be moved.
    if items.is_sorted_by(|one, other| compare(one, other) != Ordering::Greater) {
        return;
    }
    let order = order(items.len(), &|one, other| compare(&items[one], &items[other]));
    let mut taken: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(order.into_iter().filter_map(|at| taken[at].take()));
}

/// Sorts in the usual order.
pub fn sort<T: Ord>(items: &mut Vec<T>) {
    sort_by(items, T::cmp);
}

/// Sorts by something about each; what is equal keeps its order.
pub fn sort_by_key<T, K: Ord>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    sort_by(items, |one, other| key(one).cmp(&key(other)));
}

#[inline(never)]
fn order(length: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    order.sort_by(|one, other| compare(*one, *other));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sorts_as_the_standard_library_does() {
        let words = ["pear", "fig", "apple", "kiwi", "plum", "date", "fig"];
        let numbered: Vec<(usize, &str)> = words.into_iter().enumerate().collect();
        let (mut ours, mut theirs) = (numbered.clone(), numbered);
        sort_by_key(&mut ours, |(_, word)| word.len());
        theirs.sort_by_key(|(_, word)| word.len());
        assert_eq!(ours, theirs);
        sort_by(&mut ours, |one, other| other.1.cmp(one.1));
        theirs.sort_by(|one, other| other.1.cmp(one.1));
        assert_eq!(ours, theirs);
        let mut empty: Vec<u8> = Vec::new();
        sort_by_key(&mut empty, |byte| *byte);
        assert!(empty.is_empty());
    }
}
