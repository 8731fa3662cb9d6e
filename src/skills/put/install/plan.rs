//! Decides what would happen to each skill in one skills directory. Nothing is written here.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::skills::files::digest::Digest;
use crate::skills::files::directory::OpenDirectory;
use crate::skills::files::parallel;
use crate::skills::files::platform::{Directory, FileIdentity, FileKind};
use crate::skills::files::tree::{Differences, Tree};
use crate::skills::find::record::{Index, InstallRecord};
use crate::skills::model::error::{Error, Result};
use crate::skills::model::name::SkillName;
use crate::skills::model::reporter::Reporter;
use crate::skills::put::install::InstallOptions;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::copy::Modes;
use crate::skills::put::install::transaction::MovedSkills;

/// What is to happen to one skill.
#[derive(Debug, Clone)]
pub struct Step<'a> {
    /// Its name.
    pub name: SkillName,
    /// What is to happen.
    pub change: Change,
    /// What is installed, if something is.
    pub candidate: Option<&'a Candidate>,
    /// Whether the copy is made read-only.
    pub read_only: bool,
    /// The manifest that owns it afterwards.
    pub owner: Option<String>,
    /// What is to be there afterwards, when that was needed to decide.
    pub tree: Option<Tree>,
}

/// What is to happen to a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It is put where nothing is.
    Create,
    /// It takes the place of an older version from the same place, which nobody edited.
    Update(Existing),
    /// It takes the place of another.
    Replace(Existing),
    /// It is there already.
    Keep,
    /// It is there already, but not by what was recorded; only its record changes.
    Record,
    /// It goes.
    Remove(Existing),
    /// It is gone already; only its record goes.
    Forget,
}

/// A skill that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Existing {
    /// What makes its directory itself.
    pub identity: Option<FileIdentity>,
    /// Whether it was made read-only.
    pub read_only: bool,
    /// Whether somebody else than this program made it what it is, so that it is kept.
    pub edited: bool,
    /// Its digest, when nobody edited it.
    pub digest: Option<Digest>,
}

/// A skills directory as it is, or as it will be once killed runs are cleaned up.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// The directory, when it is there.
    pub directory: Option<&'a Directory>,
    /// Where it is.
    pub path: &'a Path,
    /// What was installed there.
    pub index: &'a Index,
    /// Skills that are to be looked for elsewhere.
    pub moved: Option<&'a MovedSkills>,
}

impl Standing<'_> {
    /// The directory in which a skill is, if it is anywhere.
    fn directory_of(&self, name: &SkillName) -> Option<&Directory> {
        match self.moved.and_then(|moved| moved.get(name.as_str())) {
            Some(elsewhere) => elsewhere.as_ref(),
            None => self.directory,
        }
    }
}

/// Why a skill is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Where it would be.
    pub path: PathBuf,
    /// What is there.
    pub reason: Reason,
}

/// What keeps a skill from being installed or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Something that is no directory.
    NotADirectory(FileKind),
    /// A skill that this program installed from another place, and what is different.
    Different(String, Differences),
    /// A skill that another manifest put there, and what is different.
    Owned(Box<(String, Differences)>),
    /// A skill that was edited since it was installed: what was done to it, or what would be.
    Edited(Differences),
    /// A skill that somebody else put there.
    NotOurs(Differences),
}

impl Reason {
    /// What is there, as the end of a sentence about its path.
    #[must_use]
    pub const fn summary(&self) -> &'static str {
        match self {
            Self::NotADirectory(_) => "is not a directory",
            Self::Different(..) => "differs",
            Self::Owned(_) => "belongs to another manifest",
            Self::Edited(_) => "was edited since it was installed",
            Self::NotOurs(_) => "was not installed by `skills`",
        }
    }
}

/// What was decided about a skill.
pub type Decision<'a> = Result<Step<'a>, Conflict>;

/// Decides about every skill that is to be installed.
///
/// # Errors
/// A file that cannot be read, and a signal.
pub fn install<'a>(
    candidates: &[&'a Candidate],
    standing: &Standing<'_>,
    options: &InstallOptions,
    reporter: &dyn Reporter,
) -> Result<Vec<Decision<'a>>> {
    let allowance = options.allowance();
    let path = standing.path;
    let decide = |candidate: &&'a Candidate| -> Result<Decision<'a>> {
        let candidate: &'a Candidate = candidate;
        refuse_when_cancelled(reporter)?;
        let record = standing.index.records.get(&candidate.name);
        let read_only = options.read_only_copy(record);
        let modes = Modes::current(read_only);
        let kind = kind_of(standing, &candidate.name)?;
        // A dry run reports the digest of new skills, too.
        let tree = if kind == Some(FileKind::Directory) || options.dry_run {
            Some(modes.copy_of(candidate.tree(&allowance)?.clone()))
        } else {
            None
        };
        let found = look(standing, &candidate.name, kind, record, tree.as_ref())?;
        let settled = settle(found, tree.as_ref(), record, candidate, (options, read_only));
        Ok(settled.map_or_else(
            |reason| Err(Conflict { path: path.join(candidate.name.as_str()), reason }),
            |change| {
                let (name, candidate) = (candidate.name.clone(), Some(candidate));
                let owner = options.owner_after(&change, record);
                Ok(Step { name, change, candidate, read_only, owner, tree })
            },
        ))
    };
    parallel::map(candidates, options.threads, decide).into_iter().collect()
}

/// Decides about every skill that is to be removed. Of one that somebody has removed already, the
/// record goes.
///
/// # Errors
/// A file that cannot be read, and a signal.
pub fn remove_all<'a>(
    names: &[SkillName],
    standing: &Standing<'_>,
    options: &InstallOptions,
    reporter: &dyn Reporter,
) -> Result<Vec<Decision<'a>>> {
    let decide = |name: &SkillName| -> Result<Option<Decision<'a>>> {
        refuse_when_cancelled(reporter)?;
        if !options.may_remove(standing.index.records.get(name)) {
            return Ok(None);
        }
        let decision = remove(name, standing, options)?;
        let is_recorded = standing.index.records.contains_key(name);
        Ok(decision.or_else(|| is_recorded.then(|| Ok(Step::without(name, Change::Forget, None)))))
    };
    let decisions = parallel::map(names, options.threads, decide);
    decisions.into_iter().filter_map(Result::transpose).collect()
}

impl Step<'_> {
    /// A step that installs nothing.
    fn without(name: &SkillName, change: Change, tree: Option<Tree>) -> Self {
        Self { name: name.clone(), change, candidate: None, read_only: false, owner: None, tree }
    }
}

/// Decides about one skill that is to be removed; none when it is not there.
///
/// # Errors
/// A file that cannot be read.
fn remove<'a>(
    name: &SkillName,
    standing: &Standing<'_>,
    options: &InstallOptions,
) -> Result<Option<Decision<'a>>> {
    let conflict = |reason| Conflict { path: standing.path.join(name.as_str()), reason };
    let record = standing.index.records.get(name);
    let kind = kind_of(standing, name)?;
    let (identity, tree) = match look(standing, name, kind, record, None)? {
        Occupant::Nothing => return Ok(None),
        Occupant::Other(kind) => return Ok(Some(Err(conflict(Reason::NotADirectory(kind))))),
        Occupant::Skill(identity, tree) => (identity, tree),
    };
    let existing = existing(identity, &tree, record);
    let edits = record.map(|record| record.edits(&tree)).unwrap_or_default();
    Ok(Some(match record {
        _ if options.force || !existing.edited => {
            Ok(Step::without(name, Change::Remove(existing), Some(tree)))
        }
        Some(_) => Err(conflict(Reason::Edited(edits))),
        None => Err(conflict(Reason::NotOurs(edits))),
    }))
}

/// Nothing has happened yet when a signal asks for an end.
///
/// # Errors
/// When one does.
fn refuse_when_cancelled(reporter: &dyn Reporter) -> Result<()> {
    reporter.cancelled().map_or(Ok(()), |_| Err(Error::interrupted()))
}

/// What is at the place of a skill.
enum Occupant {
    Nothing,
    Other(FileKind),
    Skill(Option<FileIdentity>, Tree),
}

/// What sort of thing is at the place of a skill, if anything is.
fn kind_of(standing: &Standing<'_>, name: &SkillName) -> Result<Option<FileKind>> {
    let Some(directory) = standing.directory_of(name) else { return Ok(None) };
    match directory.kind(OsStr::new(name.as_str())) {
        Ok(kind) => Ok(Some(kind)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", standing.path.join(name.as_str()), &error)),
    }
}

/// Looks at a skill, and reads the files that may be those of its record or those that are wanted.
fn look(
    standing: &Standing<'_>,
    name: &SkillName,
    kind: Option<FileKind>,
    record: Option<&InstallRecord>,
    wanted: Option<&Tree>,
) -> Result<Occupant> {
    let (Some(kind), Some(directory)) = (kind, standing.directory_of(name)) else {
        return Ok(Occupant::Nothing);
    };
    if kind != FileKind::Directory {
        return Ok(Occupant::Other(kind));
    }
    let recorded = record.map(InstallRecord::tree);
    let may_be_same = |path: &str, bytes: u64| {
        recorded.as_ref().is_some_and(|tree| tree.has(path, bytes))
            || wanted.is_some_and(|tree| tree.has(path, bytes))
    };
    let read = || -> io::Result<Occupant> {
        let child = directory.child(OsStr::new(name.as_str()))?;
        let entries = child.entries()?;
        let identity = child.identity()?;
        let open = OpenDirectory { directory: child, entries };
        Ok(Occupant::Skill(identity, Tree::of_directory(&open, &may_be_same)?))
    };
    read().map_err(|error| Error::io("read", standing.path.join(name.as_str()), &error))
}

/// What there is to know about a skill that is there.
fn existing(
    identity: Option<FileIdentity>,
    tree: &Tree,
    record: Option<&InstallRecord>,
) -> Existing {
    let edited = record.is_none_or(|record| !record.edits(tree).is_empty());
    Existing {
        identity,
        read_only: record.is_some_and(|record| record.read_only),
        edited,
        digest: tree.digest().filter(|_| !edited),
    }
}

fn settle(
    found: Occupant,
    wanted: Option<&Tree>,
    record: Option<&InstallRecord>,
    candidate: &Candidate,
    (options, read_only): (&InstallOptions, bool),
) -> Result<Change, Reason> {
    let (identity, there) = match found {
        Occupant::Nothing => return Ok(Change::Create),
        Occupant::Other(kind) => return Err(Reason::NotADirectory(kind)),
        Occupant::Skill(identity, tree) => (identity, tree),
    };
    let differences = wanted.map(|wanted| there.differences(wanted)).unwrap_or_default();
    let existing = existing(identity, &there, record);
    if differences.is_empty() {
        let change = same(existing, &there, record, read_only);
        let is_taken_over = change == Change::Keep && options.takes_over(record);
        return Ok(if is_taken_over { Change::Record } else { change });
    }
    match (options.force, record, existing.edited) {
        (_, Some(record), false) if options.updates(record, candidate) => {
            Ok(Change::Update(existing))
        }
        (true, ..) => Ok(Change::Replace(existing)),
        (false, None, _) => Err(Reason::NotOurs(differences)),
        (false, Some(_), true) => Err(Reason::Edited(differences)),
        (false, Some(record), false) => Err(match options.other_owner(record) {
            Some(owner) => Reason::Owned(Box::new((owner, differences))),
            None => Reason::Different(record.source.clone(), differences),
        }),
    }
}

/// What happens to a skill whose files are those that are wanted.
fn same(there: Existing, tree: &Tree, record: Option<&InstallRecord>, read_only: bool) -> Change {
    let Some(record) = record else { return Change::Record };
    // Who asks for other modes gets them, unless something else lies there, too.
    if record.read_only != read_only && tree.foreign.is_empty() {
        return Change::Replace(Existing { edited: false, digest: tree.digest(), ..there });
    }
    if record.tree().differences(tree).is_empty() { Change::Keep } else { Change::Record }
}

#[cfg(test)]
mod tests;
