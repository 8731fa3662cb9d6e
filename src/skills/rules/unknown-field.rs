//! `unknown-field`: front matter uses known fields.

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::agents::EXTENSION_FIELDS;
use crate::skills::finding::Severity;
use crate::skills::frontmatter::STANDARD_FIELDS;
use crate::skills::similar;

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
    let Some(document) = subject.document else {
        return;
    };
    let Some(fields) = document.fields() else {
        return;
    };
    for entry in &fields.mapping.entries {
        let key = entry.key.scalar_text();
        let extension = EXTENSION_FIELDS.contains(&key);
        if STANDARD_FIELDS.contains(&key) || (extension && !subject.options.strict) {
            continue;
        }
        let known = STANDARD_FIELDS.iter().chain(&EXTENSION_FIELDS).copied();
        let near = if extension { None } else { similar::nearest(key, known) };
        let severity = match near {
            _ if subject.options.strict => Severity::Error,
            Some(_) => Severity::Warning,
            None => Severity::Note,
        };
        let message = if extension {
            format!("`{key}` is not a field of the specification")
        } else {
            format!("unknown field `{key}`")
        };
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "own data belongs under `metadata`".to_owned(),
        };
        report.at(entry.key.span, message).help(help).severity(severity);
    }
}
