//! Everything about one skill, for scripts.

use std::io::{self, Write};
use std::path::Path;

use anstream::adapter::strip_str;
use serde::Serialize;

use super::fields::FieldsRow;
use super::{ChangedFiles, FindingRow, VERSION, text};
use crate::output::changes::changes;
use crate::output::json;
use crate::skills::agents::simulate::Fate;
use crate::skills::files::digest::{Digest, FileHash, portable};
use crate::skills::files::platform::FileKind;
use crate::skills::judge::requirements::machine::Availability;
use crate::skills::model::scope::Scope;
use crate::skills::put::compare::{self, FileChange};
use crate::skills::show::card::{CardNeed, SkillCard};
use crate::skills::show::file_pass::CardFile;
use crate::skills::show::loading::{AgentVerdict, ShownDescription};
use crate::skills::text::limits::tokens;

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
    changes(&mut patch, found.changes, Path::new(""))?;
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
