//! `invalid-yaml`: front matter is plain YAML: one mapping, no anchors, aliases, tags or merge keys.

use crate::skills::judge::conflict;
use crate::skills::judge::rule::{Fix, Report, Severity};
use crate::skills::judge::rules::{Check, Example, Rule, Subject};
use crate::skills::model::error::ErrorKind;
use crate::skills::text::document::{Document, FrontMatter};
use crate::skills::text::position::{Edit, Span};
use crate::skills::text::quote;
use crate::skills::text::yaml::{YamlFault, YamlFaultKind};

pub static RULE: Rule = Rule {
    id: "invalid-yaml",
    severity: Severity::Error,
    summary: "front matter is plain YAML: one mapping, no anchors, aliases, tags or merge keys",
    why: "Agents use different YAML readers, some of them lenient. Only strictly valid YAML is \
        read the same way everywhere; an unquoted `: ` is enough to make Copilot and Pi drop \
        the skill.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Use when: the user mentions PDFs.
---

# PDF

Run `pdftotext` on the file.
",
    ),
    good: Example::SkillMd(
        "\
---
name: pdf
description: \"Use when: the user mentions PDFs.\"
---

# PDF

Run `pdftotext` on the file.
",
    ),
    fixable: true,
    failure: ErrorKind::InvalidFrontmatter,
    check: Check::Skill(check),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(document) = subject.document else {
        return;
    };
    match &document.front_matter {
        FrontMatter::Invalid { yaml, fault } => {
            if let Some(span) = conflict::marker(document.text, *yaml) {
                report.at(span, conflict::MESSAGE).help(conflict::HELP);
                return;
            }
            if let Some(field) = quote::swallowed_field(document.text, *yaml, fault) {
                report_lost_break(document, field, report);
                return;
            }
            let draft = report.at(fault.span, fault.message.clone());
            let (help, edit) = advice(document, *yaml, fault);
            let draft = draft.help(help);
            if let Some(edit) = edit {
                draft.fix(Fix::Edit(edit));
            }
        }
        FrontMatter::NotMapping { value, found } => {
            report
                .at(*value, format!("front matter must be `key: value` lines, this is {found}"))
                .help("write `name: …` and `description: …`");
        }
        _ => {}
    }
}

/// Reports a missing line break. Quoting the value would lose the second field, so there is no
/// repair.
fn report_lost_break(document: &Document<'_>, field: Span, report: &mut Report<'_>) {
    let name = field.slice(document.text);
    report.at(field, format!("a line break seems to be missing before `{name}:`")).help(format!(
        "start a new line with `{name}:`, or quote the whole value if `{name}:` is part of it"
    ));
}

/// The help, and the repair if the author's intention is certain.
fn advice(document: &Document<'_>, yaml: Span, fault: &YamlFault) -> (String, Option<Edit>) {
    if let Some(help) = &fault.help {
        let is_enough = |edit: &Edit| quote::repaired_line(document.text, yaml, edit).is_some();
        return (help.clone(), fault.edit.clone().filter(is_enough));
    }
    if let Some(quoting) = quote::repair(document.text, yaml, fault) {
        let help = if !quoting.is_certain {
            format!("write `{}`", quoting.line)
        } else if quoting.edit.replacement.contains('\n') {
            "put the whole value in quotes, over all its lines".to_owned()
        } else {
            format!("quote the value: `{}`", quoting.line)
        };
        return (help, quoting.is_certain.then_some(quoting.edit));
    }
    let line = document.text[fault.span.start..].lines().next().unwrap_or_default();
    let help = match fault.kind {
        YamlFaultKind::UnquotedColon if line.contains(" #") => {
            "put the value in quotes; the `#` too, unless it starts a comment"
        }
        YamlFaultKind::TrailingText if line == "," => "delete the comma",
        kind => kind.advice(),
    };
    (help.to_owned(), None)
}
