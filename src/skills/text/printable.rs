//! Text that can be printed as it is, because it steers neither a terminal nor a CI service.

use crate::skills::text::frontmatter::BOM;
use crate::skills::text::orders::orders;
use crate::skills::text::position::Edit;
use crate::skills::text::unicode::is_unprintable;

/// Whether these lines can be printed as they are. A carriage return may only end a line.
#[must_use]
pub fn is_printable(lines: &str) -> bool {
    let is_clean = |line: &str| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        !line.chars().any(is_unprintable)
    };
    lines.split('\n').all(is_clean) && orders(lines).is_empty()
}

/// Whether an edit can be shown as a diff: its own lines, and one more on either side.
#[must_use]
pub fn is_edit_printable(text: &str, edit: &Edit) -> bool {
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    let start = line_start(line_start(edit.span.start).saturating_sub(1));
    let end = line_end((line_end(edit.span.end) + 1).min(text.len()));
    let lines = text[start..end].strip_prefix(BOM).filter(|_| start == 0);
    is_printable(lines.unwrap_or(&text[start..end])) && is_printable(&edit.replacement)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::text::position::Span;

    #[test]
    fn only_plain_lines_are_printable() {
        for text in ["a\r\n\tb", "é 👩‍💻", "", "a::b"] {
            assert!(is_printable(text), "{text:?}");
        }
        for text in ["a\rb", "\u{1b}[2J", "\u{202e}", "\u{feff}", "a\n ::error::b", "##[group]"] {
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
}
