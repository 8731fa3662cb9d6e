//! Reads JSON and keeps the place of every value, so that findings can point at it. Strict: what a
//! client's parser would refuse is refused here, with the place.

mod parser;

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
        parser::parse(text)
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
