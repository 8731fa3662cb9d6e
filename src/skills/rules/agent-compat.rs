//! `agent-compat`: every agent reads the skill as written.

use std::ffi::OsStr;

use super::report::Report;
use super::{Check, Example, Rule, Subject};
use crate::skills::agents::Agent;
use crate::skills::agents::quirks::{self, Quirk};
use crate::skills::content::Content;
use crate::skills::document::Document;
use crate::skills::finding::Severity;
use crate::skills::frontmatter::{BOM, Fields, FrontMatter};
use crate::skills::limits::{DESCRIPTION_CHARS, NAME_CHARS};
use crate::skills::platform::FileKind;
use crate::skills::position::Span;
use crate::skills::quote;
use crate::skills::source::{SKILL_MD, SkillKind};
use crate::skills::yaml::{Fault, FaultKind, Value};

pub(super) static RULE: Rule = Rule {
    id: "agent-compat",
    severity: Severity::Warning,
    summary: "every agent reads the skill as written",
    why: "Agents are lenient in different ways, and a skill they cannot read just is not there. \
        This rule knows what each of them was seen to do. Without `--agent` it speaks up only \
        where an agent loses the skill.",
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
    fixable: false,
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let asked = &subject.options.agents;
    let includes = |agent: &Agent| asked.is_empty() || asked.iter().any(|one| one.id == agent.id);
    for (quirk, span) in present(subject) {
        let verdict = quirk.verdict(includes);
        if verdict.affected.is_empty() || (asked.is_empty() && !verdict.dropped) {
            continue;
        }
        let draft = match span {
            Some(span) => report.at(span, verdict.sentence),
            None => report.skill_md(verdict.sentence),
        };
        draft.agents(verdict.affected).help(help(quirk, subject));
    }
}

fn help(quirk: &Quirk, subject: &Subject<'_>) -> String {
    let lenient = subject.document.and_then(|document| document.lenient_field("description"));
    match lenient {
        Some(description) if quirk.id != quirks::BYTE_ORDER_MARK.id => {
            let shown: String = description.chars().take(60).collect();
            let dots = if shown.len() < description.len() { "…" } else { "" };
            format!("those that read it take the description to be `{shown}{dots}`")
        }
        _ => "what agents do was observed, and may change with their next version".to_owned(),
    }
}

/// The quirks this skill has, each with its place.
fn present(subject: &Subject<'_>) -> Vec<(&'static Quirk, Option<Span>)> {
    let mut found: Vec<(&'static Quirk, Option<Span>)> = Vec::new();
    location(subject, &mut found);
    match subject.content {
        Content::NotUtf8 { .. } => found.push((&quirks::NOT_UTF8, None)),
        Content::NotAFile(FileKind::Symlink) => found.push((&quirks::SYMLINKED_SKILL_MD, None)),
        _ => {}
    }
    let Some(document) = subject.document else {
        return found;
    };
    if document.has_bom() {
        found.push((&quirks::BYTE_ORDER_MARK, Some(Span::new(0, BOM.len()))));
    }
    match &document.front_matter {
        FrontMatter::Missing { late: Some(span) } => {
            found.push((&quirks::LATE_FRONT_MATTER, Some(*span)));
        }
        FrontMatter::Missing { late: None } => {
            found.push((&quirks::NO_FRONT_MATTER, Some(Span::new(0, 0))));
        }
        FrontMatter::Unclosed { open } => {
            found.push((&quirks::UNCLOSED_FRONT_MATTER, Some(*open)));
        }
        FrontMatter::Invalid { yaml, fault } => {
            if let Some(quirk) = yaml_quirk(document, *yaml, fault) {
                found.push((quirk, Some(fault.span)));
            }
        }
        FrontMatter::Fields(fields) => fields_quirks(document, fields, &mut found),
        FrontMatter::TooLarge { .. } | FrontMatter::NotMapping { .. } => {}
    }
    found
}

/// What follows from where the skill lies and how its file is called.
fn location(subject: &Subject<'_>, found: &mut Vec<(&'static Quirk, Option<Span>)>) {
    let skill = subject.skill;
    if skill.skill_md.as_deref().is_some_and(|name| name != SKILL_MD) {
        found.push((&quirks::WRONG_CASE, None));
    }
    if skill.kind == SkillKind::File {
        return;
    }
    let hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
    if skill.path.file_name().is_some_and(hidden) {
        found.push((&quirks::HIDDEN_DIRECTORY, None));
    }
    let below_claude =
        skill.path.ancestors().skip(1).position(|ancestor| ancestor.ends_with(".claude/skills"));
    if below_claude.is_some_and(|levels| levels > 0) {
        found.push((&quirks::NESTED_DIRECTORY, None));
    }
}

/// The row for front matter that a strict reader refuses.
fn yaml_quirk(document: &Document<'_>, yaml: Span, fault: &Fault) -> Option<&'static Quirk> {
    match fault.kind {
        FaultKind::UnquotedColon => {
            let quoting = quote::repair(document.text, yaml, fault)?;
            let value = quoting.edit.span.slice(document.text);
            if quoting.key != "description" {
                Some(&quirks::COLON_IN_OTHER_FIELD)
            } else if value.ends_with(':') || value.contains('\n') {
                Some(&quirks::FINAL_COLON)
            } else {
                Some(&quirks::UNQUOTED_COLON)
            }
        }
        FaultKind::ReservedCharacter => Some(&quirks::RESERVED_START),
        FaultKind::TrailingText => {
            let before = document.text[..fault.span.start].trim_end();
            let quote = before.ends_with(['"', '\'']);
            Some(if quote { &quirks::TEXT_AFTER_QUOTE } else { &quirks::RESERVED_START })
        }
        FaultKind::Tab => Some(&quirks::TAB_INDENT),
        FaultKind::Forbidden | FaultKind::Budget | FaultKind::Syntax => None,
    }
}

/// The rows for single fields.
fn fields_quirks(
    document: &Document<'_>,
    fields: &Fields<'_>,
    found: &mut Vec<(&'static Quirk, Option<Span>)>,
) {
    let mapping = &fields.mapping;
    let mut add = |quirk: &'static Quirk, span: Span| found.push((quirk, Some(span)));
    if let Some(duplicate) = fields.duplicates.first() {
        add(&quirks::DUPLICATE_KEY, duplicate.again);
    }
    match mapping.get("name").map(|node| (&node.value, node.span)) {
        None | Some((Value::Null, _)) => add(&quirks::NAME_MISSING, Span::new(0, 3)),
        Some((Value::String(name), span)) => {
            if name.starts_with('-') || name.contains('/') || !name.is_ascii() {
                add(&quirks::NAME_FORMAT, span);
            }
            if name.chars().count() > NAME_CHARS {
                add(&quirks::NAME_TOO_LONG, span);
            }
        }
        Some((_, span)) => add(&quirks::NAME_NOT_TEXT, span),
    }
    match mapping.get("description").map(|node| (&node.value, node.span)) {
        None => add(&quirks::DESCRIPTION_MISSING, Span::new(0, 3)),
        Some((Value::Null, span)) => add(&quirks::DESCRIPTION_MISSING, span),
        Some((Value::String(text), span)) => match text.chars().count() {
            _ if text.trim().is_empty() => add(&quirks::DESCRIPTION_EMPTY, span),
            0..=DESCRIPTION_CHARS => {}
            1025..=1536 => add(&quirks::DESCRIPTION_TOO_LONG, span),
            _ => add(&quirks::DESCRIPTION_FAR_TOO_LONG, span),
        },
        Some((_, span)) => add(&quirks::DESCRIPTION_NOT_TEXT, span),
    }
    if let Some(node) = mapping.get("metadata")
        && node.as_mapping().is_none()
        && node.value != Value::Null
    {
        add(&quirks::METADATA_NOT_MAPPING, node.span);
    }
    if let Some(node) = mapping.get("disable-model-invocation") {
        match node.scalar_text() {
            "true" if node.value == Value::Bool(true) => add(&quirks::HIDDEN_FROM_MODEL, node.span),
            "true" | "yes" => add(&quirks::HIDDEN_NOT_BOOLEAN, node.span),
            _ => {}
        }
    }
    if let Some(entry) = document.entry("paths") {
        add(&quirks::PATHS, entry.key.span);
    }
}
