//! `description-when`: a description says when to use the skill.

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::judge::rule::Severity;

/// Words that tell a model when a skill applies.
const HINTS: [&str; 12] = [
    "when", "use for", "use to", "use this", "used for", "used to", "if the", "if you", "trigger",
    "before ", "after ", "use if",
];

pub(super) static RULE: Rule = Rule {
    id: "description-when",
    severity: Severity::Note,
    summary: "a description says when to use the skill",
    why: "The model decides by the description alone. \"Use when …\" is what makes it pick the \
        skill at the right moment.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Extracts text from PDF files.
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
    let Some((node, text)) = subject.string("description") else { return };
    // Most say it with this word, and then nothing has to be rewritten to find it.
    if text.trim().is_empty() || text.contains(HINTS[0]) {
        return;
    }
    let text = text.to_lowercase();
    if !HINTS.iter().any(|hint| text.contains(hint)) {
        report
            .at(node.span, "the description does not say when to use the skill")
            .help("add a sentence such as \"Use when …\"");
    }
}
