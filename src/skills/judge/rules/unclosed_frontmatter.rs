//! `unclosed-frontmatter`: front matter ends with a line `---`.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::model::error::ErrorKind;
use crate::skills::text::document::FrontMatter;

pub static RULE: Rule = Rule {
    id: "unclosed-frontmatter",
    severity: Severity::Error,
    summary: "front matter ends with a line `---`",
    why: "Without the closing line, most agents drop the skill, and the others read the whole \
        body as fields.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Extract text from PDF files. Use when the user mentions PDFs.

# PDF
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
    if let FrontMatter::Unclosed { open } = document.front_matter {
        report
            .at(open, "this front matter is never closed")
            .help("add a line `---` after the last field");
    }
}
