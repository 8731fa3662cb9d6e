//! `invalid-yaml`: front matter is plain YAML: one mapping, no anchors, aliases, tags or merge keys.

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::document::Document;
use crate::skills::finding::{Fix, Severity};
use crate::skills::frontmatter::FrontMatter;
use crate::skills::position::Span;
use crate::skills::quote;
use crate::skills::yaml::{Fault, FaultKind};

pub(super) static RULE: Rule = Rule {
    id: "invalid-yaml",
    severity: Severity::Error,
    summary: "front matter is plain YAML: one mapping, no anchors, aliases, tags or merge keys",
    why: "Agents parse it with different YAML readers, some of them lenient. Only what a strict \
        reader accepts is read the same everywhere; an unquoted `: ` alone makes Copilot and Pi \
        drop the skill.",
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
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(document) = subject.document else {
        return;
    };
    match &document.front_matter {
        FrontMatter::Invalid { yaml, fault } => invalid(document, *yaml, fault, report),
        FrontMatter::NotMapping { value, found } => {
            report
                .at(*value, format!("front matter must be `key: value` lines, this is {found}"))
                .help("write `name: …` and `description: …`");
        }
        _ => {}
    }
}

fn invalid(document: &Document<'_>, yaml: Span, fault: &Fault, report: &mut Report<'_>) {
    let quoting = quote::repair(document.text, yaml, fault);
    let draft = report.at(fault.span, fault.message.clone());
    match (quoting, fault.kind) {
        (Some(quoting), _) if quoting.edit.replacement.contains('\n') => {
            draft
                .help("put the whole value in quotes, over all its lines")
                .fix(Fix::Edit(quoting.edit));
        }
        (Some(quoting), _) => {
            draft.help(format!("quote the value: `{}`", quoting.line)).fix(Fix::Edit(quoting.edit));
        }
        (None, FaultKind::UnquotedColon) => {
            draft.help("put the whole value in quotes");
        }
        (None, FaultKind::ReservedCharacter | FaultKind::TrailingText) => {
            draft.help("put the value in quotes");
        }
        (None, FaultKind::Tab) => {
            draft.help("replace the tab by spaces");
        }
        (None, FaultKind::Forbidden) => {
            draft.help("front matter is plain `key: value` lines; quote the value if it is text");
        }
        (None, FaultKind::UnclosedQuote) => {
            draft.help("close it, and indent the lines in between");
        }
        (None, FaultKind::Budget | FaultKind::Syntax) => {}
    }
}
