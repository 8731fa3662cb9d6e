//! `field-type`: `name`, `description`, `license`, `compatibility` and `allowed-tools` are strings.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::text::position::Span;
use crate::skills::text::yaml::{MappingEntry, Value};

pub static RULE: Rule = Rule {
    id: "field-type",
    severity: Severity::Error,
    summary: "`name`, `description`, `license`, `compatibility` and `allowed-tools` are strings",
    why: "A number or boolean where text is expected makes OpenCode, Copilot and Pi drop the \
        skill.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: 42
---

# PDF

Run `pdftotext` on the file.
",
    ),
    good: Example::SkillMd(
        "\
---
name: pdf
description: \"42\"
---

# PDF

Run `pdftotext` on the file.
",
    ),
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(document) = subject.document else {
        return;
    };
    for key in ["name", "description", "license", "compatibility", "allowed-tools"] {
        let Some(entry) = document.entry(key) else {
            continue;
        };
        let fits = match (&entry.value.value, key) {
            (Value::String(_), _) => true,
            // Other rules report empty values of these two, and lists of tools.
            (Value::Null, "name" | "description") => true,
            (Value::Sequence(_), "allowed-tools") => true,
            _ => false,
        };
        if fits {
            continue;
        }
        let found = entry.value.value.type_name();
        let written = entry.value.span.slice(document.text);
        let draft = report.at(place(entry), format!("`{key}` must be a string, this is {found}"));
        match entry.value.value {
            Value::Bool(_) | Value::Number(_) => {
                draft.help(format!("put it in quotes: `{key}: \"{written}\"`"))
            }
            _ => draft.help(format!("write `{key}: …` as text on one line")),
        };
    }
}

/// The value, or the key if there is no value.
fn place(entry: &MappingEntry<'_>) -> Span {
    if entry.value.span.start == entry.value.span.end { entry.key.span } else { entry.value.span }
}
