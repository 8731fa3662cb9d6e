//! `byte-order-mark`: `SKILL.md` does not start with a byte order mark.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::document::BOM;
use crate::skills::text::position::Span;

pub static RULE: Rule = Rule {
    id: "byte-order-mark",
    severity: Severity::Error,
    summary: "`SKILL.md` does not start with a byte order mark",
    why: "Codex, Gemini and Pi do not recognise front matter after a byte order mark, and drop \
        the skill.",
    bad: Example::SkillMd(
        "\
\u{feff}---
name: pdf
description: Extract text from PDF files. Use when the user mentions PDFs.
---

# PDF

Run `pdftotext` on the file.
",
    ),
    fixable: true,
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(document) = subject.document else {
        return;
    };
    if document.has_bom() {
        let span = Span::new(0, BOM.len());
        report
            .at(span, "the file starts with a byte order mark")
            .help("save it without one")
            .edit(span, "");
    }
}
