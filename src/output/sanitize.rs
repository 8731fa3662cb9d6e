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

/// Text for a model: only what could steer a terminal is replaced, so that code and prose stay as
/// they are.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unprintable) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_unprintable(c) { stand_in(c) } else { c }).collect())
}

fn replace(text: &str, is_dangerous: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_command = text.contains("##[") || text.contains("::");
    if !is_command && !text.chars().any(&is_dangerous) {
        return Cow::Borrowed(text);
    }
    let clean: String =
        text.chars().map(|c| if is_dangerous(c) { stand_in(c) } else { c }).collect();
    Cow::Owned(if is_command { without_commands(&clean) } else { clean })
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
    fn every_dangerous_character_has_one_stand_in() {
        assert_eq!(line("a\u{1b}[2J\u{9b}\u{202e}b\nc\td"), "a␛[2J\u{fffd}\u{fffd}b␊c␉d");
        assert_eq!(block("a\n\tb\u{7f}"), "a\n\tb␡");
        assert_eq!(block("a\n  ::error::x ##[group]"), "a\n  \u{2236}:error::x ##\u{2045}group]");
        assert_eq!(line("a::b"), "a::b");
        assert!(matches!(line("plain é 👩‍💻"), Cow::Borrowed(_)));
    }
}
