//! JSON that is safe to print. Characters that could control a terminal, or a CI service that reads
//! its log, are escaped, so that a JSON reader gets them back and a screen never does.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

use crate::skills::text::orders::orders;
use crate::skills::text::printable::unprintable;

/// Writes `value`, indented, with a final newline.
pub fn write(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let formatter = Indented(PrettyFormatter::new());
    value.serialize(&mut Serializer::with_formatter(&mut *out, formatter))?;
    writeln!(out)
}

/// Writes `value` on one line of its own, for logs.
pub fn line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, OnOneLine))?;
    writeln!(out)
}

/// Part of a string, without the characters that JSON itself escapes.
fn escaped<W: ?Sized + Write>(writer: &mut W, fragment: &str) -> io::Result<()> {
    let mut written = 0;
    // No line begins with a string, so only brackets can form a command.
    let orders = orders(fragment);
    let mut unprintable = unprintable(fragment).map(|(at, _)| at).peekable();
    let is_escaped = |(at, one): &(usize, char)| {
        unprintable.next_if_eq(at).is_some() || (*one == '[' && orders.binary_search(at).is_ok())
    };
    for (at, character) in fragment.char_indices().filter(is_escaped) {
        writer.write_all(&fragment.as_bytes()[written..at])?;
        let mut units = [0; 2];
        for unit in character.encode_utf16(&mut units) {
            write!(writer, "\\u{unit:04x}")?;
        }
        written = at + character.len_utf8();
    }
    writer.write_all(&fragment.as_bytes()[written..])
}

struct OnOneLine;

impl Formatter for OnOneLine {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        w: &mut W,
        text: &str,
    ) -> io::Result<()> {
        escaped(w, text)
    }
}

struct Indented<'a>(PrettyFormatter<'a>);

impl Formatter for Indented<'_> {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        w: &mut W,
        text: &str,
    ) -> io::Result<()> {
        escaped(w, text)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(w, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(w, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::text::unicode::is_unprintable;

    #[test]
    fn dangerous_characters_are_escaped_and_come_back() {
        let text = "a\u{fe00}\u{1b}\u{9b}\u{202e}\u{e0041}é\n##[error]\"##vso[x] [y]::z";
        let (mut indented, mut on_one_line) = (Vec::new(), Vec::new());
        write(&mut indented, &[text]).unwrap();
        line(&mut on_one_line, &[text]).unwrap();
        assert_eq!(on_one_line.iter().filter(|byte| **byte == b'\n').count(), 1);
        for json in [indented, on_one_line].map(|json| String::from_utf8(json).unwrap()) {
            assert!(!json.trim_end().replace('\n', "").chars().any(is_unprintable), "{json:?}");
            assert!(!json.contains('\u{fe00}'), "{json:?}");
            assert!(orders(&json).is_empty() && json.contains(" [y]"), "{json:?}");
            let back: Vec<String> = serde_json::from_str(&json).unwrap();
            assert_eq!(back, [text]);
        }
    }
}
