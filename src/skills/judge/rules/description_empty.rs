//! `description-empty`: the description is not blank.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::yaml::Value;

pub static RULE: Rule = Rule {
    id: "description-empty",
    severity: Severity::Error,
    summary: "the description is not blank",
    why: "Codex and Pi drop a skill with an empty description, and no model would pick it.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: \"\"
---

# PDF

Run `pdftotext` on the file.
",
    ),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(entry) = subject.document.and_then(|document| document.entry("description")) else {
        return;
    };
    let blank = match &entry.value.value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    };
    if blank {
        report
            .at(entry.key.span, "`description` is empty")
            .help("say what the skill does and when to use it");
    }
}
