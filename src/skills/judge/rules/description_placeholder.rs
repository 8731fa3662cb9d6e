//! `description-placeholder`: the description of a template has been replaced.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};

/// How the descriptions of templates begin, in lower case.
const BEGINNINGS: [&str; 6] = [
    "todo:",
    "[todo",
    "<todo",
    "fixme:",
    "replace with description of the skill",
    "replace this with",
];

/// Descriptions that say only that they are missing.
const WHOLE: [&str; 5] = ["todo", "tbd", "fixme", "description", "..."];

pub static RULE: Rule = Rule {
    id: "description-placeholder",
    severity: Severity::Note,
    summary: "the description of a template has been replaced",
    why: "`skills init` and other generators write a description that somebody has to replace. No \
        model can pick a skill by it. With `--strict` it is an error.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: \"TODO: say what Pdf does. Use when the user asks for it.\"
---

# PDF

Run `pdftotext` on the file.
",
    ),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = subject.string("description") else { return };
    if !is_placeholder(text) {
        return;
    }
    let strict = subject.options.strict;
    report
        .at(node.span, "the description is a placeholder")
        .help("say what the skill does and when to use it")
        .severity(if strict { Severity::Error } else { Severity::Note });
}

fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    let starts = |beginning: &&str| {
        text.get(..beginning.len()).is_some_and(|start| start.eq_ignore_ascii_case(beginning))
    };
    BEGINNINGS.iter().any(starts) || WHOLE.iter().any(|whole| text.eq_ignore_ascii_case(whole))
}
