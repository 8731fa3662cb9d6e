//! `name-format`: a name consists of `a-z`, `0-9` and single hyphens between them.

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::finding::Severity;
use crate::skills::name;

pub(super) static RULE: Rule = Rule {
    id: "name-format",
    severity: Severity::Error,
    summary: "a name consists of `a-z`, `0-9` and single hyphens between them",
    why: "The name becomes a directory and a command. Capitals, underscores and double hyphens \
        break the specification; a leading hyphen, a slash or other letters make Copilot drop \
        the skill.",
    bad: Example::SkillMd(
        "\
---
name: PDF_Tools
description: Extract text from PDF files. Use when the user mentions PDFs.
---

# PDF

Run `pdftotext` on the file.
",
    ),
    good: Example::PLAIN,
    fixable: false,
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(document) = subject.document else {
        return;
    };
    let Some(node) = document.field("name") else {
        return;
    };
    let Some(Err(error)) = node.as_str().map(name::check_format) else {
        return;
    };
    let draft = report.at(node.span, error.to_string());
    match name::suggest(node.scalar_text()) {
        Some(better) => draft.help(format!("write `name: {better}`")),
        None => draft.help("write a name such as `pdf-forms`"),
    };
}
