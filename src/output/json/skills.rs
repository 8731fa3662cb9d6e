//! Skills for scripts: lists, one skill with everything about it, catalogues, and all fields.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use anstream::adapter::strip_str;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::output::diff::file_changes;
use crate::output::json::{
    self, ChangedFiles, FindingRow, RecordRow, ToolDefinition, VERSION, text,
};
use crate::skills::agents::load::Fate;
use crate::skills::files::FileKind;
use crate::skills::files::digest::{Digest, FileHash, portable};
use crate::skills::judge::needs::Availability;
use crate::skills::model::scope::Scope;
use crate::skills::put::compare::{self, FileChange};
use crate::skills::show::card::{CardNeed, SkillCard};
use crate::skills::show::file_pass::CardFile;
use crate::skills::show::layout::Prompt;
use crate::skills::show::listing::{ListLine, Placement};
use crate::skills::show::loading::{AgentVerdict, ShownDescription};
use crate::skills::show::prompt::PromptSkill;
use crate::skills::show::tools::ToolUse;
use crate::skills::text::document::tokens;
use crate::skills::text::field_values::{FieldValue, FieldValues};

#[derive(Serialize)]
struct ListReport<'a> {
    version: u32,
    skills: Vec<ListRow<'a>>,
}

#[derive(Serialize)]
struct ListRow<'a> {
    name: &'a str,
    plugin: Option<&'a str>,
    description: Option<&'a str>,
    path: String,
    provider: Option<&'static str>,
    scope: Option<&'static str>,
    status: &'static str,
    reason: Option<&'a str>,
    rules: &'a [&'static str],
    nested: bool,
    linked: bool,
    placement: Option<&'static str>,
    section: Option<&'a str>,
    files: Option<usize>,
    bytes: Option<u64>,
    tokens: TokenRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<Digest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    installed: Option<InstalledRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    installed_by: Option<OtherInstallRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_definitions: Option<Vec<ToolDefinition<'a>>>,
    #[serde(flatten)]
    fields: Option<FieldsRow<'a>>,
}

/// Another installer.
#[derive(Serialize)]
struct OtherInstallRow<'a> {
    tool: &'static str,
    source: Option<&'a str>,
}

#[derive(Serialize)]
struct InstalledRow<'a> {
    #[serde(flatten)]
    record: RecordRow<'a>,
    edited: Option<bool>,
}

#[derive(Serialize)]
struct TokenRow {
    catalog: usize,
    body: usize,
}

/// The result of `skills list`, with or without the fields of each skill.
pub fn list(out: &mut dyn Write, rows: &[ListLine], with_fields: bool) -> io::Result<()> {
    let skills = rows.iter().map(|row| ListRow {
        name: row.shown_name(),
        plugin: row.entry.skill.plugin_name(),
        description: row.entry.description.as_deref(),
        path: text(&row.entry.skill.path),
        provider: row.origin.provider,
        scope: row.origin.scope.map(Scope::as_str),
        status: row.status.as_str(),
        reason: row.reason.as_deref(),
        rules: &row.rules,
        nested: row.entry.skill.is_nested,
        linked: row.linked,
        placement: row.placement.map(Placement::as_str),
        section: row.section.as_deref(),
        files: row.entry.size.map(|size| size.files),
        bytes: row.entry.size.map(|size| size.bytes),
        tokens: TokenRow {
            catalog: tokens(row.entry.catalog_chars),
            body: tokens(row.entry.body_chars),
        },
        digest: row.entry.digest,
        installed: row
            .record
            .as_ref()
            .map(|record| InstalledRow { record: record.into(), edited: row.is_edited() }),
        installed_by: row.other.as_ref().map(|other| OtherInstallRow {
            tool: other.installer.id(),
            source: other.source.as_deref(),
        }),
        tool_definitions: row
            .entry
            .skill
            .inline()
            .filter(|_| with_fields)
            .map(|inline| inline.tools.iter().map(ToolDefinition::from).collect()),
        fields: with_fields.then(|| row.entry.fields.as_ref().into()),
    });
    json::write(out, &ListReport { version: VERSION, skills: skills.collect() })
}

#[derive(Serialize)]
struct ToolsReport<'a> {
    version: u32,
    tools: Vec<ToolRow<'a>>,
}

#[derive(Serialize)]
struct ToolRow<'a> {
    tool: &'a str,
    skills: &'a [String],
}

/// The result of `skills list --tools`.
pub fn tools(out: &mut dyn Write, tools: &[ToolUse]) -> io::Result<()> {
    let tools = tools.iter().map(|one| ToolRow { tool: &one.tool, skills: &one.skills });
    json::write(out, &ToolsReport { version: VERSION, tools: tools.collect() })
}

// Everything about one skill, for scripts.

#[derive(Serialize)]
struct CardReport<'a> {
    version: u32,
    skill: CardRow<'a>,
    files: Vec<CardFileRow>,
    agents: Vec<AgentRow<'a>>,
    needs: Vec<NeedRow<'a>>,
    origin: Option<OriginRow<'a>>,
    copies: Vec<CopyRow>,
    findings: Vec<FindingRow<'a>>,
}

#[derive(Serialize)]
struct CardRow<'a> {
    name: &'a str,
    plugin: Option<&'a str>,
    description: Option<&'a str>,
    path: String,
    provider: Option<&'static str>,
    scope: Option<&'static str>,
    status: &'static str,
    reason: Option<&'a str>,
    rules: &'a [&'static str],
    nested: Vec<String>,
    bytes: u64,
    tokens: CardTokenRow,
    digest: Option<Digest>,
    signature: &'static str,
    #[serde(flatten)]
    fields: FieldsRow<'a>,
}

#[derive(Serialize)]
struct CardTokenRow {
    catalog: usize,
    body: usize,
}

#[derive(Serialize)]
struct CardFileRow {
    path: String,
    kind: &'static str,
    bytes: u64,
    executable: bool,
    script: bool,
    sha256: Option<FileHash>,
}

#[derive(Serialize)]
struct AgentRow<'a> {
    agent: &'static str,
    loads: bool,
    reason: Option<String>,
    name: Option<&'a str>,
    description: Option<&'a str>,
    cut: bool,
}

#[derive(Serialize)]
struct NeedRow<'a> {
    kind: &'static str,
    need: String,
    field: &'a str,
    available: Option<bool>,
}

#[derive(Serialize)]
struct OriginRow<'a> {
    source: &'a str,
    kind: &'a str,
    requested: Option<&'a str>,
    commit: Option<&'a str>,
    installed_at: Option<&'a str>,
    edited: Option<bool>,
}

#[derive(Serialize)]
struct CopyRow {
    path: String,
    provider: Option<&'static str>,
    scope: Option<&'static str>,
    identical: Option<bool>,
}

/// The result of `skills show`.
pub fn card(out: &mut dyn Write, card: &SkillCard) -> io::Result<()> {
    let (row, details) = (&card.row, &card.details);
    let entry = &row.entry;
    let own = entry.description.as_deref().unwrap_or_default();
    let origin = card.origin.as_ref().map(|origin| OriginRow {
        source: &origin.source,
        kind: &origin.kind,
        requested: origin.requested.as_deref(),
        commit: origin.commit.as_deref(),
        installed_at: origin.installed_at.as_deref(),
        edited: origin.edited,
    });
    let copies = card.copies.iter().map(|copy| CopyRow {
        path: text(&copy.path),
        provider: copy.origin.provider,
        scope: copy.origin.scope.map(Scope::as_str),
        identical: copy.is_same,
    });
    let report = CardReport {
        version: VERSION,
        skill: CardRow {
            name: row.shown_name(),
            plugin: entry.skill.plugin_name(),
            description: entry.description.as_deref(),
            path: text(&entry.skill.path),
            provider: row.origin.provider,
            scope: row.origin.scope.map(Scope::as_str),
            status: row.status.as_str(),
            reason: row.reason.as_deref(),
            rules: &row.rules,
            nested: details.nested.iter().map(|path| portable(path)).collect(),
            bytes: details.files.iter().map(|file| file.bytes).sum(),
            tokens: CardTokenRow {
                catalog: tokens(entry.catalog_chars),
                body: tokens(entry.body_chars),
            },
            digest: entry.digest,
            signature: if details.has_signature { "not_verified" } else { "none" },
            fields: entry.fields.as_ref().into(),
        },
        files: details.files.iter().map(file).collect(),
        agents: details.agents.iter().map(|verdict| agent(verdict, own)).collect(),
        needs: card.needs.iter().map(need).collect(),
        origin,
        copies: copies.collect(),
        findings: details.findings.iter().map(FindingRow::from).collect(),
    };
    json::write(out, &report)
}

/// What differs between an installed skill and its source.
#[derive(Debug, Clone, Copy)]
pub struct SkillDifference<'a> {
    pub name: &'a str,
    /// Where it is installed.
    pub path: &'a Path,
    /// What it is compared with.
    pub source: &'a Path,
    /// The files that are not the same.
    pub changes: &'a [FileChange],
}

#[derive(Serialize)]
struct DifferenceReport<'a> {
    version: u32,
    name: &'a str,
    path: String,
    source: String,
    files: ChangedFiles<'a>,
    diff: String,
}

/// The result of `skills show --diff`.
pub fn difference(out: &mut dyn Write, found: &SkillDifference<'_>) -> io::Result<()> {
    let mut patch = Vec::new();
    file_changes(&mut patch, found.changes, Path::new(""))?;
    let differences = compare::differences(found.changes);
    let report = DifferenceReport {
        version: VERSION,
        name: found.name,
        path: text(found.path),
        source: text(found.source),
        files: ChangedFiles::from(&differences),
        diff: strip_str(&String::from_utf8_lossy(&patch)).to_string(),
    };
    json::write(out, &report)
}

fn file(file: &CardFile) -> CardFileRow {
    CardFileRow {
        path: portable(&file.path),
        kind: match file.kind {
            FileKind::Regular => "file",
            FileKind::Directory => "directory",
            FileKind::Symlink => "link",
            FileKind::Special(_) => "special",
        },
        bytes: file.bytes,
        executable: file.executable,
        script: file.is_script,
        sha256: file.sha256,
    }
}

fn need(need: &CardNeed) -> NeedRow<'_> {
    NeedRow {
        kind: need.need.kind(),
        need: need.need.describe(),
        field: &need.field,
        available: match need.availability {
            Availability::Present => Some(true),
            Availability::Missing(_) => Some(false),
            Availability::Unknown => None,
        },
    }
}

fn agent<'a>(verdict: &'a AgentVerdict, own: &str) -> AgentRow<'a> {
    let (name, description) = match &verdict.fate {
        Fate::Shown(entry) => (Some(entry.name.as_str()), Some(entry.description.as_str())),
        Fate::Hidden(name, _) => (Some(name.as_str()), None),
        _ => (None, None),
    };
    AgentRow {
        agent: verdict.agent.id,
        loads: verdict.loads(),
        reason: verdict.reason(),
        name,
        description,
        cut: verdict.description(own) == Some(ShownDescription::Cut),
    }
}

// Prompts as a model sees them, for scripts.

#[derive(Serialize)]
struct PromptReport<'a> {
    version: u32,
    title: &'a str,
    skills: Vec<CatalogueRow<'a>>,
    sections: Vec<SectionRow<'a>>,
}

#[derive(Serialize)]
struct CatalogueRow<'a> {
    name: &'a str,
    description: Option<&'a str>,
    location: Option<&'a str>,
    section: Option<&'a str>,
}

#[derive(Serialize)]
struct SectionRow<'a> {
    name: Option<&'a str>,
    kind: &'static str,
    key: &'a str,
    title: &'a str,
    section: Option<&'a str>,
    visibility: &'static str,
    tools: Vec<&'a str>,
    tool_definitions: Vec<ToolDefinition<'a>>,
    text: &'a str,
}

/// A catalogue and sections.
pub fn prompt(out: &mut dyn Write, prompt: &Prompt) -> io::Result<()> {
    let skills = prompt.lines.iter().map(|line| CatalogueRow {
        name: &line.name,
        description: line.description.as_deref(),
        location: line.location.as_deref(),
        section: line.section.as_deref(),
    });
    let sections = prompt.sections.iter().map(|section| SectionRow {
        name: section.skill.as_deref(),
        kind: if section.skill.is_some() { "skill" } else { "section" },
        key: &section.key,
        title: &section.title,
        section: section.section.as_deref(),
        visibility: section.visibility.as_str(),
        tools: section.tools.iter().map(|tool| tool.name.as_str()).collect(),
        tool_definitions: section.tools.iter().map(ToolDefinition::from).collect(),
        text: &section.text,
    });
    let (title, skills, sections) = (&prompt.title, skills.collect(), sections.collect());
    json::write(out, &PromptReport { version: VERSION, title, skills, sections })
}

#[derive(Serialize)]
struct ContentReport<'a> {
    version: u32,
    skills: Vec<ContentRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
}

#[derive(Serialize)]
struct ContentRow<'a> {
    name: &'a str,
    description: Option<&'a str>,
    location: String,
    directory: Option<String>,
    content: &'a str,
    files: Vec<String>,
    total_files: usize,
}

/// Whole skills, with the user's request if there is one.
pub fn contents(
    out: &mut dyn Write,
    skills: &[&PromptSkill],
    user: Option<&str>,
) -> io::Result<()> {
    let rows = skills.iter().map(|skill| ContentRow {
        name: skill.name(),
        description: skill.description.as_deref(),
        location: skill.location(None),
        directory: skill.directory().map(Cow::into_owned),
        content: skill.body.trim(),
        files: skill.files.0.iter().map(|file| text(file)).collect(),
        total_files: skill.files.1,
    });
    json::write(out, &ContentReport { version: VERSION, skills: rows.collect(), user })
}

// The front matter of a skill, for scripts: common fields by name, and all of it unchanged.

/// The common fields, and all of the front matter.
#[derive(Serialize)]
pub struct FieldsRow<'a> {
    version: Option<&'a str>,
    license: Option<&'a str>,
    compatibility: Option<&'a str>,
    allowed_tools: &'a [String],
    front_matter: Option<MappingValue<'a>>,
}

impl<'a> From<Option<&'a FieldValues>> for FieldsRow<'a> {
    fn from(fields: Option<&'a FieldValues>) -> Self {
        let text = |key| fields.and_then(|fields| fields.text(key));
        Self {
            version: fields.and_then(FieldValues::version),
            license: text("license"),
            compatibility: text("compatibility"),
            allowed_tools: fields.map(|fields| fields.tools.as_slice()).unwrap_or_default(),
            front_matter: fields.map(|fields| MappingValue(&fields.entries)),
        }
    }
}

/// Keys and values, in the order of the file.
struct MappingValue<'a>(&'a [(String, FieldValue)]);

impl Serialize for MappingValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in self.0 {
            map.serialize_entry(key, &AnyValue(value))?;
        }
        map.end()
    }
}

/// A value as the file has it.
pub struct AnyValue<'a>(pub &'a FieldValue);

impl Serialize for AnyValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            FieldValue::Null => serializer.serialize_unit(),
            FieldValue::Bool(value) => serializer.serialize_bool(*value),
            FieldValue::Number(text) => number(text, serializer),
            FieldValue::Text(text) => serializer.serialize_str(text),
            FieldValue::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&AnyValue(item))?;
                }
                list.end()
            }
            FieldValue::Mapping(entries) => MappingValue(entries).serialize(serializer),
        }
    }
}

/// A number, if it comes back as it was written. Others, such as the version `1.10`, stay text.
fn number<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    match serde_json::from_str::<serde_json::Number>(text) {
        Ok(number) if number.to_string() == text => number.serialize(serializer),
        _ => serializer.serialize_str(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_json_would_change_stay_text() {
        let json = |text: &str| {
            serde_json::to_string(&AnyValue(&FieldValue::Number(text.to_owned()))).unwrap()
        };
        for (written, expected) in [
            ("1", "1"),
            ("-2.5", "-2.5"),
            ("1.10", "\"1.10\""),
            ("0x1F", "\"0x1F\""),
            (".inf", "\".inf\""),
            ("1e400", "\"1e400\""),
            ("99999999999999999999999", "\"99999999999999999999999\""),
        ] {
            assert_eq!(json(written), expected, "{written}");
        }
    }
}
