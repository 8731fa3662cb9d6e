//! `reserved-name`: a name does not contain `claude` or `anthropic`.

use memchr::memmem;

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};

pub static RULE: Rule = Rule {
    id: "reserved-name",
    severity: Severity::Warning,
    summary: "a name does not contain `claude` or `anthropic`",
    why: "Anthropic reserves both words, and its own services refuse such a skill.",
    bad: Example::SkillMd(
        "\
---
name: claude-pdf
description: Extract text from PDF files. Use when the user mentions PDFs.
---

# PDF

Run `pdftotext` on the file.
",
    ),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some((node, name)) = subject.string("name") else { return };
    if let Some(word) = ["claude", "anthropic"]
        .into_iter()
        .find(|word| memmem::find(name.as_bytes(), word.as_bytes()).is_some())
    {
        report
            .at(node.span, format!("`{word}` is reserved in names"))
            .help("choose a name without it");
    }
}
