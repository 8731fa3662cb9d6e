//! Finds fields that a lost line break put inside the value above them:
//! `description: Extract text.license: MIT`.
//!
//! Quoting such a value would make it readable and lose the field.

use crate::skills::text::frontmatter::{EXTENSION_FIELDS, STANDARD_FIELDS};
use crate::skills::text::position::Span;

/// The first field name with a `: ` inside `value`, unless the front matter has that field
/// already: then the name is only a word in the text.
pub fn find(text: &str, front_matter: Span, value: Span) -> Option<Span> {
    let raw = value.slice(text);
    let yaml = front_matter.slice(text);
    raw.match_indices(':').find_map(|(colon, _)| {
        let rest = &raw[colon + 1..];
        if !(rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n'])) {
            return None;
        }
        let field = field_before(&raw[..colon])?;
        let end = value.start + colon;
        (!has_field(yaml, field)).then(|| Span::new(end - field.len(), end))
    })
}

/// The field name that `text` ends with.
fn field_before(text: &str) -> Option<&'static str> {
    let is_word = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    let word = &text[text.trim_end_matches(is_word).len()..];
    let is_whole = |field: &&&str| **field == word;
    let known = STANDARD_FIELDS.iter().chain(&EXTENSION_FIELDS).find(is_whole);
    // `MITmetadata:` has lost its line break too; `filename:` and `image-metadata:` have not.
    let is_glued = |field: &&&str| {
        let before = word.strip_suffix(**field);
        **field != "name" && before.is_some_and(|before| !before.ends_with(['-', '_']))
    };
    known.or_else(|| STANDARD_FIELDS.iter().find(is_glued)).copied()
}

/// Whether a line of the front matter starts with this field.
fn has_field(yaml: &str, field: &str) -> bool {
    let rest = |line: &str| line.strip_prefix(field).map(|rest| rest.starts_with(':'));
    yaml.lines().any(|line| rest(line) == Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(yaml: &str) -> Option<&str> {
        let start = yaml.find(": ").unwrap() + 2;
        let end = yaml.find("\nmodel").unwrap_or(yaml.len());
        find(yaml, Span::new(0, yaml.len()), Span::new(start, end)).map(|span| span.slice(yaml))
    }

    #[test]
    fn finds_a_field_that_lost_its_line_break() {
        for (yaml, field) in [
            ("description: 需要时使用。license: Apache-2.0\n", "license"),
            ("description: Extract text. license: MIT\n", "license"),
            ("description: Extract text.allowed-tools: Read\n", "allowed-tools"),
            ("name: pdf description: Extract text\n", "description"),
            ("name: pdfdescription: Extract text\n", "description"),
            ("license: MITmetadata:\n", "metadata"),
            ("description: \"Extract\" version: 1.0\n", "version"),
            ("description: Use when: asked.\n  license: MIT\n", "license"),
        ] {
            assert_eq!(found(yaml), Some(field), "{yaml:?}");
        }
    }

    #[test]
    fn leaves_words_in_a_text_alone() {
        for yaml in [
            "description: Use when: asked\n",
            "description: Checks the filename: it must exist\n",
            "description: Reads image-metadata: all of it\n",
            "description: License: MIT\n",
            "description: see license:MIT\n",
            "description: Pick a model: the best\nmodel: opus\n",
            "description: A description: short\n",
        ] {
            assert_eq!(found(yaml), None, "{yaml:?}");
        }
    }
}
