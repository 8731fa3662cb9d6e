//! One `SKILL.md` as text: front matter, body, and where each part stands.

use std::ffi::OsStr;

use crate::skills::text::frontmatter::{self, BOM, Fields, FrontMatter};
use crate::skills::text::lenient;
use crate::skills::text::position::Span;
use crate::skills::text::yaml::{MappingEntry, Node};

/// The file that makes a directory a skill.
pub const SKILL_MD: &str = "SKILL.md";

/// Whether a directory entry stands for `SKILL.md`, in any letter case.
pub fn is_skill_md(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(SKILL_MD)
}

/// A `SKILL.md` that is valid UTF-8. Borrows the text it was read from.
#[derive(Debug, Clone, PartialEq)]
pub struct Document<'a> {
    /// The whole file.
    pub text: &'a str,
    pub front_matter: FrontMatter<'a>,
    /// Everything after it.
    pub body: Span,
}

impl<'a> Document<'a> {
    /// Reads `text`. Faults are part of the result.
    pub fn parse(text: &'a str) -> Self {
        let (front_matter, body) = frontmatter::split(text);
        Self { text, front_matter, body: Span::new(body, text.len()) }
    }

    /// Whether the file starts with a byte order mark.
    pub fn has_bom(&self) -> bool {
        self.text.starts_with(BOM)
    }

    /// The fields, when the front matter parsed.
    pub const fn fields(&self) -> Option<&Fields<'a>> {
        match &self.front_matter {
            FrontMatter::Fields(fields) => Some(fields),
            _ => None,
        }
    }

    /// One field with its key.
    pub fn entry(&self, key: &str) -> Option<&MappingEntry<'a>> {
        self.fields()?.mapping.entry(key)
    }

    /// The value of one field.
    pub fn field(&self, key: &str) -> Option<&Node<'a>> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The text of one field, when it is a string.
    pub fn string(&self, key: &str) -> Option<&str> {
        self.field(key)?.as_str()
    }

    /// The Markdown after the front matter.
    pub fn body_text(&self) -> &'a str {
        self.text.get(self.body.start..self.body.end).unwrap_or_default()
    }

    /// The bytes before the body: delimiters, fields and all.
    pub const fn head(&self) -> Span {
        Span::new(0, self.body.start)
    }

    /// The value that an agent finds for this field if it reads line by line, for invalid YAML.
    pub fn lenient_field(&self, key: &str) -> Option<&'a str> {
        match &self.front_matter {
            FrontMatter::Invalid { yaml, .. } => lenient::field(yaml.slice(self.text), key),
            _ => None,
        }
    }
}
