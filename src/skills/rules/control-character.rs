//! `control-character`: `SKILL.md` holds no control characters, written out or as escapes.

use std::borrow::Cow;

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::document::Document;
use crate::skills::finding::Severity;
use crate::skills::position::Span;
use crate::skills::unicode::is_control;
use crate::skills::yaml::{Node, Value};

pub(super) static RULE: Rule = Rule {
    id: "control-character",
    severity: Severity::Error,
    summary: "`SKILL.md` holds no control characters, written out or as escapes",
    why: "Escape sequences can rewrite what a terminal shows, a NUL cuts text short in many \
        programs, and U+2028 is a line break to some readers and not to others.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: \"Extract text\\u001b[2K from PDF files. Use when needed.\"
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
    if subject.signals.control || subject.signals.non_ascii {
        raw(document, document.head(), report);
        raw(document, document.body, report);
    }
    if let Some(fields) = document.fields() {
        for entry in &fields.mapping.entries {
            escaped(document, &entry.key, report);
            escaped(document, &entry.value, report);
        }
    }
}

/// The first control character that stands in the file, and how many more there are.
fn raw(document: &Document<'_>, part: Span, report: &mut Report<'_>) {
    let text = part.slice(document.text);
    let crlf = |at: usize| text[at..].starts_with("\r\n");
    let mut found = text.char_indices().filter(|(at, c)| is_control(*c) && !crlf(*at));
    let Some((at, character)) = found.next() else {
        return;
    };
    let more = match found.count() {
        0 => String::new(),
        count => format!(", and {count} more"),
    };
    let code = character as u32;
    report
        .at(
            Span::of_char(document.text, part.start + at),
            format!("control character U+{code:04X}{more}"),
        )
        .help("delete it");
}

/// Control characters that only an escape such as `"\u0000"` can have produced.
fn escaped(document: &Document<'_>, node: &Node<'_>, report: &mut Report<'_>) {
    match &node.value {
        // Text that stands in the file as it is has no escapes.
        Value::String(Cow::Borrowed(_)) => {}
        Value::String(value) => {
            let written = node.span.slice(document.text);
            let hidden = value.chars().find(|c| is_control(*c) && !written.contains(*c));
            if let Some(character) = hidden {
                let message =
                    format!("an escape produces the control character U+{:04X}", character as u32);
                report.at(node.span, message).help("delete the escape");
            }
        }
        Value::Sequence(items) => items.iter().for_each(|item| escaped(document, item, report)),
        Value::Mapping(mapping) => {
            for entry in &mapping.entries {
                escaped(document, &entry.key, report);
                escaped(document, &entry.value, report);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
