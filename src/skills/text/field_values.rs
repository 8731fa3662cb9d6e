//! The fields of front matter as values that outlive the file they were read from.

use crate::skills::text::document::Document;
use crate::skills::text::tools;
use crate::skills::text::yaml::{Mapping, Node, Value};

/// All fields of a front matter, in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FieldValues {
    /// Keys and values; the first of a repeated key.
    pub entries: Vec<(String, FieldValue)>,
    /// The tools in `allowed-tools`, from a string or a list.
    pub tools: Vec<String>,
}

/// The value of a field, as the file has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FieldValue {
    /// Nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it is written.
    Number(String),
    Text(String),
    List(Vec<FieldValue>),
    /// Keys and values.
    Mapping(Vec<(String, FieldValue)>),
}

impl FieldValues {
    /// The fields of a document; none when its front matter does not parse.
    pub fn of(document: &Document<'_>) -> Option<Self> {
        let mapping = &document.fields()?.mapping;
        let tools = mapping.get("allowed-tools").map(tools::parse).unwrap_or_default();
        Some(Self { entries: entries(mapping), tools })
    }

    /// The value of a field.
    pub fn get(&self, key: &str) -> Option<&FieldValue> {
        find(&self.entries, key)
    }

    /// The text of a field that is not a collection.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    /// The version: in `metadata`, where the specification has it, else in a field of its own.
    pub fn version(&self) -> Option<&str> {
        let in_metadata = match self.get("metadata") {
            Some(FieldValue::Mapping(entries)) => {
                find(entries, "version").and_then(FieldValue::text)
            }
            _ => None,
        };
        in_metadata.or_else(|| self.text("version"))
    }
}

/// The version that a front matter names.
pub fn version(document: &Document<'_>) -> Option<String> {
    FieldValues::of(document)?.version().map(str::to_owned)
}

impl FieldValue {
    /// The text of a value that is not a collection, unless it is empty.
    pub fn text(&self) -> Option<&str> {
        let text = match self {
            Self::Text(text) | Self::Number(text) => text,
            Self::Bool(true) => "true",
            Self::Bool(false) => "false",
            Self::Null | Self::List(_) | Self::Mapping(_) => return None,
        };
        Some(text).filter(|text| !text.trim().is_empty())
    }

    /// The value of a node.
    pub fn of(node: &Node<'_>) -> Self {
        match &node.value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(text) => Self::Number(text.clone().into_owned()),
            Value::String(text) => Self::Text(text.clone().into_owned()),
            Value::Sequence(items) => Self::List(items.iter().map(Self::of).collect()),
            Value::Mapping(mapping) => Self::Mapping(entries(mapping)),
        }
    }
}

fn entries(mapping: &Mapping<'_>) -> Vec<(String, FieldValue)> {
    let mut entries: Vec<(String, FieldValue)> = Vec::with_capacity(mapping.entries.len());
    let mut seen = std::collections::HashSet::new();
    for entry in &mapping.entries {
        let key = entry.key.scalar_text();
        if seen.insert(key) {
            entries.push((key.to_owned(), FieldValue::of(&entry.value)));
        }
    }
    entries
}

fn find<'a>(entries: &'a [(String, FieldValue)], key: &str) -> Option<&'a FieldValue> {
    entries.iter().find(|(known, _)| known == key).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(yaml: &str) -> FieldValues {
        let text = format!("---\n{yaml}---\n");
        FieldValues::of(&Document::parse(&text)).unwrap()
    }

    #[test]
    fn every_field_is_kept_as_it_is() {
        let fields = fields(
            "name: pdf\nglobs: ['*.pdf', \"a\"]\nalwaysApply: false\nversion: 1.10\n\
             allowed-tools: Read, Bash(git add:*)\nx: {y: [1, null]}\n",
        );
        let keys: Vec<&str> = fields.entries.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["name", "globs", "alwaysApply", "version", "allowed-tools", "x"]);
        assert_eq!(fields.tools, ["Read", "Bash(git add:*)"]);
        assert_eq!(fields.version(), Some("1.10"));
        let inner = FieldValue::List(vec![FieldValue::Number("1".to_owned()), FieldValue::Null]);
        let expected = FieldValue::Mapping(vec![("y".to_owned(), inner)]);
        assert_eq!(fields.get("x"), Some(&expected));
    }

    #[test]
    fn the_version_in_metadata_comes_first() {
        assert_eq!(fields("version: 1\nmetadata: {version: '2'}\n").version(), Some("2"));
        assert_eq!(fields("version: 1\nmetadata: x\n").version(), Some("1"));
        assert_eq!(fields("version: ' '\n").version(), None);
        assert_eq!(FieldValues::of(&Document::parse("no front matter")), None);
    }
}
