//! Detects which quirks of the table a skill has.

use std::borrow::Cow;

use memchr::{memchr_iter, memmem};

use super::quirks::{self, Quirk};
use super::readers::{AgentReading, RawSkill, is_timestamp};
use super::{AGENTS, claude};
use crate::skills::files::content::Content;
use crate::skills::files::inventory::last_part;
use crate::skills::files::platform::FileKind;
use crate::skills::model::name::SkillName;
use crate::skills::model::source::Skill;
use crate::skills::text::document::Document;
use crate::skills::text::document::SKILL_MD;
use crate::skills::text::frontmatter::{BOM, Fields, FrontMatter};
use crate::skills::text::limits::{DESCRIPTION_CHARS, NAME_CHARS};
use crate::skills::text::position::Span;
use crate::skills::text::quote;
use crate::skills::text::signals::{ContentSignal, ContentSignals, EXPANDED_COMMAND, EXPANSIONS};
use crate::skills::text::tools;
use crate::skills::text::yaml::{Node, Value, YamlFault, YamlFaultKind};

/// Fields that only Claude uses and that have no row of their own.
const CLAUDE_FIELDS: [&str; 5] = ["context", "agent", "model", "hooks", "arguments"];

/// Characters after which Claude cuts a description.
const CLAUDE_DESCRIPTION_CHARS: usize = 1_536;

/// Quirks with their places in the `SKILL.md`; none for those about the file itself.
pub type FoundQuirks = Vec<(&'static Quirk, Option<Span>)>;

/// The quirks this skill has, each with its place.
pub fn quirks_of(
    skill: &Skill,
    content: &Content,
    document: Option<&Document<'_>>,
    signals: ContentSignals,
) -> FoundQuirks {
    let mut found: FoundQuirks = Vec::new();
    location(skill, &mut found);
    match content {
        // No agent reads UTF-16.
        Content::NotUtf8 { utf16: false, .. } => found.push((&quirks::NOT_UTF8, None)),
        Content::NotAFile(FileKind::Symlink) if skill.file().is_file() => {
            found.push((&quirks::SYMLINKED_SKILL_MD, None));
        }
        _ => {}
    }
    let Some(document) = document else {
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
        FrontMatter::Fields(fields) => {
            fields_quirks(document, fields, &mut found);
            let expansion = signals.has(ContentSignal::Expansion).then(|| expansion(document));
            if let Some(span) = expansion.flatten() {
                found.push((&quirks::CLAUDE_EXPANSION, Some(span)));
            }
        }
        FrontMatter::TooLarge { .. } | FrontMatter::NotMapping { .. } => {}
    }
    found
}

/// Why each of [`AGENTS`] drops the skill because of its `SKILL.md`, in their order; none if it
/// does not.
pub fn losses(skill: &Skill, document: &Document<'_>) -> Option<[Option<String>; 6]> {
    losses_in(&directory(skill), document)
}

/// The same for a skill in a directory of this name.
pub fn losses_in(directory: &str, document: &Document<'_>) -> Option<[Option<String>; 6]> {
    if is_plain(directory, document) {
        return None;
    }
    let candidate = RawSkill { directory, bytes: document.text.as_bytes() };
    let losses = AGENTS.each_ref().map(|agent| match (agent.loading.read)(&candidate) {
        AgentReading::Unseen(_, reason) | AgentReading::Lost(reason) => Some(reason),
        AgentReading::Listed(_) | AgentReading::Hidden(..) => None,
    });
    losses.iter().any(Option::is_some).then_some(losses)
}

/// What the first of [`AGENTS`] that lists a skill of this name shows as its description.
pub fn shown_description(name: &str, document: &Document<'_>) -> Option<String> {
    let skill = RawSkill { directory: name, bytes: document.text.as_bytes() };
    AGENTS.iter().find_map(|agent| match (agent.loading.read)(&skill) {
        AgentReading::Listed(entry) => Some(entry.description),
        _ => None,
    })
}

/// Which of [`AGENTS`] ignore the front matter and show a line of the body.
pub fn inventions(skill: &Skill, document: &Document<'_>) -> [bool; 6] {
    let directory = directory(skill);
    let without = format!("---\n---\n{}", document.body_text());
    AGENTS.each_ref().map(|agent| {
        let read = |text: &str| {
            (agent.loading.read)(&RawSkill { directory: &directory, bytes: text.as_bytes() })
        };
        let seen = read(document.text);
        matches!(seen, AgentReading::Listed(_)) && seen == read(&without)
    })
}

/// The name of the directory in which an agent would find the skill.
fn directory(skill: &Skill) -> Cow<'_, str> {
    let name = skill.kind().name_in(&skill.path);
    name.unwrap_or_default().to_string_lossy()
}

/// Whether all agents certainly read the skill alike, as they do most.
fn is_plain(directory: &str, document: &Document<'_>) -> bool {
    let FrontMatter::Fields(fields) = &document.front_matter else { return false };
    let value = |key: &str| fields.mapping.get(key).map(|node| &node.value);
    let is_bool = |key: &str| matches!(value(key), None | Some(Value::Bool(_)));
    let delimiters = document.text.starts_with("---\n")
        && document.text.get(fields.yaml.end..document.body.start) == Some("---\n")
        && !has_dashes(fields.yaml.slice(document.text));
    let is_usual = |name: &str| SkillName::is_valid(name) && !claude::keeps(name);
    let name = matches!(value("name"), Some(Value::String(name)) if is_usual(name));
    let description = matches!(value("description"), Some(Value::String(text))
        if !text.trim().is_empty() && text.len() <= DESCRIPTION_CHARS && !is_timestamp(text));
    delimiters
        && is_usual(directory)
        && name
        && description
        && fields.duplicates.is_empty()
        && is_bool("disable-model-invocation")
        && is_bool("user-invocable")
        && matches!(value("metadata"), None | Some(Value::Mapping(_)))
        && matches!(value("allowed-tools"), None | Some(Value::String(_) | Value::Sequence(_)))
}

/// Whether there are three hyphens in a row. Single ones are rare, so this looks at few bytes.
fn has_dashes(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr_iter(b'-', bytes).any(|at| bytes[at..].starts_with(b"---"))
}

/// Quirks of the skill's location and file name.
fn location(skill: &Skill, found: &mut FoundQuirks) {
    if skill.skill_md().is_some_and(|name| name != SKILL_MD) {
        found.push((&quirks::WRONG_CASE, None));
    }
    if !skill.kind().has_directory() {
        return;
    }
    if last_part(&skill.path).starts_with(b".") && skill.path.file_name().is_some() {
        found.push((&quirks::HIDDEN_DIRECTORY, None));
    }
    let path = skill.path.as_os_str().as_encoded_bytes();
    if memmem::find(path, b".claude").is_none() {
        return;
    }
    let below_claude =
        skill.path.ancestors().skip(1).position(|ancestor| ancestor.ends_with(".claude/skills"));
    if below_claude.is_some_and(|levels| levels > 0) {
        found.push((&quirks::NESTED_DIRECTORY, None));
    }
}

/// The row for front matter that a strict reader refuses.
fn yaml_quirk(document: &Document<'_>, yaml: Span, fault: &YamlFault) -> Option<&'static Quirk> {
    match fault.kind {
        YamlFaultKind::UnquotedColon => {
            let field = quote::field_at(document.text, yaml, fault.span.start)?;
            let before = &document.text[field.value_start..fault.span.start];
            let behind = document.text[fault.span.end..].lines().next().unwrap_or_default();
            if field.key != "description" {
                Some(&quirks::COLON_IN_OTHER_FIELD)
            } else if behind.trim().is_empty() || before.contains('\n') {
                Some(&quirks::FINAL_COLON)
            } else {
                Some(&quirks::UNQUOTED_COLON)
            }
        }
        YamlFaultKind::ReservedCharacter => Some(&quirks::RESERVED_START),
        YamlFaultKind::TrailingText => {
            let before = document.text[..fault.span.start].trim_end();
            let quote = before.ends_with(['"', '\'']);
            Some(if quote { &quirks::TEXT_AFTER_QUOTE } else { &quirks::RESERVED_START })
        }
        YamlFaultKind::Tab => Some(&quirks::TAB_INDENT),
        YamlFaultKind::UnclosedQuote
        | YamlFaultKind::Forbidden
        | YamlFaultKind::Budget
        | YamlFaultKind::Syntax => None,
    }
}

/// The rows for single fields.
fn fields_quirks(document: &Document<'_>, fields: &Fields<'_>, found: &mut FoundQuirks) {
    let mapping = &fields.mapping;
    let mut add = |quirk: &'static Quirk, span: Span| found.push((quirk, Some(span)));
    if let Some(duplicate) = fields.duplicates.first() {
        add(&quirks::DUPLICATE_KEY, duplicate.again);
    }
    match mapping.get("name").map(|node| (&node.value, node.span)) {
        None | Some((Value::Null, _)) => add(&quirks::NAME_MISSING, fields.open),
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
        None => add(&quirks::DESCRIPTION_MISSING, fields.open),
        Some((Value::Null, _)) => {
            let key = mapping.entry("description").map_or(fields.open, |entry| entry.key.span);
            add(&quirks::DESCRIPTION_MISSING, key);
        }
        Some((Value::String(text), span)) => match text.chars().count() {
            _ if text.trim().is_empty() => add(&quirks::DESCRIPTION_EMPTY, span),
            length if length > CLAUDE_DESCRIPTION_CHARS => {
                add(&quirks::DESCRIPTION_FAR_TOO_LONG, span);
            }
            length if length > DESCRIPTION_CHARS => add(&quirks::DESCRIPTION_TOO_LONG, span),
            _ => {}
        },
        Some((_, span)) => add(&quirks::DESCRIPTION_NOT_TEXT, span),
    }
    if let Some((node, text)) =
        mapping.get("when_to_use").and_then(|node| Some((node, node.as_str()?)))
        && let Some(description) = mapping.get("description").and_then(Node::as_str)
    {
        let count = |text: &str| text.chars().count();
        let (own, added) = (count(description), " - ".len() + count(text));
        if own <= CLAUDE_DESCRIPTION_CHARS && own + added > CLAUDE_DESCRIPTION_CHARS {
            add(&quirks::LISTING_TOO_LONG, node.span);
        }
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
    for entry in &mapping.entries {
        if CLAUDE_FIELDS.contains(&entry.key.scalar_text()) {
            add(&quirks::CLAUDE_FIELD, entry.key.span);
        }
    }
    if let Some(node) = mapping.get("allowed-tools").filter(|node| !tools::parse(node).is_empty()) {
        add(&quirks::HEADLESS_TOOLS, node.span);
    }
    if let Some(span) = comment_in_description(document) {
        add(&quirks::COMMENT_IN_DESCRIPTION, span);
    }
}

/// The comment at the end of an unquoted description.
fn comment_in_description(document: &Document<'_>) -> Option<Span> {
    let node = document.field("description")?;
    let is_plain = node.as_str() == Some(node.span.slice(document.text));
    let rest = document.text.get(node.span.end..)?.lines().next()?;
    (is_plain && rest.starts_with(" #"))
        .then(|| Span::new(node.span.end + 1, node.span.end + rest.trim_end().len()))
}

/// The first thing in the body that only Claude expands.
fn expansion(document: &Document<'_>) -> Option<Span> {
    let body = document.body_text();
    EXPANSIONS
        .iter()
        .chain([&EXPANDED_COMMAND])
        .filter_map(|mark| body.find(mark).map(|at| Span::new(at, at + mark.len())))
        .min()
        .map(|span| span.shifted(document.body.start))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

        /// No agent drops a plain skill, so their readers need not run.
        #[test]
        fn plain_front_matter_is_read_by_all(
            name in "[a-z0-9-]{1,8}|[ -~]{0,8}|anthropic-skills|synced",
            directory in prop::sample::select(vec![
                "pdf", "my pdf", "-", "", "synced", "anthropic-skills", "anthropic-skills:x", "a\nb",
            ]),
            description in "[a-zA-Z0-9 ,.]{1,30}|[ -~é\"]{0,30}|2024-01-02",
            more in prop::sample::select(vec![
                "", "license: MIT\n", "metadata:\n  a: b\n", "metadata: x\n", "user-invocable: no\n",
                "allowed-tools: [a]\n", "x: a --- b\n", "x: |\n  ---\n", "name: again\n", "# c\n",
                "disable-model-invocation: true\n", "version: 2024-01-02\n", "x: [1, {y: z}]\n",
            ]),
            opener in prop::sample::select(vec!["---\n", "---\n", "--- \n", "---\r\n", "\u{feff}---\n"]),
        ) {
            let text = format!("{opener}name: {name}\ndescription: {description}\n{more}---\n\nBody\n");
            let document = Document::parse(&text);
            if is_plain(directory, &document) {
                let candidate = RawSkill { directory, bytes: text.as_bytes() };
                for agent in &AGENTS {
                    let seen = (agent.loading.read)(&candidate);
                    prop_assert!(!matches!(seen, AgentReading::Lost(_)), "{}: {seen:?}\n{text}", agent.id);
                }
            }
        }
    }
}
