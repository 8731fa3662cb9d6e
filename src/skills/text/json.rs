//! Reads JSON and keeps the place of every value, so that findings can point at it. Strict: what a
//! client's parser would refuse is refused here, with the place.

use std::borrow::Cow;

use crate::skills::text::position::Span;

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonNode<'a> {
    pub value: JsonValue<'a>,
    /// Its place in the text.
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum JsonValue<'a> {
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it is written.
    Number(&'a str),
    /// A string without its escapes.
    String(Cow<'a, str>),
    /// The elements.
    Array(Vec<JsonNode<'a>>),
    /// The members, in order.
    Object(Vec<JsonMember<'a>>),
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonMember<'a> {
    pub key: Cow<'a, str>,
    /// The place of the key.
    pub key_span: Span,
    /// Its value.
    pub node: JsonNode<'a>,
}

/// Why a text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    /// The problem, in a few words.
    pub message: String,
    /// Its place.
    pub span: Span,
}

impl<'a> JsonNode<'a> {
    /// Reads a whole text.
    pub fn parse(text: &'a str) -> Result<Self, JsonError> {
        parse(text)
    }

    /// The members of an object.
    pub fn members(&self) -> Option<&[JsonMember<'a>]> {
        match &self.value {
            JsonValue::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The value of a key. Of several, the last one counts, as for most parsers.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let members = self.members()?;
        members.iter().rev().find(|member| member.key == key).map(|member| &member.node)
    }

    /// The elements of an array.
    pub fn elements(&self) -> Option<&[Self]> {
        match &self.value {
            JsonValue::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            JsonValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// What kind of value it is, with its article.
    pub const fn kind(&self) -> &'static str {
        match self.value {
            JsonValue::Null => "null",
            JsonValue::Bool(_) => "a boolean",
            JsonValue::Number(_) => "a number",
            JsonValue::String(_) => "a string",
            JsonValue::Array(_) => "an array",
            JsonValue::Object(_) => "an object",
        }
    }
}

// The parser of JSON.

/// How deep arrays and objects may nest.
const DEPTH: usize = 64;

/// Reads a whole text.
pub fn parse(text: &str) -> Result<JsonNode<'_>, JsonError> {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain(node: &JsonNode<'_>) -> serde_json::Value {
        match &node.value {
            JsonValue::Null => serde_json::Value::Null,
            JsonValue::Bool(value) => (*value).into(),
            JsonValue::Number(text) => serde_json::from_str(text).unwrap(),
            JsonValue::String(text) => text.as_ref().into(),
            JsonValue::Array(elements) => elements.iter().map(plain).collect(),
            JsonValue::Object(members) => {
                let pair = |one: &JsonMember<'_>| (one.key.to_string(), plain(&one.node));
                serde_json::Value::Object(members.iter().map(pair).collect())
            }
        }
    }

    #[test]
    fn values_have_places() {
        let text = "{\n  \"a\": [1, \"\\u00e9\\ud83d\\ude00\\/\"]\n}";
        let node = JsonNode::parse(text).unwrap();
        let list = node.get("a").unwrap().elements().unwrap();
        assert_eq!(list[0].span.slice(text), "1");
        assert_eq!(list[1].as_str(), Some("é😀/"));
    }

    #[test]
    fn problems_have_places() {
        let at = |text: &str| {
            let error = JsonNode::parse(text).unwrap_err();
            (error.span.start, error.message)
        };
        let says = |text: &str, start: usize, words: &str| {
            let (found, message) = at(text);
            assert_eq!(found, start, "{text}: {message}");
            assert!(message.contains(words), "{text}: {message}");
        };
        says("", 0, "the file ends");
        says("{\"a\": 1,}", 8, "a key in double quotes");
        says("[1 2]", 3, "`,` or `]`");
        says("{} x", 3, "the end of the file");
        says("\u{feff}{}", 0, "byte order mark");
        says("\"a\u{7}\"", 2, "control character");
        says("\"\\ud800\"", 1, "half of a character");
        says("\"\\q\"", 1, "not valid");
        says("01", 1, "the end of the file");
        assert!(at(&"[".repeat(100_000)).1.contains("levels deep"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_read_as_serde_json_reads_it(text in "[\\[\\]{}\",:0-9.eE+\\\\u ntrf\\-a-dé\n]{0,40}") {
            let reference = serde_json::from_str::<serde_json::Value>(&text).ok();
            match JsonNode::parse(&text) {
                // serde_json refuses numbers beyond its range.
                Ok(node) => prop_assert!(reference.is_none_or(|value| value == plain(&node))),
                Err(_) => prop_assert!(reference.is_none(), "{}", text),
            }
        }

        #[test]
        fn any_value_is_read(text in "\\PC*") {
            let written = serde_json::json!({ "key": [text.clone(), 1.5, null, true] }).to_string();
            let node = JsonNode::parse(&written).unwrap();
            let read = plain(&node);
            prop_assert_eq!(read["key"][0].as_str(), Some(text.as_str()));
            let _ = JsonNode::parse(&text);
        }
    }
}
