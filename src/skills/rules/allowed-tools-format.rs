//! `allowed-tools-format`: `allowed-tools` is one string with spaces between the tools.

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::document::Document;
use crate::skills::finding::Severity;
use crate::skills::position::Span;
use crate::skills::quote;
use crate::skills::tools;
use crate::skills::yaml::{Entry, Value};

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
    let tools = tools::parse(node);
    let line = tools.join(" ");
    let draft = report.at(node.span, message);
    if tools.is_empty() {
        draft.help("leave the field out");
        return;
    }
    if !is_safe(document, entry, &tools, &line) {
        draft.help("write the tools as one string, with spaces between them");
        return;
    }
    let span = Span::new(entry.key.span.end, node.span.end);
    draft
        .help(format!("write `allowed-tools: {line}`"))
        .edit(span, format!(": {}", quote::scalar(&line)));
}

/// Whether one line says the same: no tool lost or split, no comment dropped.
fn is_safe(document: &Document<'_>, entry: &Entry<'_>, tools: &[String], line: &str) -> bool {
    let only_names = match &entry.value.value {
        Value::Sequence(items) => items.iter().all(|item| item.as_str().is_some()),
        _ => true,
    };
    // `? key` puts its colon on another line.
    let plain_key = document.text[entry.key.span.end..].starts_with(':');
    let written = Span::new(entry.key.span.end, entry.value.span.end).slice(document.text);
    only_names
        && plain_key
        && !written.contains('#')
        && !line.contains(['\n', '\r'])
        && tools::split(line) == tools
}
