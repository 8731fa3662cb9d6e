//! The JSON formats, version 1: types of their own, so that what scripts rely on changes only
//! on purpose.

pub mod install;
pub mod lock;
pub mod render;

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use crate::output::json;
use crate::skills::files::digest::Digest;
use crate::skills::find::record::InstallRecord;
use crate::skills::judge::rule::{RepairScope, Severity};
use crate::skills::judge::rules::RULES;
use crate::skills::judge::validate::Validation;
use crate::skills::model::error::Error;
use crate::skills::model::scope::Scope;
use crate::skills::show::listing::ListLine;
use crate::skills::show::uri::{SkillFile, SkillUri};
use crate::skills::text::limits::tokens;

const VERSION: u32 = 1;

#[derive(Serialize)]
struct ValidateReport<'a> {
    version: u32,
    skills: Vec<ValidatedSkillRow<'a>>,
    findings: Vec<FindingRow<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct ValidatedSkillRow<'a> {
    name: &'a str,
    path: String,
    valid: bool,
}

#[derive(Serialize)]
struct FindingRow<'a> {
    rule: &'static str,
    severity: &'static str,
    message: &'a str,
    help: Option<&'a str>,
    path: String,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
    skill: &'a str,
    agents: Vec<&'static str>,
    fixable: bool,
}

#[derive(Serialize)]
struct Summary {
    skills: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
}

/// The result of `skills validate`.
///
/// # Errors
/// Those of the stream.
pub fn validation(out: &mut dyn Write, validation: &Validation) -> io::Result<()> {
    let failing = validation.skills_with(|finding| validation.fails(finding));
    let skills = validation.skills.iter().map(|checked| ValidatedSkillRow {
        name: &checked.skill.name,
        path: text(&checked.skill.path),
        valid: !failing.contains(checked.skill.path.as_path()),
    });
    let findings = validation.findings.iter().map(|finding| FindingRow {
        rule: finding.rule.id,
        severity: finding.severity.as_str(),
        message: &finding.message,
        help: finding.help.as_deref(),
        path: text(&finding.path),
        line: finding.place.map(|place| place.start.line),
        column: finding.place.map(|place| place.start.column),
        end_line: finding.place.map(|place| place.end.line),
        end_column: finding.place.map(|place| place.end.column),
        skill: &finding.skill,
        agents: finding.agents.iter().map(|agent| agent.id).collect(),
        fixable: finding.is_fixable(RepairScope::Faults),
    });
    let report = ValidateReport {
        version: VERSION,
        skills: skills.collect(),
        findings: findings.collect(),
        summary: Summary {
            skills: validation.skills.len(),
            errors: validation.count(Severity::Error),
            warnings: validation.count(Severity::Warning),
            notes: validation.count(Severity::Note),
        },
    };
    json::write(out, &report)
}

#[derive(Serialize)]
struct ListReport<'a> {
    version: u32,
    skills: Vec<ListRow<'a>>,
}

#[derive(Serialize)]
struct ListRow<'a> {
    name: &'a str,
    description: Option<&'a str>,
    path: String,
    provider: Option<&'static str>,
    scope: Option<&'static str>,
    status: &'static str,
    reason: Option<&'a str>,
    rules: &'a [&'static str],
    nested: bool,
    files: Option<usize>,
    bytes: Option<u64>,
    tokens: TokenRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<Digest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    installed: Option<InstalledRow<'a>>,
}

#[derive(Serialize)]
struct InstalledRow<'a> {
    #[serde(flatten)]
    record: RecordRow<'a>,
    edited: Option<bool>,
}

/// What was written down about a skill when it was installed.
#[derive(Serialize)]
struct RecordRow<'a> {
    source: &'a str,
    kind: &'a str,
    digest: Digest,
    installed_at: &'a str,
    tool: &'a str,
}

impl<'a> From<&'a InstallRecord> for RecordRow<'a> {
    fn from(record: &'a InstallRecord) -> Self {
        Self {
            source: &record.source,
            kind: record.kind.as_str(),
            digest: record.digest,
            installed_at: &record.installed_at,
            tool: &record.tool,
        }
    }
}

#[derive(Serialize)]
struct TokenRow {
    catalog: usize,
    body: usize,
}

/// The result of `skills list`.
///
/// # Errors
/// Those of the stream.
pub fn list(out: &mut dyn Write, rows: &[ListLine]) -> io::Result<()> {
    let skills = rows.iter().map(|row| ListRow {
        name: row.shown_name(),
        description: row.entry.description.as_deref(),
        path: text(&row.entry.skill.path),
        provider: row.origin.provider,
        scope: row.origin.scope.map(Scope::as_str),
        status: row.status.as_str(),
        reason: row.reason.as_deref(),
        rules: &row.rules,
        nested: row.entry.skill.is_nested,
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
    });
    json::write(out, &ListReport { version: VERSION, skills: skills.collect() })
}

#[derive(Serialize)]
struct FileReport<'a> {
    version: u32,
    url: &'a str,
    skill: &'a str,
    path: String,
    content_type: &'static str,
    bytes: usize,
    content: &'a str,
}

/// The result of `skills read`.
///
/// # Errors
/// Those of the stream.
pub fn skill_file(
    out: &mut dyn Write,
    uri: &SkillUri,
    skill: &str,
    file: &SkillFile,
    content: &str,
) -> io::Result<()> {
    let report = FileReport {
        version: VERSION,
        url: &uri.text,
        skill,
        path: text(&file.path),
        content_type: file.content_type,
        bytes: file.bytes.len(),
        content,
    };
    json::write(out, &report)
}

#[derive(Serialize)]
struct ErrorReport<'a> {
    version: u32,
    error: ErrorRow<'a>,
}

#[derive(Serialize)]
struct ErrorRow<'a> {
    kind: &'static str,
    message: &'a str,
    path: Option<String>,
    details: Option<&'a str>,
}

/// An operation that could not be done.
///
/// # Errors
/// Those of the stream.
pub fn error(out: &mut dyn Write, error: &Error) -> io::Result<()> {
    let row = ErrorRow {
        kind: error.kind.as_str(),
        message: &error.message,
        path: error.path.as_deref().map(text),
        details: error.help.as_deref(),
    };
    json::write(out, &ErrorReport { version: VERSION, error: row })
}

#[derive(Serialize)]
struct RuleList {
    version: u32,
    rules: Vec<RuleRow>,
}

#[derive(Serialize)]
struct RuleRow {
    id: &'static str,
    severity: &'static str,
    summary: &'static str,
    why: &'static str,
    fixable: bool,
}

/// The result of `skills rules`.
///
/// # Errors
/// Those of the stream.
pub fn rules(out: &mut dyn Write) -> io::Result<()> {
    let rules = RULES.iter().map(|rule| RuleRow {
        id: rule.id,
        severity: rule.severity.as_str(),
        summary: rule.summary,
        why: rule.why,
        fixable: rule.repair_scope() == Some(RepairScope::Faults),
    });
    json::write(out, &RuleList { version: VERSION, rules: rules.collect() })
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
