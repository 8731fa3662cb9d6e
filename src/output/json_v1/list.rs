//! Lists of skills, and of the tools that they use, for scripts.

use std::io::{self, Write};

use serde::Serialize;

use super::fields::FieldsRow;
use super::{RecordRow, ToolDefinition, VERSION, text};
use crate::output::json;
use crate::skills::files::digest::Digest;
use crate::skills::model::scope::Scope;
use crate::skills::show::listing::{ListLine, Placement};
use crate::skills::show::tools::ToolUse;
use crate::skills::text::limits::tokens;

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
