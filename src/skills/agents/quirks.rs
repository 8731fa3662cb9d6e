//! How each agent treats an irregular skill: the observations as a table.

use std::borrow::Cow;

use QuirkOutcome::{Differs, Drops, Reads, Unknown};
use memchr::{memchr_iter, memmem};

use crate::skills::agents::readers::{AgentReading, RawSkill, is_timestamp};
use crate::skills::agents::{AGENTS, Agent, claude, join_titles};
use crate::skills::files::FileKind;
use crate::skills::files::content::Content;
use crate::skills::files::inventory::last_part;
use crate::skills::model::name::SkillName;
use crate::skills::model::source::Skill;
use crate::skills::text::document::{
    BOM, DESCRIPTION_CHARS, Document, Fields, FrontMatter, NAME_CHARS, SKILL_MD,
};
use crate::skills::text::position::Span;
use crate::skills::text::signals::{ContentSignal, ContentSignals, EXPANDED_COMMAND, EXPANSIONS};
use crate::skills::text::yaml::{Node, Value, YamlFault, YamlFaultKind};
use crate::skills::text::{quote, tools};

/// What one agent does with one quirk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuirkOutcome {
    /// It reads the skill normally.
    Reads,
    /// It silently drops the skill.
    Drops,
    /// It shows the skill, but changed: how, as the rest of a sentence about one agent, and about
    /// several.
    Differs(&'static str, &'static str),
    /// Not observed.
    Unknown,
}

/// An irregularity that agents treat differently.
#[derive(Debug, PartialEq, Eq)]
pub struct Quirk {
    /// A word for tests and tables.
    pub id: &'static str,
    /// One outcome for each of [`AGENTS`], in that order.
    pub outcomes: [QuirkOutcome; 6],
}

/// The agent ignores the front matter.
pub const BODY: QuirkOutcome = Differs(
    "shows a line of the body as its description",
    "show a line of the body as its description",
);

const LISTED: QuirkOutcome = Differs("still lists it", "still list it");

const IGNORED: QuirkOutcome = Differs("ignores this field", "ignore this field");

const LITERAL: QuirkOutcome =
    Differs("shows it to the model as it is", "show it to the model as it is");

const COMMENT: QuirkOutcome =
    Differs("takes the rest of the line for a comment", "take the rest of the line for a comment");

const CUT_1024: QuirkOutcome =
    Differs("cuts the description to 1,024 characters", "cut the description to 1,024 characters");

/// An outcome that only one agent has.
const fn alone(what: &'static str) -> QuirkOutcome {
    Differs(what, what)
}

macro_rules! quirks {
    ($($(#[$doc:meta])* $name:ident $id:literal [$($outcome:expr),*];)*) => {
        $($(#[$doc])* pub static $name: Quirk = Quirk { id: $id, outcomes: [$($outcome),*] };)*
        #[cfg(test)]
        static QUIRKS: &[&Quirk] = &[$(&$name),*];
    };
}

quirks! {
//  Claude, Codex, OpenCode, Copilot, Gemini, Pi
    /// `description: A: b`
    UNQUOTED_COLON "unquoted-colon" [Reads, Reads, Reads, Drops, Reads, Drops];
    /// `description: A:`, or a colon in a wrapped line
    FINAL_COLON "final-colon" [BODY, Drops, Reads, Drops, Reads, Drops];
    /// `allowed-tools: Bash(git: *)` and other fields than the description
    COLON_IN_OTHER_FIELD "colon-in-other-field" [Reads, Reads, Drops, Drops, Reads, Drops];
    /// A value that starts with `[x] y`, `@` or a backtick; `argument-hint: [a] [b]`
    RESERVED_START "reserved-start" [Reads, Reads, Drops, Drops, Reads, Drops];
    /// `description: "quoted" then more`
    TEXT_AFTER_QUOTE "text-after-quote" [BODY, Drops, Drops, Drops, Reads, Drops];
    /// A tab as indentation
    TAB_INDENT "tab-indent" [Reads, Drops, Reads, Drops, Reads, Drops];
    /// The same key twice
    DUPLICATE_KEY "duplicate-key" [alone("keeps the last value"), Drops, Drops, Drops, Reads, Drops];
    BYTE_ORDER_MARK "byte-order-mark" [Reads, Drops, Reads, Reads, Drops, Drops];
    /// Bytes that are not UTF-8
    NOT_UTF8 "not-utf8" [Reads, Drops, Reads, Reads, Reads, Reads];
    /// Blank lines or comments before the first `---`
    LATE_FRONT_MATTER "late-front-matter"
        [alone("shows `---` as its description"), Drops, Drops, Drops, Drops, Drops];
    /// No closing `---`
    UNCLOSED_FRONT_MATTER "unclosed-front-matter" [BODY, Drops, Reads, Drops, Drops, Drops];
    NO_FRONT_MATTER "no-front-matter"
        [alone("shows its heading as its description"), Drops, Drops, Drops, Drops, Drops];
    NAME_MISSING "name-missing" [Reads, Reads, Drops, Reads, Drops, Reads];
    /// `name: 123`
    NAME_NOT_TEXT "name-not-text" [Reads, Reads, Drops, Drops, Reads, Drops];
    /// A leading `-`, non-ASCII or `/` in the name
    NAME_FORMAT "name-format" [Reads, Reads, Reads, Drops, Reads, Reads];
    /// More than 64 characters
    NAME_TOO_LONG "name-too-long" [Reads, Drops, Reads, Drops, Reads, Reads];
    DESCRIPTION_MISSING "description-missing" [BODY, Drops, Drops,
        alone("shows the first paragraph as its description"), Drops, Drops];
    DESCRIPTION_EMPTY "description-empty" [BODY, Drops, Reads, Reads, Reads, Drops];
    /// `description: 5`
    DESCRIPTION_NOT_TEXT "description-not-text" [Reads, Reads, Drops, Drops, Reads, Drops];
    /// More than 1,024 characters, at most 1,536
    DESCRIPTION_TOO_LONG "description-too-long" [Reads,
        CUT_1024, Reads, Drops, Reads, Reads];
    /// More than 1,536 characters
    DESCRIPTION_FAR_TOO_LONG "description-far-too-long"
        [alone("cuts the description to 1,536 characters"),
        CUT_1024, Reads, Drops, Reads, Reads];
    /// `description` and `when_to_use` of more than 1,536 characters together
    LISTING_TOO_LONG "listing-too-long"
        [alone("cuts the description with `when_to_use` to 1,536 characters"),
        Reads, Reads, Reads, Reads, Reads];
    /// `metadata` that is a string or a list
    METADATA_NOT_MAPPING "metadata-not-mapping" [Reads, Drops, Reads, Reads, Reads, Reads];
    /// `disable-model-invocation: true`
    HIDDEN_FROM_MODEL "hidden-from-model" [Reads, LISTED, LISTED, Reads, LISTED, Reads];
    /// `disable-model-invocation: "true"` or `yes`
    HIDDEN_NOT_BOOLEAN "hidden-not-boolean" [Reads, LISTED, LISTED, Reads, LISTED, LISTED];
    PATHS "paths" [alone("hides it until a path matches"), Reads, Reads, Reads, Reads, Reads];
    /// `context`, `agent`, `model`, `hooks` and other fields of Claude alone
    CLAUDE_FIELD "claude-field" [Reads, IGNORED, IGNORED, Unknown, Unknown, Unknown];
    /// `$ARGUMENTS`, `${CLAUDE_SKILL_DIR}` or `` !`cmd` `` in the body
    CLAUDE_EXPANSION "claude-expansion" [Reads, LITERAL, LITERAL, Unknown, Unknown, Unknown];
    /// Tools that Claude must be told to allow when nobody can be asked
    HEADLESS_TOOLS "headless-tools"
        [alone("refuses it in headless runs unless `Skill(name)` is allowed"),
        Reads, Reads, Reads, Reads, Reads];
    /// ` #` in an unquoted description
    COMMENT_IN_DESCRIPTION "comment-in-description"
        [COMMENT, COMMENT, COMMENT, COMMENT, COMMENT, COMMENT];
    /// A `SKILL.md` that is a link
    SYMLINKED_SKILL_MD "symlinked-skill-md" [Reads, Drops, Reads, Reads, Reads, Reads];
    /// `skill.md`
    WRONG_CASE "wrong-case" [Drops, Drops, Drops, Drops, Drops, Drops];
    /// A directory whose name starts with a dot
    HIDDEN_DIRECTORY "hidden-directory" [Reads, Drops, Reads, Drops, Drops, Drops];
    /// A skill more than one level below the agent's skills directory
    NESTED_DIRECTORY "nested-directory" [Drops, Reads, Reads, Reads, Drops, Reads];
}

/// What a quirk means for a choice of agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuirkVerdict {
    /// Agents that drop or change the skill.
    pub affected: Vec<&'static Agent>,
    /// Whether any of them drops it.
    pub dropped: bool,
    /// `dropped by Copilot and Pi; Claude, Codex, OpenCode and Gemini read it`
    pub sentence: String,
}

impl Quirk {
    /// Whether some agent loses a skill for this.
    pub fn loses(&self) -> bool {
        self.outcomes.contains(&Drops)
    }
}

impl QuirkVerdict {
    /// What these outcomes, one for each of [`AGENTS`], mean for the agents that `includes` accepts.
    pub fn of(outcomes: &[QuirkOutcome; 6], includes: impl Fn(&Agent) -> bool) -> Self {
        let chosen = || AGENTS.iter().zip(*outcomes).filter(|(agent, _)| includes(agent));
        let with = |wanted: QuirkOutcome| -> Vec<&'static Agent> {
            chosen().filter(|(_, outcome)| *outcome == wanted).map(|(agent, _)| agent).collect()
        };
        let (dropping, reading) = (with(Drops), with(Reads));
        let mut parts = Vec::new();
        if !dropping.is_empty() {
            parts.push(format!("dropped by {}", join_titles(&dropping)));
        }
        let mut told: Vec<QuirkOutcome> = Vec::new();
        for (_, outcome) in chosen() {
            let Differs(one, several) = outcome else { continue };
            if told.contains(&outcome) {
                continue;
            }
            told.push(outcome);
            let agents = with(outcome);
            let what = if agents.len() == 1 { one } else { several };
            parts.push(format!("{} {what}", join_titles(&agents)));
        }
        if !reading.is_empty() {
            let verb = if reading.len() == 1 { "reads" } else { "read" };
            parts.push(format!("{} {verb} it", join_titles(&reading)));
        }
        let affected = chosen()
            .filter(|(_, outcome)| matches!(outcome, Drops | Differs(..)))
            .map(|(agent, _)| agent);
        Self {
            affected: affected.collect(),
            dropped: !dropping.is_empty(),
            sentence: parts.join("; "),
        }
    }
}

// Detects which quirks of the table a skill has.

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
        Content::NotUtf8 { utf16: false, .. } => found.push((&NOT_UTF8, None)),
        Content::NotAFile(FileKind::Symlink) if skill.file().is_file() => {
            found.push((&SYMLINKED_SKILL_MD, None));
        }
        _ => {}
    }
    let Some(document) = document else {
        return found;
    };
    if document.has_bom() {
        found.push((&BYTE_ORDER_MARK, Some(Span::new(0, BOM.len()))));
    }
    match &document.front_matter {
        FrontMatter::Missing { late: Some(span) } => {
            found.push((&LATE_FRONT_MATTER, Some(*span)));
        }
        FrontMatter::Missing { late: None } => {
            found.push((&NO_FRONT_MATTER, Some(Span::new(0, 0))));
        }
        FrontMatter::Unclosed { open } => {
            found.push((&UNCLOSED_FRONT_MATTER, Some(*open)));
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
                found.push((&CLAUDE_EXPANSION, Some(span)));
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
        found.push((&WRONG_CASE, None));
    }
    if !skill.kind().has_directory() {
        return;
    }
    if last_part(&skill.path).starts_with(b".") && skill.path.file_name().is_some() {
        found.push((&HIDDEN_DIRECTORY, None));
    }
    let path = skill.path.as_os_str().as_encoded_bytes();
    if memmem::find(path, b".claude").is_none() {
        return;
    }
    let below_claude =
        skill.path.ancestors().skip(1).position(|ancestor| ancestor.ends_with(".claude/skills"));
    if below_claude.is_some_and(|levels| levels > 0) {
        found.push((&NESTED_DIRECTORY, None));
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
                Some(&COLON_IN_OTHER_FIELD)
            } else if behind.trim().is_empty() || before.contains('\n') {
                Some(&FINAL_COLON)
            } else {
                Some(&UNQUOTED_COLON)
            }
        }
        YamlFaultKind::ReservedCharacter => Some(&RESERVED_START),
        YamlFaultKind::TrailingText => {
            let before = document.text[..fault.span.start].trim_end();
            let quote = before.ends_with(['"', '\'']);
            Some(if quote { &TEXT_AFTER_QUOTE } else { &RESERVED_START })
        }
        YamlFaultKind::Tab => Some(&TAB_INDENT),
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
        add(&DUPLICATE_KEY, duplicate.again);
    }
    match mapping.get("name").map(|node| (&node.value, node.span)) {
        None | Some((Value::Null, _)) => add(&NAME_MISSING, fields.open),
        Some((Value::String(name), span)) => {
            if name.starts_with('-') || name.contains('/') || !name.is_ascii() {
                add(&NAME_FORMAT, span);
            }
            if name.chars().count() > NAME_CHARS {
                add(&NAME_TOO_LONG, span);
            }
        }
        Some((_, span)) => add(&NAME_NOT_TEXT, span),
    }
    match mapping.get("description").map(|node| (&node.value, node.span)) {
        None => add(&DESCRIPTION_MISSING, fields.open),
        Some((Value::Null, _)) => {
            let key = mapping.entry("description").map_or(fields.open, |entry| entry.key.span);
            add(&DESCRIPTION_MISSING, key);
        }
        Some((Value::String(text), span)) => match text.chars().count() {
            _ if text.trim().is_empty() => add(&DESCRIPTION_EMPTY, span),
            length if length > CLAUDE_DESCRIPTION_CHARS => {
                add(&DESCRIPTION_FAR_TOO_LONG, span);
            }
            length if length > DESCRIPTION_CHARS => add(&DESCRIPTION_TOO_LONG, span),
            _ => {}
        },
        Some((_, span)) => add(&DESCRIPTION_NOT_TEXT, span),
    }
    if let Some((node, text)) =
        mapping.get("when_to_use").and_then(|node| Some((node, node.as_str()?)))
        && let Some(description) = mapping.get("description").and_then(Node::as_str)
    {
        let count = |text: &str| text.chars().count();
        let (own, added) = (count(description), " - ".len() + count(text));
        if own <= CLAUDE_DESCRIPTION_CHARS && own + added > CLAUDE_DESCRIPTION_CHARS {
            add(&LISTING_TOO_LONG, node.span);
        }
    }
    if let Some(node) = mapping.get("metadata")
        && node.as_mapping().is_none()
        && node.value != Value::Null
    {
        add(&METADATA_NOT_MAPPING, node.span);
    }
    if let Some(node) = mapping.get("disable-model-invocation") {
        match node.scalar_text() {
            "true" if node.value == Value::Bool(true) => add(&HIDDEN_FROM_MODEL, node.span),
            "true" | "yes" => add(&HIDDEN_NOT_BOOLEAN, node.span),
            _ => {}
        }
    }
    if let Some(entry) = document.entry("paths") {
        add(&PATHS, entry.key.span);
    }
    for entry in &mapping.entries {
        if CLAUDE_FIELDS.contains(&entry.key.scalar_text()) {
            add(&CLAUDE_FIELD, entry.key.span);
        }
    }
    if let Some(node) = mapping.get("allowed-tools").filter(|node| !tools::parse(node).is_empty()) {
        add(&HEADLESS_TOOLS, node.span);
    }
    if let Some(span) = comment_in_description(document) {
        add(&COMMENT_IN_DESCRIPTION, span);
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
    use super::*;

    #[test]
    fn the_sentence_names_losers_first() {
        let verdict = QuirkVerdict::of(&UNQUOTED_COLON.outcomes, |_| true);
        assert_eq!(
            verdict.sentence,
            "dropped by Copilot and Pi; Claude, Codex, OpenCode and Gemini read it"
        );
        let ids: Vec<&str> = verdict.affected.iter().map(|agent| agent.id).collect();
        assert_eq!(ids, ["copilot", "pi"]);
        let claude = QuirkVerdict::of(&DESCRIPTION_MISSING.outcomes, |agent| agent.id == "claude");
        assert_eq!(claude.sentence, "Claude shows a line of the body as its description");
        assert!(!claude.dropped);
        assert_eq!(
            QuirkVerdict::of(&HIDDEN_FROM_MODEL.outcomes, |_| true).sentence,
            "Codex, OpenCode and Gemini still list it; Claude, Copilot and Pi read it"
        );
    }

    #[test]
    fn every_row_has_its_own_id_and_affects_someone() {
        let ids: std::collections::HashSet<&str> = QUIRKS.iter().map(|quirk| quirk.id).collect();
        assert_eq!(ids.len(), QUIRKS.len());
        for quirk in QUIRKS {
            assert!(
                !QuirkVerdict::of(&quirk.outcomes, |_| true).affected.is_empty(),
                "{}",
                quirk.id
            );
        }
    }
}

#[cfg(test)]
mod detect_tests {
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
