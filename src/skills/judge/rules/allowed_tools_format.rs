//! `allowed-tools-format`: `allowed-tools` is one string of tools separated by spaces.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::document::Document;
use crate::skills::text::position::Span;
use crate::skills::text::yaml::{MappingEntry, Value};
use crate::skills::text::{quote, tools};

pub static RULE: Rule = Rule {
    id: "allowed-tools-format",
    severity: Severity::Note,
    summary: "`allowed-tools` is one string of tools separated by spaces",
    why: "The specification requires it. Commas and lists work in the observed agents, but are \
        not guaranteed to.",
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
    ..Rule::BASE
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
    let span = Span::new(entry.key.span.end, node.span.end);
    let replacement = format!(": {}", quote::scalar(&line));
    if is_safe(document, entry, &tools, span, &replacement) {
        draft.help(format!("write `allowed-tools: {line}`")).edit(span, replacement);
    } else {
        draft.help("write the tools as one string, with spaces between them");
    }
}

/// Whether one line means the same: it loses no tool and no comment, splits no tool, and changes no
/// other field.
fn is_safe(
    document: &Document<'_>,
    entry: &MappingEntry<'_>,
    tools: &[String],
    span: Span,
    replacement: &str,
) -> bool {
    let only_names = match &entry.value.value {
        Value::Sequence(items) => items.iter().all(|item| item.as_str().is_some()),
        _ => true,
    };
    if !only_names || span.slice(document.text).contains('#') || replacement.contains('\n') {
        return false;
    }
    let edited = [&document.text[..span.start], replacement, &document.text[span.end..]].concat();
    let after = Document::parse(&edited);
    let (Some(before), Some(after)) = (document.fields(), after.fields()) else { return false };
    let entries = || before.mapping.entries.iter().zip(&after.mapping.entries);
    before.mapping.entries.len() == after.mapping.entries.len()
        && entries().all(|(old, new)| {
            let same_key = old.key.value == new.key.value;
            let is_tools = old.key.span == entry.key.span;
            same_key
                && if is_tools {
                    tools::parse(&new.value) == tools
                } else {
                    old.value.means(&new.value)
                }
        })
}
