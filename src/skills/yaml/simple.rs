//! Reads the front matter that most skills have, lines of `key: value`, without a YAML parser.
//!
//! Whatever is not as plain as that is left to the real reader: this one never guesses. A
//! property test holds both against each other.

use std::borrow::Cow;

use super::schema::{collect_duplicates, plain_value};
use super::{Duplicate, Entry, Mapping, Node, Value, Yaml};
use crate::skills::position::Span;

/// More entries than this are not what this reader is for.
const MOST_ENTRIES: usize = 500;

/// Reads `text`, or leaves it to the real reader.
pub(super) fn read(text: &str, offset: usize) -> Option<Yaml<'_>> {
    let mut lines = Lines { text, at: 0 };
    let mut duplicates = Vec::new();
    let root = mapping(&mut lines, 0, offset, &mut duplicates)?;
    lines.peek().is_none().then_some(Yaml { root, duplicates })
}

/// The lines at one level of indentation.
fn mapping<'a>(
    lines: &mut Lines<'a>,
    indent: usize,
    offset: usize,
    duplicates: &mut Vec<Duplicate>,
) -> Option<Node<'a>> {
    let mut mapping = Mapping::default();
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
            Some(text) => scalar(text, at + key.len() + 2)?,
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
        mapping.entries.push(Entry { key: node, value });
    }
    let (first, last) = (mapping.entries.first()?, mapping.entries.last()?);
    let span = Span::new(first.key.span.start, last.value.span.end);
    collect_duplicates(&mapping, duplicates);
    Some(Node { value: Value::Mapping(mapping), span })
}

/// Bytes of a key that cannot be anything else.
fn key_length(line: &str) -> Option<usize> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let length = line.bytes().take_while(is_word).count();
    line.starts_with(|first: char| first.is_ascii_alphabetic()).then_some(length)
}

fn scalar(text: &str, at: usize) -> Option<Node<'_>> {
    let span = Span::new(at, at + text.len());
    if let Some(quoted) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        let plain = quoted.chars().all(|character| is_harmless(character) && character != '\\');
        let value = Value::String(Cow::Borrowed(quoted));
        return (plain && !quoted.contains('"')).then_some(Node { value, span });
    }
    let starts_well =
        |first: char| first.is_alphanumeric() || matches!(first, '(' | '/' | '$' | '.' | '_');
    let mut before = ' ';
    for character in text.chars() {
        let ambiguous = match before {
            ' ' => character == '#',
            ':' => character == ' ',
            _ => false,
        };
        if ambiguous || !is_harmless(character) {
            return None;
        }
        before = character;
    }
    let plain = text.starts_with(starts_well) && !matches!(before, ' ' | ':');
    plain.then(|| Node { value: plain_value(Cow::Borrowed(text)), span })
}

/// Characters that mean nothing to YAML beyond what [`scalar`] looks at.
fn is_harmless(character: char) -> bool {
    matches!(character, ' '..='~')
        || character.is_alphanumeric()
        || matches!(character, '–' | '—' | '‘' | '’' | '“' | '”' | '…' | '→' | '•')
}

struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lines<'a> {
    /// The next line, with its place.
    fn peek(&self) -> Option<(usize, &'a str)> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        Some((self.at, rest.split('\n').next().unwrap_or(rest)))
    }

    fn advance(&mut self, line: &str) {
        self.at += line.len() + 1;
    }
}
