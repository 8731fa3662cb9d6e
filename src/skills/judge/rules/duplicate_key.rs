//! `duplicate-key`: no key appears twice in a mapping.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::model::error::ErrorKind;
use crate::skills::text::position::PositionRange;

pub static RULE: Rule = Rule {
    id: "duplicate-key",
    severity: Severity::Error,
    summary: "no key appears twice in a mapping",
    why: "YAML forbids it, and readers disagree: Claude and Gemini take one of the values; \
        Codex, OpenCode, Copilot and Pi drop the skill.",
    bad: Example::SkillMd(
        "\
---
name: pdf
name: pdf
description: Extract text from PDF files. Use when the user mentions PDFs.
---

# PDF

Run `pdftotext` on the file.
",
    ),
    failure: ErrorKind::InvalidFrontmatter,
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(document) = subject.document else {
        return;
    };
    let Some(fields) = document.fields() else {
        return;
    };
    for duplicate in &fields.duplicates {
        let first = PositionRange::of(document.text, duplicate.first).start.line;
        report
            .at(
                duplicate.again,
                format!("`{}` appears twice; the first is on line {first}", duplicate.key),
            )
            .help("keep one of them");
    }
}
