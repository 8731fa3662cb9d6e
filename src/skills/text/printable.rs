//! Text that can be printed as it is, because it steers neither a terminal nor a CI service, and hides
//! nothing from people.

use std::borrow::Cow;

use crate::skills::text::frontmatter::BOM;
use crate::skills::text::orders::orders;
use crate::skills::text::position::Edit;
use crate::skills::text::unicode::{
    Hidden, can_vary, hidden, is_bidirectional, is_control, is_mongolian_selector, is_unprintable,
    is_variation_selector,
};

/// Whether these lines can be printed as they are. A carriage return may only end a line.
pub fn is_printable(lines: &str) -> bool {
    let is_clean = |line: &str| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        unprintable(line).next().is_none()
    };
    lines.split('\n').all(is_clean) && orders(lines).is_empty()
}

/// Whether an edit can be shown as a diff: its own lines, and one more on either side.
pub fn is_edit_printable(text: &str, edit: &Edit) -> bool {
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    let start = line_start(line_start(edit.span.start).saturating_sub(1));
    let end = line_end((line_end(edit.span.end) + 1).min(text.len()));
    let lines = text[start..end].strip_prefix(BOM).filter(|_| start == 0);
    is_printable(lines.unwrap_or(&text[start..end])) && is_printable(&edit.replacement)
}

/// The characters of a text that must not be printed, each with its byte offset: also variation
/// selectors after characters that do not vary.
pub fn unprintable(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut previous = '\0';
    text.char_indices().filter(move |(_, character)| {
        let before = std::mem::replace(&mut previous, *character);
        match is_variation_selector(*character) || is_mongolian_selector(*character) {
            true => !can_vary(before, *character),
            false => is_unprintable(*character),
        }
    })
}

/// The text with `U+E0041` instead of each hidden character, for messages that a model may read.
pub fn revealed(text: &str) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut written = 0;
    for (at, character, _) in hidden(text) {
        shown.push_str(&text[written..at]);
        shown.push_str(&format!("U+{:04X}", character as u32));
        written = at + character.len_utf8();
    }
    if written == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[written..]);
    Cow::Owned(shown)
}

/// Why a file name cannot be trusted to be what it looks like. A selector that an emoji left behind
/// is harmless.
pub fn name_problem(name: &str) -> Option<&'static str> {
    if name.chars().any(|one| is_control(one) || matches!(one, '\n' | '\t')) {
        return Some("control character");
    }
    if name.chars().any(is_bidirectional) {
        return Some(Hidden::Bidirectional.as_str());
    }
    let is_harmful = |(_, one, kind): &(usize, char, Hidden)| {
        *kind != Hidden::Invisible || !is_variation_selector(*one)
    };
    hidden(name).find(is_harmful).map(|(_, _, kind)| kind.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::text::position::Span;

    #[test]
    fn only_plain_lines_are_printable() {
        for text in ["a\r\n\tb", "é 👩‍💻 ❤️ 葛\u{e0100}", "", "a::b"] {
            assert!(is_printable(text), "{text:?}");
        }
        for text in [
            "a\u{fe01}",
            "a\rb",
            "\u{1b}[2J",
            "\u{202e}",
            "\u{feff}",
            "a\n ::error::b",
            "##[group]",
        ] {
            assert!(!is_printable(text), "{text:?}");
        }
    }

    #[test]
    fn an_edit_is_printable_with_the_lines_beside_it() {
        let printable = |text: &str| {
            let at = text.find('x').unwrap();
            is_edit_printable(text, &Edit { span: Span::new(at, at + 1), replacement: "y".into() })
        };
        assert!(printable("\u{feff}x"));
        assert!(printable("\u{1b}\na\nx\nb\n\u{1b}"));
        assert!(!printable("\u{1b}\nx\nb\n"));
        assert!(!printable("a\nx\n\u{1b}"));
        assert!(!printable("a\nx\u{1b}\nb"));
        assert!(!printable("a\n\u{feff}x\nb"));
    }

    #[test]
    fn only_characters_that_vary_keep_a_selector() {
        let parsed = regex_syntax::parse("\\p{Emoji}").unwrap();
        let regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class)) =
            parsed.kind()
        else {
            panic!("{parsed:?}")
        };
        for range in class.ranges() {
            for character in range.start()..=range.end() {
                assert!(can_vary(character, '\u{fe0f}'), "U+{:04X}", character as u32);
            }
        }
        for text in ["a\u{fe00}", "é\u{e0100}", " \u{fe01}", "🙂\u{fe03}", "🙂\u{fe0f}\u{fe0f}"]
        {
            let kinds: Vec<Hidden> = hidden(text).map(|(_, _, kind)| kind).collect();
            assert_eq!(kinds, [Hidden::VariationRun], "{text:?}");
            assert_eq!(unprintable(text).count(), 1, "{text:?}");
            assert!(revealed(text).is_ascii() || text.starts_with(['é', '🙂']), "{text:?}");
        }
        assert_eq!(revealed("a\u{e0041}b ❤️"), "aU+E0041b ❤️");
    }

    #[test]
    fn names_hide_nothing() {
        for (name, problem) in [
            ("a\u{e0041}.md", Some("tag character")),
            ("a\u{fe01}.md", Some("run of variation selectors")),
            ("a\u{200b}.md", Some("zero-width character")),
            ("a\u{202e}.md", Some("bidirectional control")),
            ("a\n.md", Some("control character")),
            ("❤️ 1️⃣ 葛\u{e0100} می‌خواهم 👩‍💻.md", None),
            ("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}.md", None),
        ] {
            assert_eq!(name_problem(name), problem, "{name:?}");
        }
    }
}
