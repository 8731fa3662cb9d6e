//! `name-too-long`: a name has at most 64 characters.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::model::error::ErrorKind;
use crate::skills::model::name::NameError;
use crate::skills::text::document::NAME_CHARS;

pub static RULE: Rule = Rule {
    id: "name-too-long",
    severity: Severity::Error,
    summary: "a name has at most 64 characters",
    why: "Codex and Copilot drop a skill with a longer name.",
    bad: Example::SkillMd(
        "\
---
name: pdf-pdf-pdf-pdf-pdf-pdf-pdf-pdf-pdf-pdf-pdf-pdf-pdf-pdf-pdf-pdf-forms
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
    let Some((node, name)) = subject.string("name") else { return };
    let length = name.chars().count();
    if length > NAME_CHARS {
        report
            .at(node.span, NameError::TooLong(length).to_string())
            .help("shorten it, and rename the directory to match");
    }
}
