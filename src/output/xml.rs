//! Text that stands in XML: nothing in it can end an element, and every XML reader takes it.

use std::fmt::Write as _;

use crate::skills::unicode::is_unprintable;

/// The text with the five characters escaped, and what XML or a terminal cannot take replaced.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len() + text.len() / 8);
    for character in text.chars() {
        match character {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '"' => result.push_str("&quot;"),
            '\'' => result.push_str("&apos;"),
            '\n' | '\t' => result.push(character),
            '\u{fffe}' | '\u{ffff}' => result.push('\u{fffd}'),
            other if is_unprintable(other) => result.push('\u{fffd}'),
            other => result.push(other),
        }
    }
    result
}

/// A path: every blank of it counts, and it is on one line all the same.
#[must_use]
pub fn path(text: &str) -> String {
    escaped(&text.replace(['\n', '\t'], "\u{fffd}"))
}

/// The same on one line, with single blanks.
#[must_use]
pub fn folded(text: &str) -> String {
    escaped(&fold(text))
}

/// Words with single blanks between them.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let gap = if result.is_empty() { "" } else { " " };
        let _ = write!(result, "{gap}{word}");
    }
    result
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
}
