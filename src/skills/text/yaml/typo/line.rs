//! Lines of front matter as people write them.

use crate::skills::text::position::Span;

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// A line without the blanks around it.
#[derive(Clone, Copy)]
pub(super) struct TrimmedLine<'a> {
    /// The position of its first character that is not blank.
    pub(super) at: usize,
    /// The number of blanks before it.
    pub(super) indent: usize,
    /// The whole line.
    pub(super) content: &'a str,
}

impl<'a> TrimmedLine<'a> {
    pub(super) fn new(start: usize, line: &'a str) -> Self {
        let content = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - content.len();
        Self { at: start + indent, indent, content: content.trim_end_matches(BLANKS) }
    }

    /// The first `length` bytes.
    pub(super) const fn head(&self, length: usize) -> Span {
        Span::new(self.at, self.at + length)
    }

    pub(super) const fn end(&self) -> usize {
        self.at + self.content.len()
    }

    /// The text before `: `, or before a colon at the end.
    pub(super) fn key(&self) -> Option<&'a str> {
        let is_end = |at: &usize| {
            let next = self.content[at + 1..].chars().next();
            next.is_none_or(|next| matches!(next, ' ' | '\t'))
        };
        let colon = self.content.match_indices(':').map(|(at, _)| at).find(is_end)?;
        Some(self.content[..colon].trim_end())
    }

    /// The letters, digits, hyphens and underscores it starts with.
    pub(super) fn word(&self) -> &'a str {
        let is_word =
            |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
        let length = self.content.len() - self.content.trim_start_matches(is_word).len();
        &self.content[..length]
    }

    pub(super) fn is_item(&self) -> bool {
        self.content == "-" || self.content.starts_with("- ")
    }

    /// A line that should have been `---`.
    pub(super) fn is_rule(&self) -> bool {
        self.content.chars().all(|character| matches!(character, '-' | '–' | '—' | '='))
    }
}

/// The value of the last key that is not indented.
#[derive(Clone, Copy)]
pub(super) enum ValueKind {
    /// Nothing on its line.
    Nothing,
    /// Text, or another complete value.
    Text,
    /// `|` or `>`, and whether it has lines yet.
    Block(bool),
    /// An open quote.
    Quote(char),
    /// Open brackets: the place of the first, and their number.
    Brackets(usize, usize),
}

impl ValueKind {
    /// The number of open brackets at the end of `text`, except those in quotes.
    pub(super) fn brackets(at: usize, mut open: usize, text: &str) -> Self {
        let mut quote = None;
        let mut before = b' ';
        for byte in text.bytes() {
            let starts_item = matches!(before, b' ' | b'[' | b'{' | b',' | b':');
            match byte {
                _ if quote == Some(byte) => quote = None,
                _ if quote.is_some() => {}
                b'"' | b'\'' if starts_item => quote = Some(byte),
                b'[' | b'{' => open += 1,
                b']' | b'}' => open = open.saturating_sub(1),
                _ => {}
            }
            before = byte;
        }
        if open == 0 { Self::Text } else { Self::Brackets(at, open) }
    }
}

/// Characters that people write instead of `: `.
pub(super) fn is_separator(character: char, rest: &str) -> bool {
    match character {
        ':' => !rest.starts_with("://"),
        '=' | '：' | '\u{a0}' => true,
        _ => false,
    }
}
