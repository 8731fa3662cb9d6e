//! One `SKILL.md` as text: front matter, body, where each part stands, and the limits of the
//! specification.

use std::ffi::OsStr;

use memchr::memchr;

use crate::skills::text::dialect;
use crate::skills::text::position::Span;
use crate::skills::text::yaml::{
    self, Duplicate, Mapping, MappingEntry, Node, Shape, Value, YamlFault,
};

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
        let (front_matter, body) = split(text);
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
            FrontMatter::Invalid { yaml, .. } => dialect::field(yaml.slice(self.text), key),
            _ => None,
        }
    }
}

// Finds the front matter of a `SKILL.md` and reads its fields.

/// The fields of the specification.
pub const STANDARD_FIELDS: [&str; 6] =
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// Front matter keys beyond the specification that some agent is known to use.
pub static EXTENSION_FIELDS: [&str; 18] = [
    // Claude
    "when_to_use",
    "disallowed-tools",
    "argument-hint",
    "arguments",
    "disable-model-invocation",
    "user-invocable",
    "model",
    "effort",
    "context",
    "agent",
    "hooks",
    "paths",
    "shell",
    "version",
    // oh-my-pi
    "globs",
    "alwaysApply",
    "enabled",
    "hide",
];

/// Keys that published tools use and that resemble one of the others.
pub static PUBLISHED_FIELDS: [&str; 3] = ["models", "agents", "user-invokable"];

/// What the search for typos needs to know about front matter.
pub const SHAPE: Shape = Shape {
    is_field: |key| STANDARD_FIELDS.contains(&key) || EXTENSION_FIELDS.contains(&key),
    has_body: true,
};

/// The byte order mark that some editors put before a file.
pub const BOM: &str = "\u{feff}";

/// The front matter of a file, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum FrontMatter<'a> {
    /// The first line is not `---`; `late` is a `---` that blank lines or comments precede.
    Missing {
        /// The delimiter that came too late.
        late: Option<Span>,
    },
    /// No second `---`.
    Unclosed {
        /// The delimiter that opens it.
        open: Span,
    },
    /// Too long to parse.
    TooLarge {
        /// All of it.
        yaml: Span,
    },
    /// Not YAML, or YAML that is refused.
    Invalid {
        /// All of it.
        yaml: Span,
        /// The fault that stopped the reader.
        fault: YamlFault,
    },
    /// YAML, but not a mapping.
    NotMapping {
        /// The value found instead.
        value: Span,
        /// Its type, for messages.
        found: &'static str,
    },
    /// Keys and values.
    Fields(Fields<'a>),
}

/// The mapping of a front matter that parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct Fields<'a> {
    /// The delimiter that opens it.
    pub open: Span,
    /// The text between the delimiters.
    pub yaml: Span,
    /// Its entries.
    pub mapping: Mapping<'a>,
    /// Keys that appear twice.
    pub duplicates: Vec<Duplicate>,
}

/// Splits `text` into front matter and body; the second value is where the body starts.
pub fn split(text: &str) -> (FrontMatter<'_>, usize) {
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let mut lines = LineSpans { text, at: start };
    let open = match lines.next() {
        Some(line) if is_delimiter(line.slice(text)) => Span::new(line.start, line.start + 3),
        _ => {
            return (FrontMatter::Missing { late: late_delimiter(text, start) }, start);
        }
    };
    let yaml_start = lines.at;
    while let Some(line) = lines.next() {
        if is_delimiter(line.slice(text)) {
            let yaml = Span::new(yaml_start, line.start);
            return (fields(text, open, yaml), lines.at);
        }
    }
    (FrontMatter::Unclosed { open }, text.len())
}

fn fields(text: &str, open: Span, yaml: Span) -> FrontMatter<'_> {
    if yaml.end - yaml.start > FRONT_MATTER_BYTES {
        return FrontMatter::TooLarge { yaml };
    }
    match yaml::read(yaml.slice(text), yaml.start) {
        Err(fault) => {
            let fault = yaml::find_typo(yaml.slice(text), yaml.start, fault, &SHAPE);
            FrontMatter::Invalid { yaml, fault }
        }
        Ok(document) => match document.root.value {
            Value::Mapping(mapping) => {
                FrontMatter::Fields(Fields { open, yaml, mapping, duplicates: document.duplicates })
            }
            Value::Null => FrontMatter::Fields(Fields {
                open,
                yaml,
                mapping: Mapping::default(),
                duplicates: Vec::new(),
            }),
            other => match yaml::typo_in_text(yaml.slice(text), yaml.start, &SHAPE) {
                Some(fault) if matches!(other, Value::String(_)) => {
                    FrontMatter::Invalid { yaml, fault }
                }
                _ => {
                    FrontMatter::NotMapping { value: document.root.span, found: other.type_name() }
                }
            },
        },
    }
}

fn is_delimiter(line: &str) -> bool {
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r');
    line.strip_prefix("---").is_some_and(|rest| rest.bytes().all(is_blank))
}

/// A `---` after nothing but blank lines and comments: the author meant it as front matter.
fn late_delimiter(text: &str, start: usize) -> Option<Span> {
    let mut lines = LineSpans { text, at: start };
    while let Some(line) = lines.next() {
        let content = line.slice(text).trim_start_matches([' ', '\t']);
        if is_delimiter(content) {
            let start = line.end - content.len();
            return Some(Span::new(start, start + 3));
        }
        let content = content.trim();
        if !(content.is_empty() || content.starts_with('#') || content.starts_with("<!--")) {
            return None;
        }
    }
    None
}

/// Walks over lines as spans without their newline.
struct LineSpans<'a> {
    text: &'a str,
    at: usize,
}

impl LineSpans<'_> {
    fn next(&mut self) -> Option<Span> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let line = Span::new(self.at, self.at + length);
        self.at = (line.end + 1).min(self.text.len());
        Some(line)
    }
}

// Limits of the format and of one skill. Limits of a single part of this program are defined in
// that part.

/// The largest `SKILL.md` that is read.
pub const SKILL_MD_BYTES: u64 = 1024 * 1024;

/// The largest front matter that is parsed.
pub const FRONT_MATTER_BYTES: usize = 64 * 1024;

/// How deep YAML collections may nest.
pub const YAML_DEPTH: usize = 16;

/// How many parser events one YAML document may produce.
pub const YAML_EVENTS: usize = 20_000;

/// Characters in a skill's name.
pub const NAME_CHARS: usize = 64;

/// Characters in a description.
pub const DESCRIPTION_CHARS: usize = 1024;

/// Characters in `compatibility`.
pub const COMPATIBILITY_CHARS: usize = 500;

/// Lines after which a body is better split into references.
pub const BODY_LINES: usize = 500;

/// Estimated tokens after which a body is better split into references.
pub const BODY_TOKENS: usize = 5_000;

/// Bytes of all files of one skill.
pub const SKILL_BYTES: u64 = 10 * 1024 * 1024;

/// Bytes of all skills that are installed at once.
pub const TOTAL_BYTES: u64 = 50 * 1024 * 1024;

/// Files and directories in one skill.
pub const SKILL_ENTRIES: usize = 5_000;

/// Directory levels below a skill.
pub const SKILL_DEPTH: usize = 32;

/// Bytes of a path relative to its skill.
pub const RELATIVE_PATH_BYTES: usize = 1_024;

/// Files of one skill that every host of the Model Context Protocol accepts.
pub const MCP_FILES: usize = 512;

/// Bytes of one skill that every host of the Model Context Protocol accepts.
pub const MCP_BYTES: u64 = 16 * 1024 * 1024;

/// A rough count of model tokens: four characters each, rounded up.
pub const fn tokens(characters: usize) -> usize {
    characters.div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<String> {
        match split(text).0 {
            FrontMatter::Fields(fields) => fields
                .mapping
                .entries
                .iter()
                .map(|entry| entry.key.scalar_text().to_owned())
                .collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn reads_lf_crlf_bom_and_a_closer_at_the_end_of_the_file() {
        assert_eq!(keys("---\na: 1\n---\nbody"), ["a"]);
        assert_eq!(keys("---\r\na: 1\r\nb: 2\r\n---\r\nbody"), ["a", "b"]);
        assert_eq!(keys("\u{feff}---\na: 1\n---\n"), ["a"]);
        assert_eq!(keys("---\na: 1\n---"), ["a"]);
        assert_eq!(keys("---\n---\n"), [""; 0]);
        assert_eq!(keys("--- \na: |\n  x\n  ---\n---\t\nbody"), ["a"]);
    }

    #[test]
    fn the_body_starts_after_the_closing_line() {
        let text = "---\na: 1\n---\nbody";
        assert_eq!(&text[split(text).1..], "body");
        assert_eq!(split("---\na: 1\n---").1, 12);
    }

    #[test]
    fn tells_missing_late_and_unclosed_apart() {
        assert_eq!(split("").0, FrontMatter::Missing { late: None });
        assert_eq!(
            split("# Title\n---\n").0,
            FrontMatter::Missing { late: Some(Span::new(8, 11)) }
        );
        assert_eq!(split("text\n---\n").0, FrontMatter::Missing { late: None });
        assert_eq!(split("----\n").0, FrontMatter::Missing { late: None });
        assert_eq!(
            split("\n---\na: 1\n---\n").0,
            FrontMatter::Missing { late: Some(Span::new(1, 4)) }
        );
        let indented = FrontMatter::Missing { late: Some(Span::new(3, 6)) };
        assert_eq!(split("\n  ---\n").0, indented);
        assert_eq!(split("\u{85}\u{2028}---\n").0, FrontMatter::Missing { late: None });
        assert_eq!(split("---\na: 1\n").0, FrontMatter::Unclosed { open: Span::new(0, 3) });
    }

    #[test]
    fn spans_are_those_of_the_file() {
        let text = "\u{feff}---\nname: pdf\n---\n";
        let FrontMatter::Fields(fields) = split(text).0 else { panic!() };
        assert_eq!(fields.mapping.get("name").unwrap().span.slice(text), "pdf");
    }
}
