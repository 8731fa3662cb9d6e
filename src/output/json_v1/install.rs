//! The results of installing, removing and verifying, for scripts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{FindingRow, RecordRow, VERSION, text};
use crate::output::json;
use crate::skills::files::digest::Digest;
use crate::skills::files::tree::Differences;
use crate::skills::put::install::choice::Skipped;
use crate::skills::put::install::destination::CopyElsewhere;
use crate::skills::put::install::verify::{State, Verified};
use crate::skills::put::install::{Done, InstallSummary};
use crate::skills::put::mount::policy::ChildEnvironment;
use crate::skills::put::pack::place::PlacedArchive;
use crate::skills::text::printable::revealed;

#[derive(Serialize)]
struct InstallReport<'a> {
    version: u32,
    home: Option<String>,
    skills_dirs: Vec<String>,
    env: BTreeMap<String, String>,
    unset: Vec<String>,
    dry_run: bool,
    skills: Vec<InstallRow<'a>>,
    skipped: Vec<SkippedRow<'a>>,
    lacking: Vec<LackingRow<'a>>,
    findings: Vec<FindingRow<'a>>,
    not_loaded: Vec<NotLoadedRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other_copies: Option<Vec<OtherCopyRow<'a>>>,
}

#[derive(Serialize)]
struct OtherCopyRow<'a> {
    name: &'a str,
    path: String,
}

#[derive(Serialize)]
struct LackingRow<'a> {
    name: &'a str,
    kind: &'static str,
    needs: Vec<&'a str>,
    message: &'a str,
}

#[derive(Serialize)]
struct NotLoadedRow<'a> {
    name: &'a str,
    path: String,
    agent: &'static str,
    reason: Cow<'a, str>,
}

#[derive(Serialize)]
pub(super) struct SkippedRow<'a> {
    name: &'a str,
    path: String,
    rule: Option<&'static str>,
    reason: Cow<'a, str>,
}

#[derive(Serialize)]
struct InstallRow<'a> {
    name: &'a str,
    path: String,
    source: &'a str,
    kind: &'a str,
    action: &'static str,
    files: usize,
    bytes: u64,
    digest: Option<Digest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<String>,
}

/// More data about an installation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'a> {
    /// The home it belongs to.
    pub home: Option<&'a Path>,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The environment of a mounted agent.
    pub environment: Option<&'a ChildEnvironment>,
    /// Copies that are still elsewhere, if skills were removed.
    pub other_copies: Option<&'a [CopyElsewhere]>,
}

/// The result of `skills install`, `skills remove` and `skills mount`.
pub fn report(
    out: &mut dyn Write,
    report: &InstallSummary,
    context: &Context<'_>,
) -> io::Result<()> {
    let skills = report.outcomes.iter().map(|outcome| InstallRow {
        name: &outcome.name,
        path: text(&outcome.path),
        source: &outcome.source,
        kind: outcome.kind.as_str(),
        action: Done::as_str(outcome.action),
        files: outcome.files,
        bytes: outcome.bytes,
        digest: outcome.digest,
        backup: outcome.backup.as_deref().map(text),
    });
    let lacking = report.lacking.iter().map(|(name, lacking)| LackingRow {
        name,
        kind: lacking.need.kind(),
        needs: lacking.need.names(),
        message: &lacking.sentence,
    });
    let not_loaded = report.cautions.not_loaded.iter().map(|one| NotLoadedRow {
        name: &one.name,
        path: text(&one.path),
        agent: one.agent.id,
        reason: revealed(&one.obstacle.reason),
    });
    let environment = context.environment;
    let set = environment.map(|environment| environment.set.iter()).into_iter().flatten();
    let unset = environment.map(|environment| environment.unset.iter()).into_iter().flatten();
    let report = InstallReport {
        version: VERSION,
        home: context.home.map(text),
        skills_dirs: report.directories.iter().map(|path| text(path)).collect(),
        env: set.map(|(name, value)| (lossy(name), lossy(value))).collect(),
        unset: unset.map(|name| lossy(name)).collect(),
        dry_run: context.dry_run,
        skills: skills.collect(),
        skipped: skipped(&report.skipped),
        lacking: lacking.collect(),
        findings: report.cautions.findings.iter().map(FindingRow::from).collect(),
        not_loaded: not_loaded.collect(),
        other_copies: context.other_copies.map(|copies| copies.iter().map(other_copy).collect()),
    };
    json::write(out, &report)
}

fn other_copy(copy: &CopyElsewhere) -> OtherCopyRow<'_> {
    OtherCopyRow { name: &copy.name, path: text(&copy.path) }
}

/// The skills that were not installed.
pub(super) fn skipped(skipped: &[Skipped]) -> Vec<SkippedRow<'_>> {
    fn row(one: &Skipped) -> SkippedRow<'_> {
        SkippedRow {
            name: &one.name,
            path: text(&one.path),
            rule: one.why.rule.map(|rule| rule.id),
            reason: revealed(&one.why.reason),
        }
    }
    skipped.iter().map(row).collect()
}

#[derive(Serialize)]
struct PackReport<'a> {
    version: u32,
    archives: Vec<PackRow<'a>>,
}

#[derive(Serialize)]
struct PackRow<'a> {
    name: &'a str,
    path: String,
    action: &'static str,
    files: usize,
    bytes: usize,
    digest: Digest,
}

/// The result of `skills pack`.
pub fn packed(out: &mut dyn Write, archives: &[PlacedArchive]) -> io::Result<()> {
    let rows = archives.iter().map(|PlacedArchive { packed, path, done }| PackRow {
        name: &packed.name,
        path: text(path),
        action: done.as_str(),
        files: packed.files,
        bytes: packed.bytes.len(),
        digest: packed.digest,
    });
    json::write(out, &PackReport { version: VERSION, archives: rows.collect() })
}

#[derive(Serialize)]
struct VerifyReport<'a> {
    version: u32,
    skills_dirs: Vec<String>,
    skills: Vec<VerifyRow<'a>>,
    summary: VerifySummary,
}

#[derive(Serialize)]
struct VerifyRow<'a> {
    name: &'a str,
    path: String,
    status: &'static str,
    digest: Option<Digest>,
    rules: &'a [&'static str],
    recorded: Option<RecordRow<'a>>,
    /// The digest in the lock.
    #[serde(skip_serializing_if = "Option::is_none")]
    locked: Option<Digest>,
    files: Vec<FileRow<'a>>,
}

#[derive(Serialize)]
struct FileRow<'a> {
    path: &'a str,
    status: &'static str,
}

#[derive(Serialize)]
struct VerifySummary {
    skills: usize,
    ok: usize,
    linked: usize,
    modified: usize,
    missing: usize,
    unrecorded: usize,
    not_locked: usize,
    dropped: usize,
    disabled: usize,
}

/// The result of `skills verify`.
pub fn verified(out: &mut dyn Write, directories: &[(PathBuf, Vec<Verified>)]) -> io::Result<()> {
    let all = || directories.iter().flat_map(|(_, skills)| skills);
    let skills = all().map(|skill| VerifyRow {
        name: &skill.name,
        path: text(&skill.path),
        status: skill.state.as_str(),
        digest: skill.digest,
        rules: &skill.rules,
        recorded: skill.record.as_ref().map(RecordRow::from),
        locked: match skill.state {
            State::NotLocked(digest) => Some(digest),
            _ => None,
        },
        files: match &skill.state {
            State::Modified(differences) => files(differences),
            _ => Vec::new(),
        },
    });
    let number = |word: &str| all().filter(|skill| skill.state.as_str() == word).count();
    let report = VerifyReport {
        version: VERSION,
        skills_dirs: directories.iter().map(|(path, _)| text(path)).collect(),
        skills: skills.collect(),
        summary: VerifySummary {
            skills: all().count(),
            ok: number("ok"),
            linked: number("linked"),
            modified: number("modified"),
            missing: number("missing"),
            unrecorded: number("unrecorded"),
            not_locked: number("not-locked"),
            dropped: number("dropped"),
            disabled: number("disabled"),
        },
    };
    json::write(out, &report)
}

fn lossy(text: &OsStr) -> String {
    text.to_string_lossy().into_owned()
}

fn files(differences: &Differences) -> Vec<FileRow<'_>> {
    let sorts = [
        ("modified", &differences.changed),
        ("missing", &differences.removed),
        ("extra", &differences.added),
    ];
    let rows = sorts
        .into_iter()
        .flat_map(|(status, paths)| paths.iter().map(move |path| FileRow { path, status }));
    let mut rows: Vec<FileRow<'_>> = rows.collect();
    rows.sort_unstable_by(|one, other| one.path.cmp(other.path));
    rows
}
