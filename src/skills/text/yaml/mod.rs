//! Reads YAML into a small tree in which every key and value has its place.
//!
//! It accepts the part of YAML that every agent reads the same way: one document, mappings with
//! scalar keys, sequences and scalars. It refuses anchors, aliases, tags, merge keys and
//! directives, and limits depth and length. It collects all duplicate keys instead of stopping at
//! the first.

mod anchors;
mod dialect;
mod reader;
mod schema;
mod simple;
mod typo;

use std::borrow::Cow;

use crate::skills::text::position::Edit;
use crate::skills::text::position::Span;

/// Reads `text` as one YAML document; spans are moved by `offset`, its place in the file.
pub fn read(text: &str, offset: usize) -> Result<Yaml<'_>, YamlFault> {
    simple::read(text, offset).map_or_else(|| reader::read(text, offset), Ok)
}

pub use dialect::read_as;
pub use typo::{Shape, find_typo, typo_in_text};

/// How an agent's YAML reader differs from the plain language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lenience {
    /// Unknown tags, such as `!foo`, are ignored; else they are faults.
    pub unknown_tags: bool,
    /// `<<` merges another mapping.
    pub merge_keys: bool,
    /// Where control characters are text.
    pub controls: Controls,
    /// An unquoted value may start with a comma.
    pub leading_comma: bool,
    /// U+0085, U+2028 and U+2029 end a line.
    pub old_breaks: bool,
    /// An empty item before a comma in brackets is allowed.
    pub empty_items: bool,
    /// A comment may follow a quote or a bracket without a blank.
    pub attached_comments: bool,
    /// Lines of a quoted value need no indentation.
    pub shallow_quotes: bool,
    /// Tabs at the start of a line are ignored.
    pub ignored_tabs: bool,
    /// A colon after a bracket starts a value with an empty key.
    pub key_behind_brackets: bool,
    /// Two equal collections are different keys.
    pub collections_differ: bool,
    /// An entry may follow a quote or a bracket in the same line.
    pub entries_in_a_line: bool,
    /// Anchors are made of ASCII letters, digits, `_` and `-`; else they are faults.
    pub plain_anchors: bool,
    /// Lines in brackets must be indented more than the key before them.
    pub deep_brackets: bool,
}

impl Lenience {
    /// Nothing.
    pub const STRICT: Self = Self {
        unknown_tags: false,
        merge_keys: false,
        controls: Controls::Refused,
        leading_comma: false,
        old_breaks: false,
        empty_items: false,
        attached_comments: false,
        shallow_quotes: false,
        ignored_tabs: false,
        key_behind_brackets: false,
        collections_differ: false,
        entries_in_a_line: false,
        plain_anchors: false,
        deep_brackets: false,
    };
}

/// Where an agent's YAML reader accepts control characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Controls {
    /// Nowhere.
    #[default]
    Refused,
    /// Between quotes, and in comments.
    InQuotes,
    /// Everywhere.
    Anywhere,
}

/// One value with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node<'a> {
    pub value: Value<'a>,
    /// Its place.
    pub span: Span,
}

/// A YAML value after the core schema has been applied to plain scalars.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// Nothing, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer or a float, as written.
    Number(Cow<'a, str>),
    /// Any other scalar.
    String(Cow<'a, str>),
    /// A list.
    Sequence(Vec<Node<'a>>),
    /// Keys and values.
    Mapping(Mapping<'a>),
}

/// Entries in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mapping<'a> {
    /// Every entry, repeated keys included.
    pub entries: Vec<MappingEntry<'a>>,
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct MappingEntry<'a> {
    /// The key; a collection only if an agent's reader allows it.
    pub key: Node<'a>,
    pub value: Node<'a>,
}

/// A key that appears a second time in its mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    pub key: String,
    /// The place of the first one.
    pub first: Span,
    /// The place of the second one.
    pub again: Span,
}

/// A document that was read to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Yaml<'a> {
    /// The root; `Null` for an empty document.
    pub root: Node<'a>,
    /// Keys that appear more than once, at any level.
    pub duplicates: Vec<Duplicate>,
}

/// Why reading stopped, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlFault {
    /// The kind of fault.
    pub kind: YamlFaultKind,
    /// The offending character or token.
    pub span: Span,
    /// One sentence without a full stop.
    pub message: String,
    /// How to correct it, if known.
    pub help: Option<String>,
    /// The correction, if the author's intention is certain.
    pub edit: Option<Edit>,
}

impl YamlFault {
    /// Sets the help.
    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YamlFaultKind {
    /// `: ` or a final `:` inside an unquoted value.
    UnquotedColon,
    /// An unquoted value that starts with a reserved character.
    ReservedCharacter,
    /// Text after a quoted value or a closing bracket.
    TrailingText,
    UnclosedQuote,
    /// A tab used as indentation.
    Tab,
    /// An anchor, alias, tag, merge key or directive.
    Forbidden,
    /// Nested too deeply or too long.
    Budget,
    /// Anything else a YAML parser rejects.
    Syntax,
}

impl YamlFaultKind {
    /// General advice for this kind of fault.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::UnquotedColon | Self::TrailingText => "put the whole value in quotes",
            Self::ReservedCharacter => "put the value in quotes",
            Self::UnclosedQuote => "close it, and indent the lines in between",
            Self::Tab => "replace the tab by spaces",
            Self::Forbidden | Self::Budget | Self::Syntax => {
                "write plain `key: value` lines, and quote the value if it is text"
            }
        }
    }
}

impl Value<'_> {
    /// The number of values in it, including itself.
    fn count(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) => 1,
            Self::Sequence(items) => 1 + items.iter().map(|item| item.value.count()).sum::<usize>(),
            Self::Mapping(mapping) => {
                1 + mapping.entries.iter().map(|entry| 1 + entry.value.value.count()).sum::<usize>()
            }
        }
    }

    /// The word for this type in messages.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Sequence(_) => "a list",
            Self::Mapping(_) => "a mapping",
        }
    }
}

impl<'a> Node<'a> {
    fn each_rewritten_string(&self, visit: &mut impl FnMut(&Self, &str)) {
        match &self.value {
            Value::String(Cow::Owned(text)) => visit(self, text),
            Value::Sequence(items) => {
                items.iter().for_each(|item| item.each_rewritten_string(visit));
            }
            Value::Mapping(mapping) => mapping.each_rewritten_string(visit),
            Value::String(Cow::Borrowed(_)) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether this and `other` are equal, regardless of their places.
    pub fn means(&self, other: &Node<'_>) -> bool {
        match (&self.value, &other.value) {
            (Value::Sequence(one), Value::Sequence(two)) => {
                one.len() == two.len() && one.iter().zip(two).all(|(a, b)| a.means(b))
            }
            (Value::Mapping(one), Value::Mapping(two)) => {
                let pairs = || one.entries.iter().zip(&two.entries);
                one.entries.len() == two.entries.len()
                    && pairs().all(|(a, b)| a.key.means(&b.key) && a.value.means(&b.value))
            }
            (one, two) => one == two,
        }
    }

    /// Whether this is a list or a mapping.
    pub const fn is_collection(&self) -> bool {
        matches!(self.value, Value::Sequence(_) | Value::Mapping(_))
    }

    /// The entries, if this is a mapping.
    pub const fn as_mapping(&self) -> Option<&Mapping<'a>> {
        match &self.value {
            Value::Mapping(mapping) => Some(mapping),
            _ => None,
        }
    }

    /// The text of any scalar as written, without its type; empty for collections.
    pub fn scalar_text(&self) -> &str {
        match &self.value {
            Value::String(text) | Value::Number(text) => text,
            Value::Bool(true) => "true",
            Value::Bool(false) => "false",
            Value::Null | Value::Sequence(_) | Value::Mapping(_) => "",
        }
    }
}

impl<'a> Mapping<'a> {
    /// Calls `visit` with every key and value, at any depth, whose text differs from the file: it was
    /// folded or has escapes.
    pub fn each_rewritten_string(&self, visit: &mut impl FnMut(&Node<'a>, &str)) {
        for entry in &self.entries {
            entry.key.each_rewritten_string(visit);
            entry.value.each_rewritten_string(visit);
        }
    }

    /// The first entry with this key.
    pub fn entry(&self, key: &str) -> Option<&MappingEntry<'a>> {
        self.entries.iter().find(|entry| entry.key.as_str() == Some(key))
    }

    /// The value of the last entry with this key, which readers that allow duplicates use.
    pub fn last(&self, key: &str) -> Option<&Node<'a>> {
        let same = |entry: &&MappingEntry<'_>| entry.key.as_str() == Some(key);
        self.entries.iter().rev().find(same).map(|entry| &entry.value)
    }

    /// The value of the first entry with this key.
    pub fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.entry(key).map(|entry| &entry.value)
    }
}

#[cfg(test)]
mod tests;
