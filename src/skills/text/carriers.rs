//! Characters that carry text which nobody sees, in bytes that may or may not be text.

use memchr::memchr3_iter;

use crate::skills::text::unicode::{Hidden, hidden};

/// How many of them make a payload, in bytes that are not certainly text. In compressed data, one
/// appears by chance in each MiB.
const ENOUGH: usize = 4;
/// How many bytes that many may take together.
const NEAR: usize = 64;

/// The characters of one kind in a part of a file that has no lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// What they are.
    pub kind: Hidden,
    /// The first of them.
    pub first: char,
    /// How many there are.
    pub count: usize,
}

/// The characters of a text that carry data, with their byte offsets. If it is not certain that it is
/// text, only several of them close together count.
pub fn carriers(text: &str, is_certain: bool) -> Vec<(usize, char, Hidden)> {
    let mut found: Vec<(usize, char, Hidden)> =
        hidden(text).filter(|(_, _, kind)| kind.carries_data()).collect();
    if !is_certain && !has_payload(&found) {
        found.clear();
    }
    found
}

/// Whether several are close together, as text is: programs have tables of these characters, in
/// ascending order, and numbers that look like the unassigned ones below U+10000.
fn has_payload(found: &[(usize, char, Hidden)]) -> bool {
    let counted =
        found.iter().filter(|(_, one, kind)| *kind != Hidden::Unassigned || *one > '\u{ffff}');
    let counted: Vec<(usize, char)> = counted.map(|(at, one, _)| (*at, *one)).collect();
    let is_payload = |few: &[(usize, char)]| {
        few[ENOUGH - 1].0 - few[0].0 <= NEAR && !few.is_sorted_by(|one, next| one.1 < next.1)
    };
    counted.windows(ENOUGH).any(is_payload)
}

/// Adds what some bytes carry to what was found before. Few files have such bytes, and a search for
/// them is faster than reading text.
pub fn add_carried(bytes: &[u8], is_certain: bool, known: &mut Vec<Carried>) {
    let starts = memchr3_iter(0xf3, 0xef, 0xe2, bytes).filter(|at| is_carrier(&bytes[*at..]));
    let starts: Vec<usize> = starts.collect();
    // Replacements of invalid bytes can only move them further apart.
    let is_near = |few: &[usize]| few[ENOUGH - 1] - few[0] <= NEAR;
    if !starts.is_empty() && (is_certain || starts.windows(ENOUGH).any(is_near)) {
        add(&String::from_utf8_lossy(bytes), is_certain, known);
    }
}

/// The same for a text.
pub fn add(text: &str, is_certain: bool, known: &mut Vec<Carried>) {
    for (_, first, kind) in carriers(text, is_certain) {
        match known.iter_mut().find(|one| one.kind == kind) {
            Some(same) => same.count += 1,
            None => known.push(Carried { kind, first, count: 1 }),
        }
    }
}

/// Whether bytes start like a character that may carry data.
const fn is_carrier(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [0xf3, 0xa0, ..]
            | [0xef, 0xb8, 0x80..=0x8f, ..]
            | [0xef, 0xbf, 0xb0..=0xb8, ..]
            | [0xe2, 0x81, 0xa5, ..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_carries_data_is_looked_for() {
        for character in '\0'..=char::MAX {
            let text = format!("a{character}b");
            let mut known = Vec::new();
            add_carried(text.as_bytes(), true, &mut known);
            let count = carriers(&text, true).len();
            assert_eq!(known.iter().map(|one| one.count).sum::<usize>(), count, "{character:?}");
        }
    }

    #[test]
    fn by_chance_a_few_are_far_apart() {
        let tag = "\u{e0041}";
        assert_eq!(carriers(&tag.repeat(3), false), []);
        assert_eq!(carriers(&tag.repeat(4), false).len(), 4);
        assert_eq!(carriers(&format!("{tag}\u{fffd}").repeat(4), false).len(), 4);
        assert_eq!(carriers(&format!("{tag}{}", "x".repeat(30)).repeat(9), false), []);
        assert_eq!(carriers(tag, true).len(), 1);
        let table: String = ('\u{fe00}'..='\u{fe0f}').chain('\u{e0000}'..='\u{e01ff}').collect();
        assert_eq!(carriers(&table, false), []);
        assert_eq!(carriers(&"\u{fff2}".repeat(9), false), []);
    }
}
