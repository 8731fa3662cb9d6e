//! Questions about every byte of a text, answered eight bytes at a time.
//!
//! Reason: these loops see every byte of every skill. Guard: a property test compares them with the
//! plain loops.

use memchr::memchr;

const WIDTH: usize = size_of::<u64>();
const ONES: u64 = u64::from_ne_bytes([0x01; WIDTH]);
const HIGH: u64 = u64::from_ne_bytes([0x80; WIDTH]);
const LOW: u64 = !HIGH;
const BLANKS: u64 = u64::from_ne_bytes([b' '; WIDTH]);

/// Whether a text consists of printable ASCII, blanks included.
pub fn is_printable_ascii(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<WIDTH>();
    let mut seen = 0;
    for word in words {
        let word = u64::from_ne_bytes(*word);
        // The high bit of a byte is set if it is not ASCII, is 0x7f, or has neither of the two bits
        // that all bytes from the blank on have.
        seen |= word | word.wrapping_add(ONES) | !((word << 1) | (word << 2));
    }
    seen & HIGH == 0 && rest.iter().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Whether a text has control characters of ASCII other than tab and newline.
pub fn has_controls(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\n' | b'\t');
    (has_more_than_newlines(bytes) && bytes.iter().any(is_control)) || memchr(0x7f, bytes).is_some()
}

/// Whether a byte before the blank is not a newline.
fn has_more_than_newlines(bytes: &[u8]) -> bool {
    const NEWLINES: u64 = u64::from_ne_bytes([b'\n'; WIDTH]);
    let (words, rest) = bytes.as_chunks::<WIDTH>();
    let mut seen = 0;
    for word in words {
        let word = u64::from_ne_bytes(*word);
        // High bits say that a byte is at or behind the blank, and that it is not a newline. Adding
        // to the lower seven bits never carries into the next byte.
        let from_blank = ((word & LOW) + (HIGH - BLANKS)) | word;
        let other = word ^ NEWLINES;
        let not_newline = ((other & LOW) + LOW) | other;
        seen |= !from_blank & not_newline;
    }
    seen & HIGH != 0 || rest.iter().any(|byte| *byte < b' ' && *byte != b'\n')
}

/// The bytes of a text with one bit set in each, which turns letters into lower case.
pub fn with_case_bit(text: &str) -> Vec<u8> {
    const BIT: u8 = 0x20;
    let mut bytes = text.as_bytes().to_vec();
    let (words, rest) = bytes.as_chunks_mut::<WIDTH>();
    for word in words {
        *word = (u64::from_ne_bytes(*word) | u64::from_ne_bytes([BIT; WIDTH])).to_ne_bytes();
    }
    rest.iter_mut().for_each(|byte| *byte |= BIT);
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn compare(text: &str) {
        let is_control = |byte: u8| byte < b' ' && !matches!(byte, b'\n' | b'\t') || byte == 0x7f;
        assert_eq!(has_controls(text), text.bytes().any(is_control), "{text:?}");
        let is_printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        assert_eq!(is_printable_ascii(text.as_bytes()), is_printable, "{text:?}");
        let folded: Vec<u8> = text.bytes().map(|byte| byte | 0x20).collect();
        assert_eq!(with_case_bit(text), folded, "{text:?}");
    }

    #[test]
    fn every_character_counts_wherever_it_stands() {
        for code in (0..0x300).chain([0x2028, 0xffff, 0x1_0000, 0x10_ffff]) {
            let Some(character) = char::from_u32(code) else { continue };
            for before in 0..20 {
                compare(&format!("{}{character}", "a".repeat(before)));
                compare(&format!("{}{character} ~ rest of it\n", "\u{7e}".repeat(before)));
            }
        }
    }

    #[test]
    fn long_texts_are_counted_to_the_end() {
        let long = "\n".repeat(5_000);
        compare(&long);
        compare(&(long.clone() + "\r"));
        compare(&(long + "\t"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn words_and_bytes_agree(text in "[\\x00-\\x7fé€\u{10ffff}]{0,60}|[ -~\n\t]{0,60}") {
            compare(&text);
        }
    }
}
