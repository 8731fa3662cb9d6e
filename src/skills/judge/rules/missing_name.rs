//! `missing-name`: front matter has a `name`.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::model::error::ErrorKind;
use crate::skills::model::name;
use crate::skills::text::yaml::Value;

pub static RULE: Rule = Rule {
    id: "missing-name",
    severity: Severity::Error,
    summary: "front matter has a `name`",
    why: "The specification requires it, and OpenCode and Gemini drop a skill without one.",
    bad: Example::SkillMd(
        "\
---
description: Extract text from PDF files. Use when the user mentions PDFs.
---

# PDF

Run `pdftotext` on the file.
",
    ),
    failure: ErrorKind::InvalidName,
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(fields) = subject.fields() else { return };
    let help = || match name::suggest(&subject.skill.folder) {
        Some(name) => format!("add `name: {name}`"),
        None => "add `name: …`".to_owned(),
    };
    match fields.mapping.entry("name") {
        None => {
            report.at(fields.open, "`name` is missing").help(help());
        }
        Some(entry) if entry.value.value == Value::Null => {
            report.at(entry.key.span, "`name` has no value").help(help());
        }
        Some(_) => {}
    }
}
