//! The one gate that untrusted text passes before people see it: one harmless character for
//! each dangerous one, so that columns stay true.

use std::borrow::Cow;

use memchr::memmem;

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

/// Text for a model: only what could steer a terminal is replaced, so that code and prose stay as
/// they are.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if is_harmless(text) { Cow::Borrowed(text) } else { with_stand_ins(text, is_unprintable) }
}

/// Text on one line, with single blanks.
#[must_use]
pub fn folded(text: &str) -> Cow<'_, str> {
    match fold(text) {
        Cow::Borrowed(text) => line(text),
        Cow::Owned(text) => Cow::Owned(line(&text).into_owned()),
    }
}

/// Words with single blanks between them.
#[must_use]
pub fn fold(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    // Without a way out of the loop, this runs on whole vectors.
    let plain = bytes.iter().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~'));
    let has_gap = || memmem::find(bytes, b"  ").is_some();
    if plain && !text.starts_with(' ') && !text.ends_with(' ') && !has_gap() {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    Cow::Owned(folded)
}

/// Whether a text can hold nothing that is dangerous anywhere, as almost none does.
fn is_harmless(text: &str) -> bool {
    let is_harmless = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'#' | b':');
    text.bytes().fold(true, |harmless, byte| harmless & is_harmless(byte))
}

fn replace(text: &str, is_dangerous: impl Fn(char) -> bool) -> Cow<'_, str> {
    if is_harmless(text) {
        return Cow::Borrowed(text);
    }
    let clean = with_stand_ins(text, is_dangerous);
    let is_command = text.contains("##[") || text.contains("::");
    if is_command { Cow::Owned(without_commands(&clean)) } else { clean }
}

fn with_stand_ins(text: &str, is_dangerous: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_dangerous) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_dangerous(c) { stand_in(c) } else { c }).collect())
}

/// CI services take `##[command]` anywhere, and `::command` at the start of a line, for orders.
/// What replaces a character looks the same and is not one.
fn without_commands(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let content = line.trim_start();
        let (blanks, content) = line.split_at(line.len() - content.len());
        result.push_str(blanks);
        match content.strip_prefix("::") {
            Some(rest) => {
                result.push_str("\u{2236}:");
                result.push_str(&rest.replace("##[", "##\u{2045}"));
            }
            None => result.push_str(&content.replace("##[", "##\u{2045}")),
        }
    }
    result
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
    fn words_are_folded_and_text_that_is_folded_stays_as_it_is() {
        assert_eq!(fold(" a  b\n c\u{a0}d "), "a b c d");
        assert!(matches!(fold("a b c."), Cow::Borrowed("a b c.")));
        assert_eq!(fold("  "), "");
        assert_eq!(fold(""), "");
    }

    #[test]
    fn every_dangerous_character_has_one_stand_in() {
        assert_eq!(line("a\u{1b}[2J\u{9b}\u{202e}b\nc\td"), "a␛[2J\u{fffd}\u{fffd}b␊c␉d");
        assert_eq!(block("a\n\tb\u{7f}"), "a\n\tb␡");
        assert_eq!(block("a\n  ::error::x ##[group]"), "a\n  \u{2236}:error::x ##\u{2045}group]");
        assert_eq!(line("a::b"), "a::b");
        assert!(matches!(line("plain é 👩‍💻"), Cow::Borrowed(_)));
    }
}
