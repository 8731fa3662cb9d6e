//! Byte spans, and the lines and columns people see.
//!
//! Spans are byte ranges of the whole file. Lines and columns are 1-based, columns count
//! Unicode characters, ends are exclusive.

use std::fmt;

use memchr::{memchr_iter, memrchr};

/// A byte range of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The range from `start` up to, not including, `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The span of the character that starts at `at`, or an empty one at the end of `text`.
    pub fn of_char(text: &str, at: usize) -> Self {
        let length = text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        Self::new(at, at + length)
    }

    /// The text this span covers; empty where it does not fit `text`.
    pub fn slice(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    /// The same span, moved towards the end of the file.
    pub const fn shifted(self, by: usize) -> Self {
        Self::new(self.start + by, self.end + by)
    }
}

/// A line and a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.line, self.column)
    }
}

/// Where a finding starts and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PositionRange {
    /// First character.
    pub start: Position,
    /// One past the last character.
    pub end: Position,
}

impl PositionRange {
    /// The place of `span` in `text`.
    pub fn of(text: &str, span: Span) -> Self {
        Self { start: position(text, span.start), end: position(text, span.end) }
    }
}

/// The line and column of a byte offset. Offsets inside a character count as its start.
fn position(text: &str, offset: usize) -> Position {
    let offset = floor_char_boundary(text, offset);
    let before = &text[..offset];
    let line_start = memrchr(b'\n', before.as_bytes()).map_or(0, |newline| newline + 1);
    Position {
        line: 1 + memchr_iter(b'\n', before.as_bytes()).count(),
        column: 1 + before[line_start..].chars().count(),
    }
}

/// The nearest character boundary at or before `offset`.
pub fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// New text for a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The replaced part.
    pub span: Span,
    /// The new text.
    pub replacement: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_start_at_one() {
        let text = "a\r\né: ü\nz";
        let colon = text.find(':').unwrap();
        let place = PositionRange::of(text, Span::of_char(text, colon));
        assert_eq!(place.start, Position { line: 2, column: 2 });
        assert_eq!(place.end, Position { line: 2, column: 3 });
    }

    #[test]
    fn offsets_past_the_end_or_inside_a_character_are_clamped() {
        let place = PositionRange::of("é", Span::new(1, 99));
        assert_eq!(place.start, Position { line: 1, column: 1 });
        assert_eq!(place.end, Position { line: 1, column: 2 });
    }
}
