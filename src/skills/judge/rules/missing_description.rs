//! `missing-description`: front matter has a `description`.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};

pub static RULE: Rule = Rule {
    id: "missing-description",
    severity: Severity::Error,
    summary: "front matter has a `description`",
    why: "A model picks a skill by its description alone. Codex, OpenCode, Gemini and Pi drop \
        a skill without one; the others make one up.",
    bad: Example::SkillMd(
        "\
---
name: pdf
---

# PDF

Run `pdftotext` on the file.
",
    ),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(fields) = subject.fields() else { return };
    if fields.mapping.entry("description").is_none() {
        report
            .at(fields.open, "`description` is missing")
            .help("add `description: …`: what the skill does and when to use it");
    }
}
