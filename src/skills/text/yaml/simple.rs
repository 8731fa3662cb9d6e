//! Reads plain front matter (lines of `key: value` and folded text) without the YAML parser.
//!
//! Reason: most skills have nothing else, and this takes a tenth of the parser's work, about 7,000
//! instructions per skill instead of more than 50,000. Guard: anything less plain goes to the
//! parser, and `the_simple_reader_agrees_with_the_parser` compares both readers on random text.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr2_iter};

use crate::skills::text::position::Span;
use crate::skills::text::unicode::is_printable_ascii;
use crate::skills::text::yaml::{
    Duplicate, Mapping, MappingEntry, Node, Value, Yaml, collect_duplicates, plain_value,
};

/// Most entries that this reader handles.
const MOST_ENTRIES: usize = 500;

/// Longest key in bytes that it handles; YAML's own limit is not much higher.
const LONGEST_KEY: usize = 1_000;

/// Reads `text`; none if it needs the parser.
pub fn read(text: &str, offset: usize) -> Option<Yaml<'_>> {
    let mut lines = SimpleLines { text, at: 0 };
    let mut duplicates = Vec::new();
    let root = mapping(&mut lines, 0, offset, &mut duplicates)?;
    lines.peek().is_none().then_some(Yaml { root, duplicates })
}

/// The lines at one level of indentation.
fn mapping<'a>(
    lines: &mut SimpleLines<'a>,
    indent: usize,
    offset: usize,
    duplicates: &mut Vec<Duplicate>,
) -> Option<Node<'a>> {
    // Most front matter has fewer, and growing moves them.
    let mut mapping = Mapping { entries: Vec::with_capacity(8) };
    while let Some((start, line)) = lines.peek() {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        if blanks < indent && !mapping.entries.is_empty() {
            break;
        }
        if blanks != indent || mapping.entries.len() == MOST_ENTRIES {
            return None;
        }
        lines.advance(line);
        let entry = &line[indent..];
        let at = start + indent + offset;
        let key = &entry[..key_length(entry)?];
        let node =
            Node { value: plain_value(Cow::Borrowed(key)), span: Span::new(at, at + key.len()) };
        let value = match entry[key.len()..].strip_prefix(": ") {
            Some(text) => match Block::of(text) {
                Some(block) if indent == 0 => block.read(lines, offset)?,
                _ => scalar(text, at + key.len() + 2)?,
            },
            None if &entry[key.len()..] == ":" && indent == 0 => {
                let (_, next) = lines.peek()?;
                let deeper = next.len() - next.trim_start_matches(' ').len();
                if deeper == 0 {
                    return None;
                }
                self::mapping(lines, deeper, offset, duplicates)?
            }
            None => return None,
        };
        mapping.entries.push(MappingEntry { key: node, value });
    }
    let (first, last) = (mapping.entries.first()?, mapping.entries.last()?);
    let span = Span::new(first.key.span.start, last.value.span.end);
    collect_duplicates(&mapping, duplicates);
    Some(Node { value: Value::Mapping(mapping), span })
}

/// Whether a byte is plain in a key.
fn key_length(line: &str) -> Option<usize> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let length = line.bytes().take_while(is_word).count();
    let starts_well = line.starts_with(|first: char| first.is_ascii_alphabetic());
    (starts_well && length <= LONGEST_KEY).then_some(length)
}

fn scalar(text: &str, at: usize) -> Option<Node<'_>> {
    if !is_harmless(text) {
        return None;
    }
    let bytes = text.as_bytes();
    let span = Span::new(at, at + text.len());
    if let Some(quoted) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        let plain = memchr2(b'"', b'\\', quoted.as_bytes()).is_none();
        return plain.then_some(Node { value: Value::String(Cow::Borrowed(quoted)), span });
    }
    let is_ambiguous = |at: usize| match bytes[at] {
        b'#' => at == 0 || bytes[at - 1] == b' ',
        _ => matches!(bytes.get(at + 1), None | Some(b' ')),
    };
    let starts_well =
        |first: char| first.is_alphanumeric() || matches!(first, '(' | '/' | '$' | '.' | '_');
    let plain = text.starts_with(starts_well)
        && !text.ends_with(' ')
        && !memchr2_iter(b'#', b':', bytes).any(is_ambiguous);
    plain.then(|| Node { value: plain_value(Cow::Borrowed(text)), span })
}

/// A block scalar: text on the lines after `>` or `|`.
struct Block {
    /// Replaces a line break between two lines.
    between: &'static str,
    /// Replaces the last line break.
    end: &'static str,
}

impl Block {
    fn of(indicator: &str) -> Option<Self> {
        let (between, end) = match indicator {
            ">" => (" ", "\n"),
            ">-" => (" ", ""),
            "|" => ("\n", "\n"),
            "|-" => ("\n", ""),
            _ => return None,
        };
        Some(Self { between, end })
    }

    /// Takes all lines with the same indentation; other indentation has a meaning in YAML.
    fn read<'a>(&self, lines: &mut SimpleLines<'a>, offset: usize) -> Option<Node<'a>> {
        let mut text = String::new();
        let mut indent = 0;
        let start = lines.at + offset;
        let mut end = start;
        while let Some((at, line)) = lines.peek() {
            let content = line.trim_start_matches(' ');
            let blanks = line.len() - content.len();
            if blanks == 0 && !line.is_empty() && indent > 0 {
                break;
            }
            let fits = indent == 0 || blanks == indent;
            let ends_well = !content.is_empty() && !content.ends_with(' ');
            // Leave a text without a final line break to the parser.
            let is_whole = lines.has_break_behind(line);
            if blanks == 0 || !fits || !ends_well || !is_whole || !is_harmless(content) {
                return None;
            }
            if indent > 0 {
                text.push_str(self.between);
            }
            indent = blanks;
            text.push_str(content);
            end = at + line.len() + offset;
            lines.advance(line);
        }
        text.push_str(self.end);
        let value = Value::String(Cow::Owned(text));
        (indent > 0).then_some(Node { value, span: Span::new(start + indent, end) })
    }
}

/// Whether the text has no special characters besides those that [`scalar`] checks.
fn is_harmless(text: &str) -> bool {
    let is_harmless = |character: char| {
        matches!(character, ' '..='~')
            || character.is_alphanumeric()
            || matches!(character, '–' | '—' | '‘' | '’' | '“' | '”' | '…' | '→' | '•')
    };
    is_printable_ascii(text.as_bytes()) || text.chars().all(is_harmless)
}

struct SimpleLines<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> SimpleLines<'a> {
    /// The next line, with its place.
    fn peek(&self) -> Option<(usize, &'a str)> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        Some((self.at, &rest[..length]))
    }

    /// Whether the line that comes next ends in a line break.
    fn has_break_behind(&self, line: &str) -> bool {
        self.at + line.len() < self.text.len()
    }

    fn advance(&mut self, line: &str) {
        self.at += line.len() + 1;
    }
}
