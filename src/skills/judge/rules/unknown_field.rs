//! `unknown-field`: front matter uses known fields.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::document::{EXTENSION_FIELDS, PUBLISHED_FIELDS, STANDARD_FIELDS};
use crate::skills::text::suggest;
use crate::skills::text::yaml::MappingEntry;

pub static RULE: Rule = Rule {
    id: "unknown-field",
    severity: Severity::Warning,
    summary: "front matter uses known fields",
    why: "A misspelt field does nothing, silently. Fields that an agent is known to use are fine. \
        Any other field is a note: some tool may read it. With `--strict`, every field outside the \
        specification is an error.",
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
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(fields) = subject.fields() else { return };
    let strict = subject.options.strict;
    let is_extension = |key: &str| EXTENSION_FIELDS.contains(&key);
    let mut unknown: Vec<(&MappingEntry<'_>, Option<&str>)> = fields
        .mapping
        .entries
        .iter()
        .map(|entry| (entry, entry.key.scalar_text()))
        .filter(|(_, key)| !STANDARD_FIELDS.contains(key) && (strict || !is_extension(key)))
        .map(|(entry, key)| (entry, near_miss(key)))
        .collect();
    // Report near misses first, so that the limit does not drop them.
    unknown.sort_by_key(|(_, near)| near.is_none());
    for (entry, near) in unknown {
        let key = entry.key.scalar_text();
        let severity = match near {
            _ if strict => Severity::Error,
            Some(_) => Severity::Warning,
            None => Severity::Note,
        };
        let message = match near {
            Some(_) => format!("unknown field `{key}`"),
            None => format!("`{key}` is not a field of the specification"),
        };
        let draft = report.at(entry.key.span, message).severity(severity);
        if let Some(near) = near {
            draft.help(format!("did you mean `{near}`?"));
        } else if strict {
            // Without `--strict`, there is no advice: moving the field could break its reader.
            draft.help("the specification has room for other data under `metadata`, as strings");
        }
    }
}

/// The intended field, if a typo is the only explanation.
fn near_miss(key: &str) -> Option<&'static str> {
    let known = || STANDARD_FIELDS.iter().chain(&EXTENSION_FIELDS).copied();
    let is_used = EXTENSION_FIELDS.contains(&key) || PUBLISHED_FIELDS.contains(&key);
    let near = suggest::nearest(key, known()).filter(|_| !is_used)?;
    // Some tool reads `models` as a list, so it is not a typo of `model`.
    let is_plural = key.strip_suffix('s') == Some(near) || near.strip_suffix('s') == Some(key);
    (near != key && !is_plural).then_some(near)
}
