//! `empty-body`: the front matter is followed by instructions.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::position::Span;

pub static RULE: Rule = Rule {
    id: "empty-body",
    severity: Severity::Warning,
    summary: "the front matter is followed by instructions",
    why: "The model gets the body when it picks the skill. Without a body there is nothing to \
        follow.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Extract text from PDF files. Use when the user mentions PDFs.
---
",
    ),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(document) = subject.document else {
        return;
    };
    let closed = document.fields().is_some();
    if closed && document.body_text().trim().is_empty() {
        let end = document.head().end;
        report
            .at(Span::new(end, end), "no instructions after the front matter")
            .help("say what to do, step by step");
    }
}
