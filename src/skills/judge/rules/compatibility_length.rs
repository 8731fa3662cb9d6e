//! `compatibility-length`: `compatibility` has 1 to 500 characters.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::document::COMPATIBILITY_CHARS;

pub static RULE: Rule = Rule {
    id: "compatibility-length",
    severity: Severity::Error,
    summary: "`compatibility` has 1 to 500 characters",
    why: "The specification sets this limit. Put longer requirements into the body.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Extract text from PDF files. Use when the user mentions PDFs.
compatibility: \"\"
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
compatibility: Requires poppler-utils
---

# PDF

Run `pdftotext` on the file.
",
    ),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = subject.string("compatibility") else { return };
    let length = text.chars().count();
    if !(1..=COMPATIBILITY_CHARS).contains(&length) {
        report
            .at(
                node.span,
                format!(
                    "`compatibility` has 1 to {COMPATIBILITY_CHARS} characters, this has {length}"
                ),
            )
            .help("name the requirement, or leave the field out");
    }
}
