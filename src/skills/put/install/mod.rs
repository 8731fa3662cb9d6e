//! Installs skills into skills directories, and removes them: plan first, then apply.
//!
//! [`gather`] finds the skills, [`candidate`] reads and judges them, [`destination`] says where
//! they go, [`plan`] decides what happens to each, [`apply`] copies ([`copy`]) and moves
//! ([`transaction`]), or [`link`] makes a link. [`site`] is a locked skills directory; [`verify`]
//! compares it with its record.

pub mod apply;
pub mod candidate;
pub mod catalogue;
pub mod caution;
pub mod change;
pub mod choice;
pub mod chosen;
pub mod copy;
pub mod destination;
pub mod disable;
pub mod erase;
pub mod follow;
pub mod gather;
pub mod journal;
pub mod link;
pub mod owner;
pub mod plan;
pub mod provenance;
pub mod rename;
pub mod site;
pub mod skill_files;
pub mod source_files;
pub mod staging;
pub mod transaction;
pub mod undo;
pub mod verify;
pub mod watch;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::skills::files::digest::Digest;
use crate::skills::find::disabled;
use crate::skills::find::record::Index;
use crate::skills::judge::needs::Lacking;
use crate::skills::model::error::{ErrorKind, Result};
use crate::skills::model::name::SkillName;
use crate::skills::model::reporter::Reporter;
use crate::skills::model::source::{RecordedKind, SkillKind};
use crate::skills::put::install::apply::DirectoryPlan;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::caution::Cautions;
pub use crate::skills::put::install::change::{DirectoryChange, change, refuse_duplicates};
use crate::skills::put::install::choice::Skipped;
use crate::skills::put::install::chosen::{recorded_names, unknown};
use crate::skills::put::install::plan::{Conflict, Decision, Standing, Step};
use crate::skills::put::install::site::Site;
use crate::skills::put::install::source_files::Allowance;
use crate::skills::text::document::{SKILL_BYTES, SKILL_MD, TOTAL_BYTES};

/// Options for installing and removing.
#[derive(Debug, Clone)]
pub struct InstallOptions {
    /// Whether to replace or remove skills that differ, were edited, or have no record.
    pub force: bool,
    /// Whether to make copies read-only.
    pub read_only: bool,
    /// Whether an existing skill keeps its modes, regardless of `read_only`.
    pub keep_modes: bool,
    /// What to do with the other skills if one cannot be changed.
    pub on_conflict: OnConflict,
    /// Whether to write nothing.
    pub dry_run: bool,
    /// Whether to wait until everything is on the disk.
    pub sync: bool,
    /// How long to wait for the lock of another run.
    pub lock_timeout: Duration,
    /// Maximum size of one skill, in bytes.
    pub max_skill_bytes: u64,
    /// Maximum size of all skills together, in bytes.
    pub max_total_bytes: u64,
    /// Threads to use.
    pub threads: usize,
    /// The directory that must contain the real path of every skills directory.
    pub within: Option<PathBuf>,
    /// The manifest that owns the installed skills; none for the user.
    pub owner: Option<String>,
    /// The project that contains the records; local sources are recorded relative to it.
    pub project: Option<PathBuf>,
    /// Whether to keep replaced and removed skills for `update --undo`.
    pub keep_replaced: bool,
}

/// What to do with the other skills if one conflicts or was edited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnConflict {
    /// Change nothing.
    #[default]
    Refuse,
    /// Change them, and leave that one as it is.
    Leave,
}

/// The result of a run, done or planned.
#[derive(Debug, Clone, Default)]
pub struct InstallSummary {
    /// The real paths of the skills directories.
    pub directories: Vec<PathBuf>,
    /// The outcome for each skill, directory by directory.
    pub outcomes: Vec<SkillOutcome>,
    /// The conflicts. If there are any, nothing was done, unless `on_conflict` leaves them.
    pub conflicts: Vec<Conflict>,
    /// Skills that were not installed, each with the reason.
    pub skipped: Vec<Skipped>,
    /// What the machine lacks, skill by skill.
    pub lacking: Vec<(String, Lacking)>,
    /// Warnings for the user before an agent reads them.
    pub cautions: Cautions,
    /// Notices for the user.
    pub notices: Vec<InstallNotice>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillOutcome {
    pub name: String,
    /// The name of its source directory, if that differs.
    pub folder: Option<String>,
    /// Where it is.
    pub path: PathBuf,
    /// Where it came from.
    pub source: String,
    /// How it was stored there.
    pub kind: RecordedKind,
    /// What was done.
    pub action: Done,
    /// Regular files.
    pub files: usize,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Its digest; none if it was not read in full.
    pub digest: Option<Digest>,
    /// The backup of the skill that was there before.
    pub backup: Option<PathBuf>,
    /// The versions in its front matter.
    pub version: VersionChange,
}

/// The versions that the front matter of a skill names, before and after it is replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VersionChange {
    /// The version that was there.
    pub from: Option<String>,
    /// The version that is there now.
    pub to: Option<String>,
}

/// What was done to a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Done {
    /// It was not there before.
    Created,
    /// It replaced an older version from the same place.
    Updated,
    /// It replaced another skill.
    Replaced,
    /// It was already there.
    Unchanged,
    /// It was removed.
    Removed,
    /// It was moved out of the agents' sight.
    Disabled,
    /// It was moved back into the skills directory.
    Enabled,
}

impl Done {
    /// The word used in JSON and by people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Replaced => "replaced",
            Self::Unchanged => "unchanged",
            Self::Removed => "removed",
            Self::Disabled => "disabled",
            Self::Enabled => "enabled",
        }
    }
}

/// A notice for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InstallNotice {
    /// The first directory is a link to the second.
    Linked(PathBuf, PathBuf),
    /// This directory was cleaned up after an interrupted run.
    Recovered(PathBuf),
    /// An interrupted run had begun to remove these skills from this directory; they are removed
    /// now.
    Removed(PathBuf, Vec<String>),
    /// An interrupted run was replacing this edited skill; its backup is here.
    Kept(String, PathBuf),
    /// The next run will clean up this directory after an interrupted run.
    Interrupted(PathBuf),
    /// The run succeeded, but could not clean up, for this reason.
    NotCleaned(PathBuf, String),
    /// A `SKILL.md` directly in a skills directory hides the skills in it from agents.
    SkillMdInRoot(PathBuf),
}

/// Installs skills into all of the directories, or into none.
///
/// # Errors
/// Any failure, after every change was undone. Conflicts with existing skills are not errors, but
/// part of the summary.
pub fn install(
    candidates: &[Candidate],
    directories: &[PathBuf],
    options: &InstallOptions,
    reporter: &dyn Reporter,
) -> Result<InstallSummary> {
    let everything: Vec<&Candidate> = candidates.iter().collect();
    let change = |directory: &PathBuf| DirectoryChange {
        directory: directory.clone(),
        install: everything.clone(),
        remove: Vec::new(),
    };
    let changes: Vec<DirectoryChange<'_>> = directories.iter().map(change).collect();
    change::change(&changes, options, reporter)
}

/// Removes skills from all of the directories, or from none. Some directories may lack a skill.
pub fn remove(
    names: &[SkillName],
    directories: &[PathBuf],
    options: &InstallOptions,
    reporter: &dyn Reporter,
) -> Result<InstallSummary> {
    require_installed(names, directories)?;
    let is_concerned = |directory: &&PathBuf| {
        let real = destination::real_path(directory);
        directory.exists() || names.iter().any(|name| disable::is_at(&real, name))
    };
    let existing: Vec<PathBuf> = directories.iter().filter(is_concerned).cloned().collect();
    let decide = |standing: &Standing<'_>| plan::remove_all(names, standing, options, reporter);
    run(&existing, options, reporter, &InstallJob { decide: &decide, names })
}

impl Default for InstallOptions {
    fn default() -> Self {
        Self {
            force: false,
            read_only: false,
            keep_modes: false,
            on_conflict: OnConflict::Refuse,
            dry_run: false,
            sync: true,
            lock_timeout: Duration::from_secs(10),
            max_skill_bytes: SKILL_BYTES,
            max_total_bytes: TOTAL_BYTES,
            threads: 1,
            within: None,
            owner: None,
            project: None,
            keep_replaced: false,
        }
    }
}

impl InstallOptions {
    const fn allowance(&self) -> Allowance {
        Allowance::new(self.max_skill_bytes, self.max_total_bytes)
    }
}

/// Decides what happens in one directory.
type Decide<'a, 'd> = dyn Fn(&Standing<'_>) -> Result<Vec<Decision<'a>>> + 'd;

/// The work of one run.
struct InstallJob<'a, 'j> {
    decide: &'j Decide<'a, 'j>,
    /// The skills to remove, which at least one directory must have.
    names: &'j [SkillName],
}

/// Plans every directory, then changes all of them or none.
fn run(
    directories: &[PathBuf],
    options: &InstallOptions,
    reporter: &dyn Reporter,
    job: &InstallJob<'_, '_>,
) -> Result<InstallSummary> {
    let mut report = InstallSummary::default();
    let within = options.within.as_deref();
    for (named, real) in &real_paths(directories) {
        destination::refuse_outside(named, real, within)?;
    }
    if options.dry_run {
        foresee(directories, job, &mut report)?;
        return Ok(report);
    }
    let sites = Site::open_all(directories, options.lock_timeout, options.threads, reporter)?;
    for site in &sites {
        note(&site.named, &site.path, &mut report);
        report.notices.extend(recovered(site));
    }
    // A directory may have been replaced by a link since the first check.
    let inside = sites
        .iter()
        .try_for_each(|site| destination::refuse_outside(&site.named, &site.path, within));
    let done = inside.and_then(|()| decide_and_apply(&sites, options, reporter, job, &mut report));
    if done.is_err() || options.refuses(&report.conflicts) {
        sites.into_iter().for_each(Site::abandon);
    }
    done.map(|()| report)
}

/// Notices about the recovery of killed runs.
fn recovered(site: &Site) -> Vec<InstallNotice> {
    let (recovery, path) = (&site.recovery, &site.path);
    let mut notices = Vec::new();
    if !recovery.removed.is_empty() {
        notices.push(InstallNotice::Removed(path.clone(), recovery.removed.clone()));
    } else if recovery.found {
        notices.push(InstallNotice::Recovered(path.clone()));
    }
    let mut kept: Vec<_> = recovery.kept.iter().collect();
    kept.sort_unstable();
    notices.extend(
        kept.into_iter().map(|(name, path)| InstallNotice::Kept(name.clone(), path.clone())),
    );
    let left = recovery.left.iter();
    notices.extend(left.map(|what| InstallNotice::NotCleaned(path.clone(), what.clone())));
    notices
}

/// Plans every directory, and writes nothing.
fn foresee(
    directories: &[PathBuf],
    job: &InstallJob<'_, '_>,
    report: &mut InstallSummary,
) -> Result<()> {
    let mut indexes = Vec::new();
    for (named, path) in &real_paths(directories) {
        let directory = site::existing_directory(named)?.map(|(_, directory)| directory);
        note(named, path, report);
        let index = directory.as_ref().map(|directory| Index::read(directory, path));
        let index = index.transpose()?.unwrap_or_default();
        let left = directory.as_ref().and_then(|directory| site::left_behind(directory, path));
        if left.is_some() {
            report.notices.push(InstallNotice::Interrupted(path.clone()));
        }
        let left = left.unwrap_or_default();
        let (directory, moved) = (directory.as_ref(), Some(&left.moved));
        let disabled = disabled::open(path)?;
        let disabled = disabled.as_ref();
        let standing = Standing { directory, disabled, path, index: &index, moved };
        let steps = accepted((job.decide)(&standing)?, &mut report.conflicts);
        let outcome = |step: &Step<'_>| apply::outcome(step, path, &index);
        report.outcomes.extend(steps.iter().map(outcome));
        report.outcomes.extend(completed(&left.removed, &steps, path, job));
        indexes.push(index);
    }
    require_found(job, report, &[], indexes.iter())
}

/// The skills to remove that a killed run had already removed.
fn completed<'a>(
    removed: &'a [String],
    steps: &'a [Step<'_>],
    path: &'a Path,
    job: &'a InstallJob<'_, '_>,
) -> impl Iterator<Item = SkillOutcome> + 'a {
    let is_asked = |name: &&String| {
        job.names.iter().any(|asked| asked.as_str() == **name)
            && !steps.iter().any(|step| step.name.as_str() == **name)
    };
    removed.iter().filter(is_asked).map(|name| SkillOutcome {
        name: name.clone(),
        folder: None,
        path: path.join(name),
        source: String::new(),
        kind: RecordedKind::Known(SkillKind::Directory),
        action: Done::Removed,
        files: 0,
        bytes: 0,
        digest: None,
        backup: None,
        version: VersionChange::default(),
    })
}

/// Checks that at least one directory had each skill to remove.
fn require_found<'a>(
    job: &InstallJob<'_, '_>,
    report: &InstallSummary,
    works: &[DirectoryPlan<'_>],
    indexes: impl Iterator<Item = &'a Index>,
) -> Result<()> {
    let outcomes = report.outcomes.iter().map(|outcome| outcome.path.as_path());
    let paths = outcomes.chain(report.conflicts.iter().map(|conflict| conflict.path.as_path()));
    let steps = works.iter().flat_map(|work| &work.steps).map(|step| step.name.as_str());
    let found: HashSet<&OsStr> =
        paths.filter_map(Path::file_name).chain(steps.map(OsStr::new)).collect();
    let mut names = job.names.iter();
    match names.find(|name| !found.contains(OsStr::new(name.as_str()))) {
        Some(missing) => Err(unknown(missing, recorded_names(indexes), &report.directories)),
        None => Ok(()),
    }
}

/// Adds the notices about a directory that do not depend on the run.
fn note(named: &Path, path: &Path, report: &mut InstallSummary) {
    if named.symlink_metadata().is_ok_and(|data| data.is_symlink()) {
        report.notices.push(InstallNotice::Linked(named.to_owned(), path.to_owned()));
    }
    if path.join(SKILL_MD).symlink_metadata().is_ok() {
        report.notices.push(InstallNotice::SkillMdInRoot(path.to_owned()));
    }
    report.directories.push(path.to_owned());
}

fn decide_and_apply(
    sites: &[Site],
    options: &InstallOptions,
    reporter: &dyn Reporter,
    job: &InstallJob<'_, '_>,
    report: &mut InstallSummary,
) -> Result<()> {
    let mut works = Vec::new();
    for site in sites {
        let (directory, path, index) = (Some(&site.directory), &site.path, &site.index);
        let disabled = disabled::open(path)?;
        let disabled = disabled.as_ref();
        let standing = Standing { directory, disabled, path, index, moved: None };
        let decisions = (job.decide)(&standing)?;
        let steps = accepted(decisions, &mut report.conflicts);
        let before = completed(&site.recovery.removed, &steps, path, job).map(|outcome| {
            let backup = site.recovery.kept.get(&outcome.name).cloned();
            SkillOutcome { backup, ..outcome }
        });
        report.outcomes.extend(before);
        works.push(DirectoryPlan { site, steps });
    }
    require_found(job, report, &works, sites.iter().map(|site| &site.index))?;
    if !options.refuses(&report.conflicts) {
        let (outcomes, notices) = apply::apply(works, options, reporter)?;
        report.outcomes.extend(outcomes);
        report.notices.extend(notices);
    }
    Ok(())
}

/// The accepted steps; conflicts go into the list.
fn accepted<'a>(decisions: Vec<Decision<'a>>, conflicts: &mut Vec<Conflict>) -> Vec<Step<'a>> {
    let mut steps = Vec::new();
    for decision in decisions {
        match decision {
            Ok(step) => steps.push(step),
            Err(conflict) => conflicts.push(conflict),
        }
    }
    steps
}

/// The directories as the user named them, with their real paths; sorted by real path, each once.
fn real_paths(directories: &[PathBuf]) -> Vec<(PathBuf, PathBuf)> {
    let mut paths: Vec<(PathBuf, PathBuf)> =
        directories.iter().map(|path| (path.clone(), destination::real_path(path))).collect();
    paths.sort_unstable_by(|(_, one), (_, other)| one.cmp(other));
    paths.dedup_by(|(_, one), (_, other)| one == other);
    paths
}

/// Checks that at least one directory has each skill. After a killed run this is decided later,
/// when the directory is cleaned up.
fn require_installed(names: &[SkillName], directories: &[PathBuf]) -> Result<()> {
    let mut opened = Vec::new();
    for path in directories {
        match site::real_directory(path) {
            Ok((real, directory)) => {
                if site::left_behind(&directory, &real).is_some() {
                    return Ok(());
                }
                let index = Index::read(&directory, &real)?;
                opened.push((directory, index));
            }
            Err(error) if error.kind == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    let is_there = |name: &SkillName| {
        opened.iter().any(|(directory, index)| {
            let kind = directory.kind(OsStr::new(name.as_str()));
            index.records.contains_key(name)
                || !kind.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        })
    };
    let is_disabled = |name: &SkillName| {
        directories.iter().any(|path| disable::is_at(&destination::real_path(path), name))
    };
    let indexes = opened.iter().map(|(_, index)| index);
    let known = recorded_names(indexes);
    names
        .iter()
        .find(|name| !is_there(name) && !is_disabled(name))
        .map_or(Ok(()), |missing| Err(unknown(missing, known, directories)))
}
