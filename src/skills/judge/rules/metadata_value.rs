//! `metadata-value`: values of `metadata` are strings.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::yaml::{Node, Value};

pub static RULE: Rule = Rule {
    id: "metadata-value",
    severity: Severity::Note,
    summary: "values of `metadata` are strings",
    why: "The specification maps strings to strings; `version: 1.0` is a number and may come back \
        as `1`. Some agents document values of other types, such as the mapping of OpenClaw: those \
        must stay as they are.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Extract text from PDF files. Use when the user mentions PDFs.
metadata:
  version: 1.0
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
metadata:
  version: \"1.0\"
---

# PDF

Run `pdftotext` on the file.
",
    ),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(document) = subject.document else {
        return;
    };
    let Some(mapping) = document.field("metadata").and_then(Node::as_mapping) else {
        return;
    };
    for entry in &mapping.entries {
        if entry.value.as_str().is_some() {
            continue;
        }
        let key = entry.key.scalar_text();
        let found = entry.value.value.type_name();
        let written = entry.value.span.slice(document.text);
        let draft = report
            .at(entry.key.span, format!("`{key}` is {found}; the specification has strings here"));
        // Other types may be documented by an agent, so there is no advice.
        if matches!(entry.value.value, Value::Number(_)) {
            draft.help(format!("put it in quotes: `{key}: \"{written}\"`"));
        }
    }
}
