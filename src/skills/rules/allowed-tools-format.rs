//! `allowed-tools-format`: `allowed-tools` is one string with spaces between the tools.

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::finding::Severity;
use crate::skills::position::Span;
use crate::skills::quote;
use crate::skills::tools;
use crate::skills::yaml::Value;

pub(super) static RULE: Rule = Rule {
    id: "allowed-tools-format",
    severity: Severity::Note,
    summary: "`allowed-tools` is one string with spaces between the tools",
    why: "That is what the specification says. Commas and lists work in the agents observed, but \
        nobody promises it.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Extract text from PDF files. Use when the user mentions PDFs.
allowed-tools: [Read, Grep]
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
allowed-tools: Read Grep
---

# PDF

Run `pdftotext` on the file.
",
    ),
    fixable: true,
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(document) = subject.document else {
        return;
    };
    let Some(entry) = document.entry("allowed-tools") else {
        return;
    };
    let node = &entry.value;
    let message = match &node.value {
        Value::Sequence(_) => "tools as a list; the specification has one string",
        Value::String(text) if tools::has_separating_comma(text) => {
            "tools separated by commas; the specification has spaces"
        }
        _ => return,
    };
    let line = tools::parse(node).join(" ");
    let written = node.span.slice(document.text);
    let span = Span::new(entry.key.span.end, node.span.end);
    let draft = report.at(node.span, message).help(format!("write `allowed-tools: {line}`"));
    // Comments inside a list would be lost, and what does not read back is left alone.
    if !line.is_empty() && !written.contains('#') && !line.contains(['\n', '\r']) {
        draft.edit(span, format!(": {}", quote::scalar(&line)));
    }
}
