//! The parser of JSON.

use std::borrow::Cow;

use super::{JsonError, JsonMember, JsonNode, JsonValue};
use crate::skills::text::position::Span;

/// How deep arrays and objects may nest.
const DEPTH: usize = 64;

/// Reads a whole text.
pub(super) fn parse(text: &str) -> Result<JsonNode<'_>, JsonError> {
    let mut parser = JsonParser { text, at: 0 };
    parser.space();
    let node = parser.value(0)?;
    parser.space();
    match parser.at == text.len() {
        true => Ok(node),
        false => Err(parser.unexpected("the end of the file")),
    }
}

struct JsonParser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> JsonParser<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, JsonError> {
        let span = Span::of_char(self.text, self.at);
        Err(JsonError { message: message.into(), span })
    }

    /// What stands here instead of `wanted`.
    fn unexpected(&self, wanted: &str) -> JsonError {
        let found = match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            None => "the file ends".to_owned(),
            Some('\u{feff}') => "there is a byte order mark".to_owned(),
            Some(c) if c.is_control() => "there is a control character".to_owned(),
            Some(c) => format!("there is `{c}`"),
        };
        let message = format!("{found} where {wanted} should be");
        JsonError { message, span: Span::of_char(self.text, self.at) }
    }

    fn value(&mut self, depth: usize) -> Result<JsonNode<'a>, JsonError> {
        if depth > DEPTH {
            return self.error(format!("it is nested more than {DEPTH} levels deep"));
        }
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => JsonValue::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Ok(JsonNode { value, span: Span::new(start, self.at) })
    }

    fn word(&mut self) -> Result<JsonValue<'a>, JsonError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        for (word, value) in [
            ("null", JsonValue::Null),
            ("true", JsonValue::Bool(true)),
            ("false", JsonValue::Bool(false)),
        ] {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.unexpected("a value"))
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected("a digit")) } else { Ok(()) }
    }

    fn number(&mut self) -> Result<JsonValue<'a>, JsonError> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(JsonValue::Number(&self.text[start..self.at]))
    }

    fn array(&mut self, depth: usize) -> Result<JsonValue<'a>, JsonError> {
        self.at += 1;
        let mut elements = Vec::new();
        self.space();
        if self.take(b']') {
            return Ok(JsonValue::Array(elements));
        }
        loop {
            self.space();
            elements.push(self.value(depth + 1)?);
            self.space();
            if self.take(b']') {
                return Ok(JsonValue::Array(elements));
            }
            if !self.take(b',') {
                return Err(self.unexpected("`,` or `]`"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<JsonValue<'a>, JsonError> {
        self.at += 1;
        let mut members = Vec::new();
        self.space();
        if self.take(b'}') {
            return Ok(JsonValue::Object(members));
        }
        loop {
            self.space();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            let key = self.string()?;
            let key_span = Span::new(start, self.at);
            self.space();
            if !self.take(b':') {
                return Err(self.unexpected("`:`"));
            }
            self.space();
            let node = self.value(depth + 1)?;
            members.push(JsonMember { key, key_span, node });
            self.space();
            if self.take(b'}') {
                return Ok(JsonValue::Object(members));
            }
            if !self.take(b',') {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
    }

    fn string(&mut self) -> Result<Cow<'a, str>, JsonError> {
        self.at += 1;
        let start = self.at;
        let mut owned: Option<String> = None;
        loop {
            match self.peek() {
                Some(b'"') => {
                    let plain = &self.text[start..self.at];
                    self.at += 1;
                    return Ok(owned.map_or(Cow::Borrowed(plain), Cow::Owned));
                }
                Some(b'\\') => {
                    let text = owned.get_or_insert_with(|| self.text[start..self.at].to_owned());
                    let mut text = std::mem::take(text);
                    text.push(self.escape()?);
                    owned = Some(text);
                }
                Some(0x20..) => {
                    let c = self.text[self.at..].chars().next().unwrap_or_default();
                    self.at += c.len_utf8();
                    if let Some(text) = &mut owned {
                        text.push(c);
                    }
                }
                Some(_) => return self.error("a string contains a control character"),
                None => return self.error("the file ends inside a string"),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let start = self.at;
        self.at += 1;
        let plain = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                let first = self.hexadecimal(start)?;
                let is_high = (0xd800..0xdc00).contains(&first);
                if !is_high {
                    return char::from_u32(first).map_or_else(|| self.lone(start), Ok);
                }
                if !(self.take(b'\\') && self.take(b'u')) {
                    return self.lone(start);
                }
                let second = self.hexadecimal(start)?;
                if !(0xdc00..0xe000).contains(&second) {
                    return self.lone(start);
                }
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return char::from_u32(code).map_or_else(|| self.lone(start), Ok);
            }
            _ => {
                let span = Span::new(start, self.at);
                return Err(JsonError { message: "an escape is not valid".to_owned(), span });
            }
        };
        self.at += 1;
        Ok(plain)
    }

    fn lone<T>(&self, start: usize) -> Result<T, JsonError> {
        let message = "an escape is half of a character".to_owned();
        Err(JsonError { message, span: Span::new(start, self.at) })
    }

    fn hexadecimal(&mut self, start: usize) -> Result<u32, JsonError> {
        let digits = self.text.get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(code) => {
                self.at += 4;
                Ok(code)
            }
            None => {
                let message = "an escape needs four hexadecimal digits".to_owned();
                Err(JsonError { message, span: Span::new(start, self.at) })
            }
        }
    }
}
