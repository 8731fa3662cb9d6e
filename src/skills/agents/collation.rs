//! The order of `localeCompare` in JavaScript, as far as names of skills need it: the root
//! collation of Unicode, in which punctuation counts.

use std::cmp::Ordering;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Punctuation and symbols of ASCII in the order of the root collation; digits and letters follow.
const ORDER: &str = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

/// Compares by letters, then by accents, then by case with lower case first.
pub(super) fn compare(one: &str, other: &str) -> Ordering {
    let primary = |text: &str| -> Vec<(u8, u32)> { bases(text).map(weight).collect() };
    let accents = |text: &str| -> Vec<Vec<char>> { accents(text) };
    let cases = |text: &str| -> Vec<bool> { bases(text).map(char::is_uppercase).collect() };
    primary(one)
        .cmp(&primary(other))
        .then_with(|| accents(one).cmp(&accents(other)))
        .then_with(|| cases(one).cmp(&cases(other)))
        .then_with(|| one.cmp(other))
}

fn bases(text: &str) -> impl Iterator<Item = char> {
    text.nfd().filter(|character| !is_combining_mark(*character))
}

/// The marks on each letter.
fn accents(text: &str) -> Vec<Vec<char>> {
    let mut marks: Vec<Vec<char>> = Vec::new();
    for character in text.nfd() {
        match marks.last_mut() {
            Some(last) if is_combining_mark(character) => last.push(character),
            _ => marks.push(Vec::new()),
        }
    }
    marks
}

fn weight(character: char) -> (u8, u32) {
    if character.is_whitespace() {
        return (0, character as u32);
    }
    if let Some(rank) = ORDER.find(character) {
        return (1, u32::try_from(rank).unwrap_or(u32::MAX));
    }
    if !character.is_alphanumeric() {
        return (1, ORDER.len() as u32 + character as u32);
    }
    if character.is_numeric() {
        return (2, character as u32);
    }
    (3, character.to_lowercase().next().unwrap_or(character) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_the_one_that_was_observed() {
        let observed = "_y|.x|@y|#y|+y|=y|~y|$y|a a|a_a|a-|a--b|a-a|a-b|a,a|a!a|a.a|a'a|a(a|a@a|\
            a#a|a+a|a~a|a$a|a1|a10|a2|aa|aA|Aa|AA|äa|ab|ab_c|ab-c|abc|abC|co op|co-op|co-opx|coop|\
            coöp|e|é|f|n|ñ|o|re-sort|re-sume|resort|resume|y|z|Z|中";
        let expected: Vec<&str> = observed.split('|').collect();
        let mut names = expected.clone();
        names.sort_unstable();
        names.sort_by(|one, other| compare(one, other));
        assert_eq!(names, expected);
    }
}
