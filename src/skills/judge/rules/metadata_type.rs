//! `metadata-type`: `metadata` is a mapping with string keys.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::yaml::Value;

pub static RULE: Rule = Rule {
    id: "metadata-type",
    severity: Severity::Error,
    summary: "`metadata` is a mapping with string keys",
    why: "Codex refuses a skill whose `metadata` is anything else.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Extract text from PDF files. Use when the user mentions PDFs.
metadata: [beta]
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
  stage: beta
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
    let Some(entry) = document.entry("metadata") else {
        return;
    };
    match &entry.value.value {
        Value::Mapping(mapping) => {
            for inner in &mapping.entries {
                if inner.key.as_str().is_none() {
                    let found = inner.key.value.type_name();
                    let written = inner.key.span.slice(document.text);
                    report
                        .at(
                            inner.key.span,
                            format!("keys of `metadata` must be strings, this is {found}"),
                        )
                        .help(format!("put it in quotes: `\"{written}\"`"));
                }
            }
        }
        // Every agent reads a `metadata:` without a value.
        Value::Null => {}
        other => {
            report
                .at(
                    entry.key.span,
                    format!("`metadata` must be a mapping, this is {}", other.type_name()),
                )
                .help("write `key: value` lines, indented below it");
        }
    }
}
