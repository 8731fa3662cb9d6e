//! Text for XML: it cannot end an element or be a command to a CI service that reads its log, and
//! every XML reader accepts it.

use std::borrow::Cow;

use memchr::{memchr2, memchr3};

use super::sanitize::{fold, without_orders};
use crate::skills::text::printable::unprintable;
use crate::skills::text::unicode::is_printable_ascii;

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
pub fn folded(text: &str) -> Cow<'_, str> {
    match fold(text) {
        Cow::Borrowed(text) => escaped(text),
        Cow::Owned(text) => Cow::Owned(escaped(&text).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_an_element() {
        assert_eq!(
            folded("a </skill>\n ]]> & \"b\" 'c' \u{1b}\u{0}"),
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
