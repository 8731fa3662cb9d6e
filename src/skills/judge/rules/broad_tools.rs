//! `broad-tools`: `allowed-tools` does not allow every command.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::tools;

pub static RULE: Rule = Rule {
    id: "broad-tools",
    severity: Severity::Warning,
    summary: "`allowed-tools` does not allow every command",
    why: "`Bash(*)` lets the skill run any command without asking. Name the commands it needs. A \
        bare `Bash` does the same, but is so common that it is a note.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Extract text from PDF files. Use when the user mentions PDFs.
allowed-tools: Bash(*) Read
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
allowed-tools: Bash(pdftotext:*) Read
---

# PDF

Run `pdftotext` on the file.
",
    ),
    safety: Some(4),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(document) = subject.document else {
        return;
    };
    let Some(node) = document.field("allowed-tools") else {
        return;
    };
    for tool in tools::parse(node) {
        let inner = tool.strip_prefix("Bash(").and_then(|rest| rest.strip_suffix(')'));
        let everything =
            inner.is_some_and(|inner| matches!(inner.trim(), "*" | "*:*" | ":*" | "**"));
        if everything || tool == "*" || tool == "Bash" {
            let severity = if tool == "Bash" { Severity::Note } else { Severity::Warning };
            report
                .at(node.span, format!("`{tool}` allows every command"))
                .help("name the commands, such as `Bash(git:*)`")
                .severity(severity);
        }
    }
}
