//! The result of `skills sync`, done or planned, for scripts.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::install::{SkippedRow, skipped};
use super::lock::{CommitRow, commits};
use super::{ChangedFiles, FailureRow, VERSION, text};
use crate::output::json;
use crate::skills::files::digest::Digest;
use crate::skills::model::error::Error;
use crate::skills::put::install::{InstallSummary, SkillOutcome};
use crate::skills::put::sync::Leftover;
use crate::skills::put::sync::news::SkillNews;

/// Everything that is reported.
#[derive(Debug, Clone, Copy)]
pub struct SyncReport<'a> {
    /// The home that the skills directories belong to.
    pub home: Option<&'a Path>,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The outcome for each skill.
    pub summary: &'a InstallSummary,
    /// The skills that the manifest no longer provides.
    pub leftovers: &'a [Leftover],
    /// The changes, by path.
    pub news: &'a BTreeMap<PathBuf, SkillNews>,
    /// The sources that could not be read.
    pub unread: &'a [Error],
}

#[derive(Serialize)]
struct SyncDocument<'a> {
    version: u32,
    home: Option<String>,
    skills_dirs: Vec<String>,
    env: BTreeMap<String, String>,
    unset: Vec<String>,
    dry_run: bool,
    skills: Vec<SyncRow<'a>>,
    skipped: Vec<SkippedRow<'a>>,
    failures: Vec<FailureRow<'a>>,
}

#[derive(Serialize)]
struct SyncRow<'a> {
    name: &'a str,
    path: String,
    source: &'a str,
    kind: &'a str,
    action: &'static str,
    state: &'static str,
    from_version: Option<&'a str>,
    to_version: Option<&'a str>,
    changes: Vec<CommitRow<'a>>,
    files: ChangedFiles<'a>,
    bytes: u64,
    digest: Option<Digest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<String>,
}

/// The result of `skills sync`.
pub fn report(out: &mut dyn Write, report: &SyncReport<'_>) -> io::Result<()> {
    let nothing = SkillNews::default();
    let state = |outcome: &SkillOutcome| {
        let left = report.leftovers.iter().find(|leftover| leftover.path == outcome.path);
        left.map_or("synced", |leftover| leftover.fate.as_str())
    };
    let skills = report.summary.outcomes.iter().map(|outcome| {
        let SkillOutcome { name, path, source, kind, action, bytes, digest, backup, .. } = outcome;
        let news = report.news.get(path).unwrap_or(&nothing);
        SyncRow {
            name,
            path: text(path),
            source,
            kind: kind.as_str(),
            action: action.as_str(),
            state: state(outcome),
            from_version: outcome.version.from.as_deref(),
            to_version: outcome.version.to.as_deref(),
            changes: news.history.as_ref().map(commits).unwrap_or_default(),
            files: ChangedFiles::from(&news.files),
            bytes: *bytes,
            digest: *digest,
            backup: backup.as_deref().map(text),
        }
    });
    let document = SyncDocument {
        version: VERSION,
        home: report.home.map(text),
        skills_dirs: report.summary.directories.iter().map(|path| text(path)).collect(),
        // As `skills install` has them.
        env: BTreeMap::new(),
        unset: Vec::new(),
        dry_run: report.dry_run,
        skills: skills.collect(),
        skipped: skipped(&report.summary.skipped),
        failures: report.unread.iter().map(FailureRow::from).collect(),
    };
    json::write(out, &document)
}
