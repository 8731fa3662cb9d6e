//! What happened in a run, for scripts: one document for each verb that changes something.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;

use crate::output::json::report::skipped as rows_of_skipped;
use crate::output::json::{self, ChangedFiles, FailureRow, FindingRow, RecordRow, VERSION, text};
use crate::skills::fetch::cache::{CacheEntry, Cleaned, shelves};
use crate::skills::fetch::git::{CommitSummary, History};
use crate::skills::files::digest::{Differences, Digest};
use crate::skills::judge::rule::Finding;
use crate::skills::model::error::Error;
use crate::skills::mount::policy::ChildEnvironment;
use crate::skills::publish::Published;
use crate::skills::publish::archive::PlacedArchive;
use crate::skills::put::install::choice::Skipped;
use crate::skills::put::install::destination::CopyElsewhere;
use crate::skills::put::install::verify::{State, Verified};
use crate::skills::put::install::{Done, InstallSummary, SkillOutcome};
use crate::skills::put::locking::update::SourceChange;
use crate::skills::put::sync::Leftover;
use crate::skills::put::sync::news::SkillNews;
use crate::skills::put::update::UpdateOutcome;
use crate::skills::put::update::apply::UpdateReport as Report;
use crate::skills::text::quote::revealed;
use crate::skills::text::size;

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
pub struct SkippedRow<'a> {
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
pub fn install(
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
pub fn skipped(skipped: &[Skipped]) -> Vec<SkippedRow<'_>> {
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

// The result of `skills sync`, done or planned, for scripts.

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
pub fn sync(out: &mut dyn Write, report: &SyncReport<'_>) -> io::Result<()> {
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

// The result of an update, done or planned, for scripts.

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
pub fn update(out: &mut dyn Write, report: &Report, dry_run: bool) -> io::Result<()> {
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

// What a new lock changes, or would change, for scripts.

#[derive(Serialize)]
struct LockReport<'a> {
    version: u32,
    lock: String,
    dry_run: bool,
    sources: Vec<SourceRow<'a>>,
}

#[derive(Serialize)]
struct SourceRow<'a> {
    source: &'a str,
    name: Option<&'a str>,
    from: Option<&'a str>,
    to: Option<&'a str>,
    commits: Option<Vec<CommitRow<'a>>>,
    truncated: bool,
    skills: Vec<LockedSkillRow<'a>>,
}

#[derive(Serialize)]
pub struct CommitRow<'a> {
    commit: &'a str,
    date: &'a str,
    subject: &'a str,
}

#[derive(Serialize)]
struct LockedSkillRow<'a> {
    name: &'a str,
    change: &'static str,
    from: Option<Digest>,
    to: Option<Digest>,
    from_version: Option<&'a str>,
    to_version: Option<&'a str>,
}

/// The result of `skills lock` and `skills outdated`.
pub fn lock(
    out: &mut dyn Write,
    lock: &Path,
    dry_run: bool,
    changes: &[(SourceChange, Option<History>)],
) -> io::Result<()> {
    let sources = changes.iter().map(|(change, history)| SourceRow {
        source: &change.source,
        name: change.name.as_deref(),
        from: change.from.as_deref(),
        to: change.to.as_deref(),
        commits: history.as_ref().map(commits),
        truncated: history.as_ref().is_some_and(|history| history.is_cut),
        skills: change
            .skills
            .iter()
            .map(|skill| LockedSkillRow {
                name: &skill.name,
                change: skill.word(),
                from: skill.from,
                to: skill.to,
                from_version: skill.version.from.as_deref(),
                to_version: skill.version.to.as_deref(),
            })
            .collect(),
    });
    let lock = text(lock);
    json::write(out, &LockReport { version: VERSION, lock, dry_run, sources: sources.collect() })
}

pub fn commits(history: &History) -> Vec<CommitRow<'_>> {
    let rows = history.changes.iter().map(|CommitSummary { id, date, subject }| CommitRow {
        commit: id,
        date,
        subject,
    });
    rows.collect()
}

// The JSON of `skills push` and `skills pack --oci`.

#[derive(Serialize)]
struct PushReport<'a> {
    version: u32,
    artifacts: Vec<ArtifactRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<SkippedRow<'a>>,
}

#[derive(Serialize)]
struct ArtifactRow<'a> {
    name: &'a str,
    kind: &'static str,
    reference: String,
    digest: Digest,
    tags: &'a [String],
    uploaded: bool,
}

/// What was published, and what was not.
pub fn published(
    out: &mut dyn Write,
    published: &[Published],
    skipped: &[Skipped],
) -> io::Result<()> {
    let rows = published.iter().map(|one| ArtifactRow {
        name: &one.name,
        kind: if one.is_collection { "collection" } else { "skill" },
        reference: one.reference(),
        digest: one.digest,
        tags: &one.tags,
        uploaded: one.uploaded,
    });
    let report = PushReport {
        version: VERSION,
        artifacts: rows.collect(),
        skipped: rows_of_skipped(skipped),
    };
    json::write(out, &report)
}

// What is in the cache, for scripts.

#[derive(Serialize)]
struct CacheReport {
    version: u32,
    path: String,
    entries: usize,
    bytes: u64,
    shelves: Vec<ShelfRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<CacheSum>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<CacheSum>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<CacheSum>,
}

#[derive(Serialize)]
struct ShelfRow {
    shelf: &'static str,
    entries: usize,
    bytes: u64,
    oldest_use: Option<String>,
    latest_use: Option<String>,
}

#[derive(Serialize)]
struct CacheSum {
    entries: usize,
    bytes: u64,
}

/// The document.
pub fn cache(
    out: &mut dyn Write,
    root: &Path,
    entries: &[CacheEntry],
    cleaned: Option<&Cleaned>,
) -> io::Result<()> {
    let time = |used: SystemTime| {
        size::timestamp(used.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default())
    };
    let row = |shelf: &'static str| {
        let own: Vec<&CacheEntry> = entries.iter().filter(|entry| entry.shelf == shelf).collect();
        ShelfRow {
            shelf,
            entries: own.len(),
            bytes: own.iter().map(|entry| entry.bytes).sum(),
            oldest_use: own.iter().map(|entry| entry.used).min().map(time),
            latest_use: own.iter().map(|entry| entry.used).max().map(time),
        }
    };
    let failed = |cleaned: &Cleaned| sum(cleaned.failed.iter().map(|(entry, _)| entry));
    json::write(
        out,
        &CacheReport {
            version: VERSION,
            path: text(root),
            entries: entries.len(),
            bytes: entries.iter().map(|entry| entry.bytes).sum(),
            shelves: shelves().map(row).into(),
            removed: cleaned.map(|cleaned| sum(cleaned.removed.iter())),
            kept: cleaned.map(|cleaned| sum(cleaned.kept.iter())),
            failed: cleaned.map(failed),
        },
    )
}

fn sum<'a>(entries: impl ExactSizeIterator<Item = &'a CacheEntry>) -> CacheSum {
    CacheSum { entries: entries.len(), bytes: entries.map(|entry| entry.bytes).sum() }
}
