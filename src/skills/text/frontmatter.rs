//! Finds the front matter of a `SKILL.md` and reads its fields.

use memchr::memchr;

use crate::skills::text::limits::FRONT_MATTER_BYTES;
use crate::skills::text::position::Span;
use crate::skills::text::yaml::{self, Duplicate, Mapping, Shape, Value, YamlFault};

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
