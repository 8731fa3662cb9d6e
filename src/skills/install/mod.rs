//! Installs skills into skills directories, and removes them: plan first, then apply.
//!
//! [`candidate`] reads and judges what is to be installed, [`destination`] says where it goes,
//! [`plan`] decides what happens to each skill, [`apply`] copies ([`copy`]) and moves
//! ([`transaction`]). [`site`] is a skills directory that is locked; [`index`] is the record of
//! what was installed there, which [`verify`] compares with what is there.

pub mod apply;
pub mod candidate;
pub mod copy;
pub mod destination;
pub mod erase;
mod follow;
pub mod index;
pub mod journal;
pub mod plan;
mod rename;
pub mod site;
pub mod staging;
pub mod transaction;
pub mod tree;
pub mod verify;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::limits::{SKILL_BYTES, TOTAL_BYTES};
use crate::skills::name::SkillName;
use crate::skills::order;
use crate::skills::reporter::Reporter;
use crate::skills::similar;
use crate::skills::source::{SKILL_MD, SkillKind};
use apply::{Wanted, Work};
use candidate::Candidate;
use copy::Allowance;
use index::Index;
use plan::{Change, Conflict, Decision, Standing, Step};
use site::Site;

/// How to install or remove.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whether what is there may be replaced or removed.
    pub force: bool,
    /// Whether copies are made read-only.
    pub read_only: bool,
    /// Whether nothing is written.
    pub dry_run: bool,
    /// Whether to wait until everything is on the disk.
    pub sync: bool,
    /// How long to wait for another run.
    pub lock_timeout: Duration,
    /// Bytes of one skill.
    pub max_skill_bytes: u64,
    /// Bytes of all skills.
    pub max_total_bytes: u64,
    /// Threads to use.
    pub threads: usize,
}

/// What was done, or would be.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The real paths of the skills directories.
    pub directories: Vec<PathBuf>,
    /// What became of each skill, directory by directory.
    pub outcomes: Vec<Outcome>,
    /// Why nothing was done; empty when everything was.
    pub conflicts: Vec<Conflict>,
    /// What else there is to say.
    pub notices: Vec<Notice>,
}

/// What became of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Where it came from.
    pub source: String,
    /// How it was stored there.
    pub kind: String,
    /// What was done.
    pub action: Done,
    /// Regular files.
    pub files: usize,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Its digest; none when not all of it was read.
    pub digest: Option<String>,
    /// Where what was there before is kept.
    pub backup: Option<PathBuf>,
}

/// What was done to a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// It was put where nothing was.
    Created,
    /// It took the place of another.
    Replaced,
    /// It was there already.
    Unchanged,
    /// It is gone.
    Removed,
}

impl Done {
    /// The word used in JSON and by people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Replaced => "replaced",
            Self::Unchanged => "unchanged",
            Self::Removed => "removed",
        }
    }
}

/// Something to tell a user besides what was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A directory is a link, to this one.
    Linked(PathBuf, PathBuf),
    /// What an interrupted run left in this directory was cleaned up.
    Recovered(PathBuf),
    /// What an interrupted run left in this directory will be cleaned up.
    Interrupted(PathBuf),
    /// All is done, but something could not be cleaned up, for this reason.
    NotCleaned(PathBuf, String),
    /// A `SKILL.md` directly in a skills directory keeps agents from seeing the others.
    SkillMdInRoot(PathBuf),
}

/// Installs skills into every one of the directories, or into none.
///
/// # Errors
/// Whatever keeps them from being installed, other than what is there already. Everything is then
/// as it was.
pub fn install(
    candidates: &[Candidate],
    directories: &[PathBuf],
    options: &Options,
    reporter: &dyn Reporter,
) -> Result<Report> {
    refuse_duplicates(candidates)?;
    refuse_nesting(candidates, directories)?;
    let total = candidates.iter().fold(0_u64, |sum, one| sum.saturating_add(one.bytes()));
    if total > options.max_total_bytes {
        return Err(copy::too_large_together(options.max_total_bytes));
    }
    let by_name: HashMap<&SkillName, &Candidate> =
        candidates.iter().map(|candidate| (&candidate.name, candidate)).collect();
    let decide = |standing: &Standing<'_>| plan::install(candidates, standing, options);
    run(directories, options, reporter, &decide, &|step| by_name.get(&step.name).copied())
}

/// Removes skills from the directories, or from none. A skill may be missing from some of them.
///
/// # Errors
/// A skill that is nowhere, and whatever else keeps them from being removed. Everything is then as
/// it was.
pub fn remove(
    names: &[SkillName],
    directories: &[PathBuf],
    options: &Options,
    reporter: &dyn Reporter,
) -> Result<Report> {
    require_installed(names, directories)?;
    let existing: Vec<PathBuf> =
        directories.iter().filter(|directory| directory.exists()).cloned().collect();
    let decide = |standing: &Standing<'_>| -> Result<Vec<Decision>> {
        let mut decisions = Vec::new();
        for name in names {
            match plan::remove(name, standing, options)? {
                Some(decision) => decisions.push(decision),
                // Somebody has removed it already, and only the record is left.
                None if standing.index.records.contains_key(name) => decisions.push(Ok(Step {
                    name: name.clone(),
                    change: Change::Forget,
                    tree: None,
                })),
                None => {}
            }
        }
        Ok(decisions)
    };
    run(&existing, options, reporter, &decide, &|_| None)
}

impl Default for Options {
    fn default() -> Self {
        Self {
            force: false,
            read_only: false,
            dry_run: false,
            sync: true,
            lock_timeout: Duration::from_secs(10),
            max_skill_bytes: SKILL_BYTES,
            max_total_bytes: TOTAL_BYTES,
            threads: 1,
        }
    }
}

impl Options {
    fn allowance(&self) -> Allowance {
        Allowance::new(self.max_skill_bytes, self.max_total_bytes)
    }
}

/// Decides what happens in one directory.
type Decide<'d> = dyn Fn(&Standing<'_>) -> Result<Vec<Decision>> + 'd;

/// Decides about every directory, then does it everywhere or nowhere.
fn run<'a>(
    directories: &[PathBuf],
    options: &Options,
    reporter: &dyn Reporter,
    decide: &Decide<'_>,
    candidate: &Wanted<'a, '_>,
) -> Result<Report> {
    let mut report = Report::default();
    if options.dry_run {
        foresee(directories, decide, candidate, &mut report)?;
        return Ok(report);
    }
    let sites = Site::open_all(directories, options.lock_timeout, reporter)?;
    for site in &sites {
        note(&site.named, &site.path, &mut report);
        if site.recovery.found {
            report.notices.push(Notice::Recovered(site.path.clone()));
        }
        let left = site.recovery.left.iter();
        report.notices.extend(left.map(|what| Notice::NotCleaned(site.path.clone(), what.clone())));
    }
    let done = decide_and_apply(&sites, options, reporter, decide, candidate, &mut report);
    if done.is_err() || !report.conflicts.is_empty() {
        sites.into_iter().for_each(Site::abandon);
    }
    done.map(|()| report)
}

/// Decides about every directory, and writes nothing.
fn foresee<'a>(
    directories: &[PathBuf],
    decide: &Decide<'_>,
    candidate: &Wanted<'a, '_>,
    report: &mut Report,
) -> Result<()> {
    for (named, path) in &real_paths(directories) {
        let directory = site::existing_directory(named)?.map(|(_, directory)| directory);
        note(named, path, report);
        let index = directory.as_ref().map(|directory| Index::read(directory, path));
        let index = index.transpose()?.unwrap_or_default();
        let moved = directory.as_ref().and_then(|directory| site::left_behind(directory, path));
        if moved.is_some() {
            report.notices.push(Notice::Interrupted(path.clone()));
        }
        let (directory, moved) = (directory.as_ref(), moved.as_ref());
        let standing = Standing { directory, path, index: &index, moved };
        let steps = accepted(decide(&standing)?, &mut report.conflicts);
        let outcome = |step: &Step| apply::outcome(step, candidate(step), path, &index);
        report.outcomes.extend(steps.iter().map(outcome));
    }
    Ok(())
}

/// Notes what there is to say about a directory, whatever is done in it.
fn note(named: &Path, path: &Path, report: &mut Report) {
    if named.symlink_metadata().is_ok_and(|data| data.is_symlink()) {
        report.notices.push(Notice::Linked(named.to_owned(), path.to_owned()));
    }
    if path.join(SKILL_MD).symlink_metadata().is_ok() {
        report.notices.push(Notice::SkillMdInRoot(path.to_owned()));
    }
    report.directories.push(path.to_owned());
}

fn decide_and_apply<'a>(
    sites: &[Site],
    options: &Options,
    reporter: &dyn Reporter,
    decide: &Decide<'_>,
    candidate: &Wanted<'a, '_>,
    report: &mut Report,
) -> Result<()> {
    let mut works = Vec::new();
    for site in sites {
        let (directory, path, index) = (Some(&site.directory), &site.path, &site.index);
        let decisions = decide(&Standing { directory, path, index, moved: None })?;
        works.push(Work { site, steps: accepted(decisions, &mut report.conflicts) });
    }
    if report.conflicts.is_empty() {
        let (outcomes, notices) = apply::apply(works, options, reporter, candidate)?;
        report.outcomes = outcomes;
        report.notices.extend(notices);
    }
    Ok(())
}

/// The steps that can be taken; the conflicts are put aside.
fn accepted(decisions: Vec<Decision>, conflicts: &mut Vec<Conflict>) -> Vec<Step> {
    let mut steps = Vec::new();
    for decision in decisions {
        match decision {
            Ok(step) => steps.push(step),
            Err(conflict) => conflicts.push(conflict),
        }
    }
    steps
}

/// The directories as they were named and as they are, sorted by the latter, each once.
fn real_paths(directories: &[PathBuf]) -> Vec<(PathBuf, PathBuf)> {
    let mut paths: Vec<(PathBuf, PathBuf)> =
        directories.iter().map(|path| (path.clone(), real_path(path))).collect();
    order::sort_by(&mut paths, |(_, one), (_, other)| one.cmp(other));
    paths.dedup_by(|(_, one), (_, other)| one == other);
    paths
}

/// A path without links, as far as it exists.
fn real_path(path: &Path) -> PathBuf {
    let existing = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    match existing {
        Some((above, real)) => {
            let rest = path.strip_prefix(above).unwrap_or(Path::new(""));
            real.join(rest).components().collect()
        }
        None => path.to_owned(),
    }
}

/// Refuses two skills of one name.
///
/// # Errors
/// The first name that is there twice.
pub fn refuse_duplicates(candidates: &[Candidate]) -> Result<()> {
    let mut seen: HashMap<&SkillName, &Candidate> = HashMap::new();
    for candidate in candidates {
        if let Some(first) = seen.insert(&candidate.name, candidate) {
            let [one, other] = [first, candidate].map(|one| one.source().display().to_string());
            let message = format!("Duplicate skill name: {}", candidate.name);
            let help = format!("`{one}` and `{other}` have it; leave one of them out");
            return Err(Error::new(ErrorKind::Duplicate, message)
                .at(&candidate.skill.path)
                .help(help));
        }
    }
    Ok(())
}

/// A skill that was copied into itself would grow with every run.
fn refuse_nesting(candidates: &[Candidate], directories: &[PathBuf]) -> Result<()> {
    let real: Vec<PathBuf> = directories.iter().map(|path| real_path(path)).collect();
    let within = candidates.iter().filter(|one| one.skill.kind == SkillKind::Directory).find_map(
        |candidate| {
            real.iter()
                .find(|path| path.starts_with(&candidate.skill.path))
                .map(|path| (candidate, path))
        },
    );
    within.map_or(Ok(()), |(candidate, path)| {
        let skill = candidate.skill.path.display();
        let message = format!("`{}` lies inside the skill `{skill}`", path.display());
        Err(Error::new(ErrorKind::Conflict, message).at(path).help("choose another place"))
    })
}

/// Checks that every skill is in at least one of the directories.
fn require_installed(names: &[SkillName], directories: &[PathBuf]) -> Result<()> {
    let mut known: Vec<String> = Vec::new();
    let mut opened = Vec::new();
    for path in directories {
        match site::real_directory(path) {
            Ok((real, directory)) => {
                let index = Index::read(&directory, &real)?;
                known.extend(index.records.keys().map(ToString::to_string));
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
    let Some(missing) = names.iter().find(|name| !is_there(name)) else { return Ok(()) };
    order::sort(&mut known);
    known.dedup();
    let shown: Vec<String> =
        directories.iter().map(|path| format!("`{}`", path.display())).collect();
    let message = format!("no skill named `{missing}` in {}", shown.join(" or "));
    let error = Error::new(ErrorKind::NotFound, message);
    let near = similar::nearest(missing.as_str(), known.iter().map(String::as_str));
    Err(match near {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None if known.is_empty() => error.help("nothing was installed there"),
        None => error.help(format!("installed there: {}", known.join(", "))),
    })
}
