//! The one gate that untrusted text passes before people see it: one harmless character for
//! each dangerous one, so that columns stay true.

use std::borrow::Cow;

use crate::skills::unicode::is_unprintable;

/// Text on one line: names, messages, paths.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    replace(text, |character| is_unprintable(character) || matches!(character, '\n' | '\t'))
}

/// Text that may have several lines: excerpts of a file.
#[must_use]
pub fn block(text: &str) -> Cow<'_, str> {
    replace(text, is_unprintable)
}

fn replace(text: &str, is_dangerous: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_dangerous) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|c| if is_dangerous(c) { stand_in(c) } else { c }).collect()
}

/// The picture of a control character, or the replacement character.
fn stand_in(character: char) -> char {
    match character {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + character as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        _ => '\u{fffd}',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dangerous_character_has_one_stand_in() {
        assert_eq!(line("a\u{1b}[2J\u{9b}\u{202e}b\nc\td"), "a␛[2J\u{fffd}\u{fffd}b␊c␉d");
        assert_eq!(block("a\n\tb\u{7f}"), "a\n\tb␡");
        assert!(matches!(line("plain é 👩‍💻"), Cow::Borrowed(_)));
    }
}
