//! `impossible-requirement`: some machine can have what the skill needs.

use crate::skills::judge::needs::Requirements;
use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};

pub static RULE: Rule = Rule {
    id: "impossible-requirement",
    severity: Severity::Warning,
    summary: "some machine can have what the skill needs",
    why: "Agents hide a skill whose documented requirements are not met: systems in `os`, \
        programs in `requires.bins`, variables in `requires.env`. A requirement that no machine \
        can meet hides it everywhere.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Extract text from PDF files. Use when the user mentions PDFs.
metadata: {\"openclaw\": {\"requires\": {\"bins\": [\"pdftotext >= 22\"]}}}
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
metadata: {\"openclaw\": {\"requires\": {\"bins\": [\"pdftotext\"]}}}
---

# PDF

Run `pdftotext` on the file.
",
    ),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(document) = subject.document else { return };
    for impossible in Requirements::impossible_in(document) {
        report.at(impossible.span, impossible.message).help(impossible.help);
    }
}
