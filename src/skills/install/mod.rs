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
pub mod plan;
mod rename;
pub mod site;
pub mod transaction;
pub mod tree;
pub mod verify;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::name::SkillName;
use crate::skills::platform::Directory;
use crate::skills::reporter::Reporter;
use crate::skills::similar;
use crate::skills::source::SKILL_MD;
use apply::Work;
use candidate::Candidate;
use copy::Allowance;
use index::Index;
use plan::{Change, Choices, Conflict, Decision, Step};
use site::Site;

/// How to install or remove.
#[derive(Debug, Clone)]
pub struct Options {
    /// How conflicts are settled, and what is made.
    pub choices: Choices,
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
    /// Its digest.
    pub digest: String,
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
    if candidates.iter().map(Candidate::bytes).sum::<u64>() > options.max_total_bytes {
        return Err(copy::too_large_together(options.max_total_bytes));
    }
    let by_name: HashMap<&SkillName, &Candidate> =
        candidates.iter().map(|candidate| (&candidate.name, candidate)).collect();
    let decide = |view: &View<'_>| {
        let allowance = options.allowance();
        plan::install(
            candidates,
            view.directory,
            view.path,
            view.index,
            options.choices,
            &allowance,
            options.threads,
        )
    };
    run(directories, options, reporter, decide, |step| by_name.get(&step.name).copied())
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
    let decide = |view: &View<'_>| -> Result<Vec<Decision>> {
        let Some(directory) = view.directory else { return Ok(Vec::new()) };
        let mut decisions = Vec::new();
        for name in names {
            let choices = options.choices;
            match plan::remove(name, directory, view.path, view.index, choices)? {
                Some(decision) => decisions.push(decision),
                // Somebody has removed it already, and only the record is left.
                None if view.index.records.contains_key(name) => decisions.push(Ok(Step {
                    name: name.clone(),
                    change: Change::Forget,
                    tree: None,
                })),
                None => {}
            }
        }
        Ok(decisions)
    };
    run(&existing, options, reporter, decide, |_| None)
}

impl Options {
    fn allowance(&self) -> Allowance {
        Allowance::new(self.max_skill_bytes, self.max_total_bytes)
    }
}

/// What deciding needs to know of a skills directory.
struct View<'a> {
    directory: Option<&'a Directory>,
    path: &'a Path,
    index: &'a Index,
}

/// Decides about every directory, then does it everywhere or nowhere.
fn run<'a>(
    directories: &[PathBuf],
    options: &Options,
    reporter: &dyn Reporter,
    decide: impl Fn(&View<'_>) -> Result<Vec<Decision>>,
    candidate: impl Fn(&Step) -> Option<&'a Candidate> + Sync,
) -> Result<Report> {
    let directories = real_paths(directories);
    let mut report = Report::default();
    for (named, real) in &directories {
        if named.symlink_metadata().is_ok_and(|data| data.is_symlink()) {
            report.notices.push(Notice::Linked(named.clone(), real.clone()));
        }
        if real.join(SKILL_MD).symlink_metadata().is_ok() {
            report.notices.push(Notice::SkillMdInRoot(real.clone()));
        }
        report.directories.push(real.clone());
    }
    if options.dry_run {
        for (_, path) in &directories {
            let directory = match site::real_directory(path) {
                Ok((_, directory)) => Some(directory),
                Err(error) if error.kind == ErrorKind::NotFound => None,
                Err(error) => return Err(error),
            };
            if transaction::is_interrupted(path) {
                report.notices.push(Notice::Interrupted(path.clone()));
            }
            let index = directory.as_ref().map(|directory| Index::read(directory, path));
            let index = index.transpose()?.unwrap_or_default();
            let view = View { directory: directory.as_ref(), path, index: &index };
            let steps = accepted(decide(&view)?, &mut report.conflicts);
            let outcome = |step: &Step| apply::outcome(step, candidate(step), path, &index);
            report.outcomes.extend(steps.iter().map(outcome));
        }
        return Ok(report);
    }
    // Always in the same order, so that no two runs wait for each other.
    let mut sites: Vec<Site> = Vec::new();
    for (_, path) in &directories {
        match Site::open(path, options.lock_timeout, reporter) {
            Ok(site) => sites.push(site),
            Err(error) => {
                sites.into_iter().for_each(Site::abandon);
                return Err(error);
            }
        }
    }
    let recovered = sites.iter().filter(|site| site.recovered);
    report.notices.extend(recovered.map(|site| Notice::Recovered(site.path.clone())));
    let done = decide_and_apply(&sites, options, reporter, decide, candidate, &mut report);
    if done.is_err() || !report.conflicts.is_empty() {
        sites.into_iter().for_each(Site::abandon);
    }
    done.map(|()| report)
}

fn decide_and_apply<'a>(
    sites: &[Site],
    options: &Options,
    reporter: &dyn Reporter,
    decide: impl Fn(&View<'_>) -> Result<Vec<Decision>>,
    candidate: impl Fn(&Step) -> Option<&'a Candidate> + Sync,
    report: &mut Report,
) -> Result<()> {
    let mut works = Vec::new();
    for site in sites {
        let (directory, path, index) = (Some(&site.directory), &site.path, &site.index);
        let decisions = decide(&View { directory, path, index })?;
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
    paths.sort_by(|(_, one), (_, other)| one.cmp(other));
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

fn refuse_duplicates(candidates: &[Candidate]) -> Result<()> {
    let mut seen: HashMap<&SkillName, &Candidate> = HashMap::new();
    for candidate in candidates {
        if let Some(first) = seen.insert(&candidate.name, candidate) {
            let [one, other] = [first, candidate].map(|one| one.source().display().to_string());
            let message = format!("Duplicate skill name: {}", candidate.name);
            let help =
                format!("`{one}` and `{other}` have it; `--exclude` or `--deny` leaves one out");
            return Err(Error::new(ErrorKind::Duplicate, message)
                .at(&candidate.skill.path)
                .help(help));
        }
    }
    Ok(())
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
    known.sort();
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
