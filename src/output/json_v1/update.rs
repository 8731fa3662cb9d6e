//! The result of an update, done or planned, for scripts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::lock::{CommitRow, commits};
use super::{ChangedFiles, FailureRow, VERSION, text};
use crate::output::json;
use crate::skills::files::digest::Digest;
use crate::skills::judge::rule::Finding;
use crate::skills::put::update::UpdateOutcome;
use crate::skills::put::update::apply::UpdateReport as Report;
use crate::skills::text::printable::revealed;

#[derive(Serialize)]
struct UpdateDocument<'a> {
    version: u32,
    home: Option<String>,
    skills_dirs: Vec<String>,
    env: BTreeMap<String, String>,
    unset: Vec<String>,
    dry_run: bool,
    skills: Vec<UpdateRow<'a>>,
    failures: Vec<FailureRow<'a>>,
}

#[derive(Serialize)]
struct UpdateRow<'a> {
    name: &'a str,
    path: String,
    source: &'a str,
    kind: &'a str,
    action: &'static str,
    state: &'static str,
    reason: Option<Cow<'a, str>>,
    help: Option<Cow<'a, str>>,
    from: Option<&'a str>,
    to: Option<&'a str>,
    from_version: Option<&'a str>,
    to_version: Option<&'a str>,
    changes: Vec<CommitRow<'a>>,
    truncated: bool,
    files: ChangedFiles<'a>,
    findings: Vec<SafetyRow<'a>>,
    bytes: u64,
    digest: Option<Digest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<String>,
}

#[derive(Serialize)]
struct SafetyRow<'a> {
    rule: &'static str,
    severity: &'static str,
    message: Cow<'a, str>,
    path: String,
    line: Option<usize>,
}

/// The result of `skills update`, and of `skills outdated` for installed skills.
pub fn report(out: &mut dyn Write, report: &Report, dry_run: bool) -> io::Result<()> {
    let document = UpdateDocument {
        version: VERSION,
        // As `skills install` has them.
        home: None,
        env: BTreeMap::new(),
        unset: Vec::new(),
        skills_dirs: report.directories.iter().map(|path| text(path)).collect(),
        dry_run,
        skills: report.outcomes.iter().map(row).collect(),
        failures: report.failures.iter().map(FailureRow::from).collect(),
    };
    json::write(out, &document)
}

fn row(outcome: &UpdateOutcome) -> UpdateRow<'_> {
    let reason = outcome.reason.as_ref();
    let history = outcome.history.as_ref();
    UpdateRow {
        name: &outcome.name,
        path: text(&outcome.path),
        source: &outcome.source,
        kind: outcome.kind.as_str(),
        action: outcome.action.as_str(),
        state: outcome.state.as_str(),
        reason: reason.map(|error| revealed(&error.message)),
        help: reason.and_then(|error| error.help.as_deref()).map(revealed),
        from: outcome.from.as_deref(),
        to: outcome.to.as_deref(),
        from_version: outcome.version.from.as_deref(),
        to_version: outcome.version.to.as_deref(),
        changes: history.map(commits).unwrap_or_default(),
        truncated: history.is_some_and(|history| history.is_cut),
        files: ChangedFiles::from(&outcome.files),
        findings: outcome.findings.iter().map(|one| finding(one, &outcome.path)).collect(),
        bytes: outcome.bytes,
        digest: outcome.digest,
        backup: outcome.backup.as_deref().map(text),
    }
}

fn finding<'a>(finding: &'a Finding, skill: &Path) -> SafetyRow<'a> {
    SafetyRow {
        rule: finding.rule.id,
        severity: finding.severity.as_str(),
        message: revealed(&finding.message),
        path: text(finding.path.strip_prefix(skill).unwrap_or(&finding.path)),
        line: finding.place.map(|place| place.start.line),
    }
}
