//! `unknown-field`: front matter uses known fields.

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::judge::rule::Severity;
use crate::skills::text::frontmatter::EXTENSION_FIELDS;
use crate::skills::text::frontmatter::STANDARD_FIELDS;
use crate::skills::text::similar;
use crate::skills::text::yaml::MappingEntry;

pub(super) static RULE: Rule = Rule {
    id: "unknown-field",
    severity: Severity::Warning,
    summary: "front matter uses known fields",
    why: "A misspelt field does nothing, silently. Fields that some agent is known to use are \
        fine; any other is a note, and with `--strict` everything outside the specification is \
        an error.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Extract text from PDF files. Use when the user mentions PDFs.
licence: MIT
---

# PDF

Run `pdftotext` on the file.
",
    ),
    good: Example::SkillMd(
        "\
---
name: pdf
description: Extract text from PDF files. Use when the user mentions PDFs.
license: MIT
---

# PDF

Run `pdftotext` on the file.
",
    ),
    fixable: false,
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(fields) = subject.fields() else { return };
    let strict = subject.options.strict;
    let known = || STANDARD_FIELDS.iter().chain(&EXTENSION_FIELDS).copied();
    let is_extension = |key: &str| EXTENSION_FIELDS.contains(&key);
    let mut unknown: Vec<(&MappingEntry<'_>, Option<&str>)> = fields
        .mapping
        .entries
        .iter()
        .map(|entry| (entry, entry.key.scalar_text()))
        .filter(|(_, key)| !STANDARD_FIELDS.contains(key) && (strict || !is_extension(key)))
        .map(|(entry, key)| (entry, similar::nearest(key, known()).filter(|near| *near != key)))
        .collect();
    // Near misses first: they must not be lost behind a hundred others.
    unknown.sort_by_key(|(_, near)| near.is_none());
    for (entry, near) in unknown {
        let key = entry.key.scalar_text();
        let severity = match near {
            _ if strict => Severity::Error,
            Some(_) => Severity::Warning,
            None => Severity::Note,
        };
        let message = if is_extension(key) {
            format!("`{key}` is not a field of the specification")
        } else {
            format!("unknown field `{key}`")
        };
        let help = match near {
            Some(near) if !is_extension(key) => format!("did you mean `{near}`?"),
            _ => "own data belongs under `metadata`".to_owned(),
        };
        report.at(entry.key.span, message).help(help).severity(severity);
    }
}
