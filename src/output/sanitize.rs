//! Sanitises untrusted text before people see it. Each dangerous character becomes one harmless
//! character, so that columns stay right.

use std::borrow::Cow;

use memchr::{memchr2, memchr3, memmem};

use crate::skills::text::quote::unprintable;
use crate::skills::text::unicode::{is_printable_ascii, is_unprintable, orders};

/// Text on one line: names, messages, paths.
pub fn line(text: &str) -> Cow<'_, str> {
    replace(text, |character| matches!(character, '\n' | '\t'))
}

/// Text that may have several lines: excerpts of a file.
pub fn block(text: &str) -> Cow<'_, str> {
    replace(text, |_| false)
}

/// GitHub's workflow commands, written between pairs of colons.
const COMMANDS: [&str; 15] = [
    "add-mask",
    "add-matcher",
    "add-path",
    "debug",
    "echo",
    "endgroup",
    "error",
    "group",
    "notice",
    "remove-matcher",
    "save-state",
    "set-env",
    "set-output",
    "stop-commands",
    "warning",
];

/// Markdown for a model. Replaces only characters that could control a terminal, and puts a
/// backslash before CI commands, so that code and prose stay unchanged.
pub fn printable(text: &str) -> Cow<'_, str> {
    if is_harmless(text) {
        return Cow::Borrowed(text);
    }
    let clean = with_stand_ins(text, |_, one| is_unprintable(one));
    let mut orders = orders(&clean);
    orders.retain(|at| clean[*at..].strip_prefix("::").is_none_or(is_command));
    if orders.is_empty() { clean } else { Cow::Owned(rewritten(&clean, &orders, "\\[", "\\:")) }
}

/// Whether a command of GitHub follows two colons, which are also used for other things.
fn is_command(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or_default();
    let name = line.split([' ', ':']).next().unwrap_or_default();
    COMMANDS.iter().any(|command| name.eq_ignore_ascii_case(command))
}

/// Text on one line, with single blanks.
pub fn folded(text: &str) -> Cow<'_, str> {
    match fold(text) {
        Cow::Borrowed(text) => line(text),
        Cow::Owned(text) => Cow::Owned(line(&text).into_owned()),
    }
}

/// Words with single blanks between them.
pub fn fold(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let has_gap = || memmem::find(bytes, b"  ").is_some();
    if is_printable_ascii(bytes) && !text.starts_with(' ') && !text.ends_with(' ') && !has_gap() {
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

/// Whether a text certainly has no dangerous characters, as is almost always the case.
fn is_harmless(text: &str) -> bool {
    let bytes = text.as_bytes();
    is_printable_ascii(bytes) && memchr2(b'#', b':', bytes).is_none()
}

fn replace(text: &str, is_dangerous: impl Fn(char) -> bool) -> Cow<'_, str> {
    if is_harmless(text) {
        return Cow::Borrowed(text);
    }
    // Replacements that look the same.
    let (bracket, colon) = ("\u{2045}", "\u{2236}");
    let mut unprintable = unprintable(text).map(|(at, _)| at).peekable();
    let is_replaced = |at, one| unprintable.next_if_eq(&at).is_some() || is_dangerous(one);
    match with_stand_ins(text, is_replaced) {
        Cow::Borrowed(text) => without_orders(text, bracket, colon),
        Cow::Owned(text) => Cow::Owned(without_orders(&text, bracket, colon).into_owned()),
    }
}

/// Replaces dangerous characters, which are asked for in their order.
fn with_stand_ins(text: &str, mut is_dangerous: impl FnMut(usize, char) -> bool) -> Cow<'_, str> {
    let (mut clean, mut written) = (String::new(), 0);
    for (at, character) in text.char_indices() {
        if is_dangerous(at, character) {
            clean.push_str(&text[written..at]);
            clean.push(stand_in(character));
            written = at + character.len_utf8();
        }
    }
    if written == 0 {
        return Cow::Borrowed(text);
    }
    clean.push_str(&text[written..]);
    Cow::Owned(clean)
}

/// The text with brackets and colons replaced where a CI service would read a command.
pub fn without_orders<'a>(text: &'a str, bracket: &str, colon: &str) -> Cow<'a, str> {
    let orders = orders(text);
    if orders.is_empty() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(rewritten(text, &orders, bracket, colon))
}

fn rewritten(text: &str, orders: &[usize], bracket: &str, colon: &str) -> String {
    let mut result = String::with_capacity(text.len() + 8 * orders.len());
    let mut written = 0;
    for &at in orders {
        result.push_str(&text[written..at]);
        result.push_str(if text[at..].starts_with('[') { bracket } else { colon });
        written = at + 1;
    }
    result.push_str(&text[written..]);
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

// Text for XML: it cannot end an element or be a command to a CI service that reads its log, and
// every XML reader accepts it.

/// Escapes for `[` and `:` in text that would be a CI command.
const BRACKET: &str = "&#91;";

const COLON: &str = "&#58;";

/// Escapes the five special characters, and replaces those that XML or a terminal does not allow.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return without_orders(text, BRACKET, COLON);
    }
    let mut result = String::with_capacity(text.len() + text.len() / 8);
    let mut unprintable = unprintable(text).map(|(at, _)| at).peekable();
    for (at, character) in text.char_indices() {
        let is_unprintable = unprintable.next_if_eq(&at).is_some();
        match character {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '"' => result.push_str("&quot;"),
            '\'' => result.push_str("&apos;"),
            '\n' | '\t' => result.push(character),
            '\u{fffe}' | '\u{ffff}' => result.push('\u{fffd}'),
            _ if is_unprintable => result.push('\u{fffd}'),
            other => result.push(other),
        }
    }
    match without_orders(&result, BRACKET, COLON) {
        Cow::Borrowed(_) => Cow::Owned(result),
        Cow::Owned(text) => Cow::Owned(text),
    }
}

/// Whether nothing needs to be escaped, as in most texts.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    is_printable_ascii(bytes)
        && memchr3(b'&', b'<', b'>', bytes).is_none()
        && memchr2(b'"', b'\'', bytes).is_none()
}

/// A path on one line, with all its spaces.
pub fn path(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return escaped(text);
    }
    Cow::Owned(escaped(&text.replace(['\n', '\t'], "\u{fffd}")).into_owned())
}

/// The same on one line, with single blanks.
pub fn xml_folded(text: &str) -> Cow<'_, str> {
    match fold(text) {
        Cow::Borrowed(text) => escaped(text),
        Cow::Owned(text) => Cow::Owned(escaped(&text).into_owned()),
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
    fn no_order_is_left_in_a_text_and_nothing_else_is_changed() {
        for (text, expected) in [
            ("##[error]x", "##\\[error]x"),
            ("a ##[group]b##[x]", "a ##\\[group]b##\\[x]"),
            ("##vso[task.setvariable]", "##vso\\[task.setvariable]"),
            ("####[error]", "####\\[error]"),
            ("##teamcity[x]\n::set-env::y\n", "##teamcity\\[x]\n\\::set-env::y\n"),
            ("a\r\n \t::error::x", "a\r\n \t\\::error::x"),
            ("::", "\\::"),
            ("\u{2003}::error", "\u{2003}\\::error"),
        ] {
            assert_eq!(without_orders(text, "\\[", "\\:"), expected);
            assert!(orders(expected).is_empty(), "{expected}");
        }
        for text in ["", "## Title [link]", "#[test]", "## [x]", "a::b", "a [b]", "x ::y", "##"] {
            assert!(matches!(without_orders(text, "", ""), Cow::Borrowed(_)), "{text}");
        }
        assert_eq!(printable("## a\n ::Error::b é"), "## a\n \\::Error::b é");
        assert_eq!(printable("::set-output name=x::y\n##[x]"), "\\::set-output name=x::y\n##\\[x]");
        for text in ["::: warning", "::std::mem::swap", "::", "a:: Int", "::errors::x"] {
            assert!(matches!(printable(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn every_dangerous_character_has_one_stand_in() {
        assert_eq!(line("a\u{1b}[2J\u{9b}\u{202e}b\nc\td"), "a␛[2J\u{fffd}\u{fffd}b␊c␉d");
        assert_eq!(block("a\n\tb\u{7f}"), "a\n\tb␡");
        assert_eq!(block("a\n  ::error::x ##[group]"), "a\n  \u{2236}:error::x ##\u{2045}group]");
        assert_eq!(line("a::b"), "a::b");
        assert_eq!(line("::: a"), "\u{2236}:: a");
        assert!(matches!(line("plain é 👩‍💻 ❤️ 1️⃣"), Cow::Borrowed(_)));
        assert_eq!(line("a\u{fe00}b ❤\u{fe0f}\u{fe0f}"), "a\u{fffd}b ❤\u{fe0f}\u{fffd}");
    }
}

#[cfg(test)]
mod xml_tests {
    use super::*;

    #[test]
    fn nothing_ends_an_element() {
        assert_eq!(
            xml_folded("a </skill>\n ]]> & \"b\" 'c' \u{1b}\u{0}"),
            "a &lt;/skill&gt; ]]&gt; &amp; &quot;b&quot; &apos;c&apos; \u{fffd}\u{fffd}"
        );
    }

    #[test]
    fn nothing_is_an_order_to_a_log_reader() {
        assert_eq!(escaped("##[error]x"), "##&#91;error]x");
        assert_eq!(escaped("a <b>\n  ::error::x"), "a &lt;b&gt;\n  &#58;:error::x");
        assert_eq!(path("/a/##vso[x]"), "/a/##vso&#91;x]");
        assert!(matches!(escaped("## Title: [a] b::c"), Cow::Borrowed(_)));
    }
}
