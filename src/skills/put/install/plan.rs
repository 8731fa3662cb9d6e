//! Decides what happens to each skill in one skills directory, and writes nothing.

#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::skills::files::content::{self, Content, OpenDirectory};
use crate::skills::files::digest::{Differences, Digest, Tree};
use crate::skills::files::{Directory, FileIdentity, FileKind, parallel};
use crate::skills::find::record::{Index, InstallRecord};
use crate::skills::find::{disabled, other_installers};
use crate::skills::model::error::{Error, Result};
use crate::skills::model::name::SkillName;
use crate::skills::model::reporter::Reporter;
use crate::skills::model::source::{RecordedKind, SkillKind};
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::copy::Modes;
use crate::skills::put::install::transaction::{MovedSkill, MovedSkills};
use crate::skills::put::install::{InstallOptions, VersionChange};
use crate::skills::text::document::{Document, SKILL_MD};
use crate::skills::text::field_values;

/// The planned change to one skill.
#[derive(Debug, Clone)]
pub struct Step<'a> {
    pub name: SkillName,
    pub change: Change,
    /// The skill to install, if any.
    pub candidate: Option<&'a Candidate>,
    /// Whether to make the copy read-only.
    pub read_only: bool,
    /// The manifest that owns it afterwards.
    pub owner: Option<String>,
    /// The files after the change, if the decision needed them.
    pub tree: Option<Tree>,
    /// The versions that the skill names before and after the change.
    pub version: VersionChange,
}

/// The kinds of changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Install a new skill.
    Create,
    /// Replace an unedited, older version from the same source.
    Update(Existing),
    /// Replace another skill.
    Replace(Existing),
    /// Leave an identical skill as it is.
    Keep,
    /// Leave an identical skill as it is, and correct its record.
    Record,
    /// Remove the skill.
    Remove(Existing),
    /// Remove the record of a skill that is gone.
    Forget,
}

/// A skill in the skills directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Existing {
    /// Device and inode of its directory.
    pub identity: Option<FileIdentity>,
    /// Whether it was edited or has no record, so that it gets a backup.
    pub edited: bool,
    /// Its digest, if it was not edited.
    pub digest: Option<Digest>,
    pub disabled: bool,
}

/// A skills directory as it is, or as it will be after the recovery of killed runs.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// The directory, if it exists.
    pub directory: Option<&'a Directory>,
    /// The directory of its disabled skills, if it exists.
    pub disabled: Option<&'a Directory>,
    /// Where it is.
    pub path: &'a Path,
    /// The records of installed skills.
    pub index: &'a Index,
    /// Skills that a killed run moved, and where they are now.
    pub moved: Option<&'a MovedSkills>,
}

impl Standing<'_> {
    /// The directory that contains a skill among the enabled or the disabled ones, if there is one.
    fn directory_of(&self, name: &SkillName, disabled: bool) -> Option<&Directory> {
        match self.moved.and_then(|moved| moved.get(name.as_str())) {
            Some(MovedSkill { from, to_disabled }) if *to_disabled == disabled => from.as_ref(),
            Some(MovedSkill { from: Some(_), .. }) => None,
            _ if disabled => self.disabled,
            _ => self.directory,
        }
    }

    /// What is disabled under the name of a skill, if anything is.
    fn disabled_kind(&self, name: &SkillName) -> Result<Option<FileKind>> {
        let Some(room) = self.directory_of(name, true) else { return Ok(None) };
        disabled::kind(room, name, self.index)
            .map_err(|error| disabled::unusable(self.path, &error))
    }

    /// Whether a skill is disabled.
    pub fn is_disabled(&self, name: &SkillName) -> Result<bool> {
        Ok(self.disabled_kind(name)?.is_some())
    }
}

/// A conflict that refuses the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The path of the skill.
    pub path: PathBuf,
    /// The conflict.
    pub reason: Reason,
    /// How the skill there is stored, if that is known.
    pub kind: Option<SkillKind>,
}

impl Conflict {
    /// A conflict with the skill at a path, which may have a record.
    pub fn new(path: PathBuf, reason: Reason, record: Option<&InstallRecord>) -> Self {
        let kind = match (record.map(|record| &record.kind), &reason) {
            (Some(RecordedKind::Known(kind)), _) => Some(*kind),
            (None, Reason::NotOurs(_)) => Some(SkillKind::Directory),
            (Some(RecordedKind::Other(_)) | None, _) => None,
        };
        Self { path, reason, kind }
    }

    /// The error, about the skill there, if it does not name another one.
    pub(crate) fn in_error(&self, error: Error) -> Error {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let parent = self.path.parent().unwrap_or(&self.path);
        let site = disabled::site_of(parent);
        let error = error.about(name, self.kind.map(SkillKind::as_str));
        error.within(site.as_deref().unwrap_or(parent))
    }
}

/// Why a skill cannot be installed or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A file, link or other entry that is not a directory.
    NotADirectory(FileKind),
    /// A skill that was installed from this other source, and the differences.
    Different(Box<(String, Differences)>),
    /// A skill of another manifest, and the differences.
    Owned(Box<(String, Differences)>),
    /// A skill that was edited since it was installed, and the differences.
    Edited(Differences),
    /// A skill without a record, and the differences.
    NotOurs(Differences),
    /// A link that this program installed.
    Linked,
    /// An existing entry where a link should be created.
    NotALink(FileKind),
    /// A skill that is disabled.
    Disabled,
    /// A skill that is both here and among the disabled ones, at this path.
    Twice(PathBuf),
}

impl Reason {
    /// The reason as a predicate, for a sentence that starts with the path.
    pub const fn summary(&self) -> &'static str {
        match self {
            Self::NotADirectory(_) => "is not a directory",
            Self::Different(_) => "differs",
            Self::Owned(_) => "belongs to another manifest",
            Self::Edited(_) => "was edited since it was installed",
            Self::NotOurs(_) => "was not installed by `skills`",
            Self::Linked => "is a link to a skill",
            Self::NotALink(_) => "is not a link to this skill",
            Self::Disabled => "is disabled",
            Self::Twice(_) => "is both enabled and disabled",
        }
    }
}

/// The decision about a skill.
pub type Decision<'a> = Result<Step<'a>, Conflict>;

/// Decides about all skills to install.
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
        if standing.is_disabled(&candidate.name)? {
            let at = path.join(candidate.name.as_str());
            // A manifest does not enable a skill that its user disabled.
            let keep = || Step::without(&candidate.name, Change::Keep, None);
            let conflict = || Conflict::new(at, Reason::Disabled, record);
            return Ok(if options.owner.is_some() { Ok(keep()) } else { Err(conflict()) });
        }
        let read_only = match &candidate.restores {
            Some(before) => before.record.read_only,
            None => options.read_only_copy(record),
        };
        let modes = Modes::current(read_only);
        let kind = kind_of(standing, &candidate.name)?;
        // A dry run also reports the digest of new skills.
        let tree = if kind == Some(FileKind::Directory) || options.dry_run {
            Some(modes.copy_of(candidate.tree(&allowance)?.clone()))
        } else {
            None
        };
        let directory = standing.directory_of(&candidate.name, false);
        let found = look((directory, path), &candidate.name, kind, record, tree.as_ref())?;
        let settled = settle(found, tree.as_ref(), record, candidate, (options, read_only));
        // The last request counts, even if it leads to the same files.
        let is_asked_anew = |record: &InstallRecord| {
            let asked = candidate.recorded_request(options.project.as_deref());
            record.owner == options.owner && asked.is_some() && asked != record.requested
        };
        let settled = settled.map(|change| match change {
            Change::Keep if record.is_some_and(is_asked_anew) => Change::Record,
            change => change,
        });
        Ok(settled.map_or_else(
            |reason| Err(Conflict::new(path.join(candidate.name.as_str()), reason, record)),
            |change| {
                let version = version(standing, candidate, &change);
                let (name, candidate) = (candidate.name.clone(), Some(candidate));
                let owner = options.owner_after(&change, record);
                Ok(Step { name, change, candidate, read_only, owner, tree, version })
            },
        ))
    };
    parallel::map(candidates, options.threads, decide).into_iter().collect()
}

/// Decides about all skills to remove, enabled or disabled. If the user deleted one, only its record
/// is removed.
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
        let (name, version) = (name.clone(), VersionChange::default());
        Self { name, change, candidate: None, read_only: false, owner: None, tree, version }
    }
}

/// Decides about one skill to remove; none if it does not exist.
fn remove<'a>(
    name: &SkillName,
    standing: &Standing<'_>,
    options: &InstallOptions,
) -> Result<Option<Decision<'a>>> {
    let record = standing.index.records.get(name);
    let (here, away) = (kind_of(standing, name)?, standing.disabled_kind(name)?);
    let room_path = || disabled::room_path(standing.path).unwrap_or_default();
    let place = if away.is_some() { room_path() } else { standing.path.to_owned() };
    if here.is_some() && away.is_some() {
        let path = standing.path.join(name.as_str());
        let reason = Reason::Twice(place.join(name.as_str()));
        return Ok(Some(Err(Conflict::new(path, reason, record))));
    }
    let conflict = |reason| Conflict::new(place.join(name.as_str()), reason, record);
    let directory = standing.directory_of(name, away.is_some());
    let existing = |identity, tree: &Tree| {
        let existing = existing(identity, tree, record);
        Existing { disabled: away.is_some(), ..existing }
    };
    let (existing, tree) = match look((directory, &place), name, here.or(away), record, None)? {
        Occupant::Nothing => return Ok(None),
        Occupant::Other(FileKind::Symlink, _) if record.is_some_and(|record| record.linked) => {
            // Only the link goes, so there is nothing to back up.
            let file = OsStr::new(name.as_str());
            let identity = directory.and_then(|there| there.identity_of(file).ok().flatten());
            let link =
                Existing { edited: false, digest: None, ..existing(identity, &Tree::default()) };
            return Ok(Some(Ok(Step::without(name, Change::Remove(link), None))));
        }
        Occupant::Other(kind, _) => return Ok(Some(Err(conflict(Reason::NotADirectory(kind))))),
        Occupant::Skill(identity, tree) => (existing(identity, &tree), tree),
    };
    let edits = record.map(|record| record.edits(&tree)).unwrap_or_default();
    Ok(Some(match record {
        _ if options.force || !existing.edited => {
            Ok(Step::without(name, Change::Remove(existing), Some(tree)))
        }
        Some(_) => Err(conflict(Reason::Edited(edits))),
        None => Err(conflict(Reason::NotOurs(edits))),
    }))
}

/// Stops the run if a signal arrived. Nothing has changed yet.
fn refuse_when_cancelled(reporter: &dyn Reporter) -> Result<()> {
    reporter.cancelled().map_or(Ok(()), |_| Err(Error::interrupted()))
}

/// The current entry under the name of a skill.
enum Occupant {
    Nothing,
    /// Not a directory; with its identity if it is a link of another installer.
    Other(FileKind, Option<FileIdentity>),
    Skill(Option<FileIdentity>, Tree),
}

/// The type of the entry under the name of a skill, if there is one.
fn kind_of(standing: &Standing<'_>, name: &SkillName) -> Result<Option<FileKind>> {
    let Some(directory) = standing.directory_of(name, false) else { return Ok(None) };
    match directory.kind(OsStr::new(name.as_str())) {
        Ok(kind) => Ok(Some(kind)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", standing.path.join(name.as_str()), &error)),
    }
}

/// Examines a skill. Reads only files that may match the record or the wanted tree.
fn look(
    (directory, path): (Option<&Directory>, &Path),
    name: &SkillName,
    kind: Option<FileKind>,
    record: Option<&InstallRecord>,
    wanted: Option<&Tree>,
) -> Result<Occupant> {
    let (Some(kind), Some(directory)) = (kind, directory) else {
        return Ok(Occupant::Nothing);
    };
    if kind != FileKind::Directory {
        let file = OsStr::new(name.as_str());
        let link = other_installers::store_link(directory, path, file);
        let identity = link.and_then(|_| directory.identity_of(file).ok().flatten());
        return Ok(Occupant::Other(kind, identity));
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
    read().map_err(|error| Error::io("read", path.join(name.as_str()), &error))
}

/// Describes an existing skill.
fn existing(
    identity: Option<FileIdentity>,
    tree: &Tree,
    record: Option<&InstallRecord>,
) -> Existing {
    let edited = record.is_none_or(|record| !record.edits(tree).is_empty());
    Existing { identity, edited, digest: tree.digest().filter(|_| !edited), disabled: false }
}

/// The versions of the skill that is replaced and of the one that replaces it.
fn version(standing: &Standing<'_>, candidate: &Candidate, change: &Change) -> VersionChange {
    if !matches!(change, Change::Update(_) | Change::Replace(_)) {
        return VersionChange::default();
    }
    let installed = || {
        let skill = standing.directory_of(&candidate.name, false)?;
        let skill = skill.child(OsStr::new(candidate.name.as_str())).ok()?;
        match content::read_in(&skill, OsStr::new(SKILL_MD)) {
            Content::Text(text) => field_values::version(&Document::parse(&text)),
            _ => None,
        }
    };
    VersionChange { from: installed(), to: candidate.version() }
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
        Occupant::Other(FileKind::Symlink, _) if record.is_some_and(|record| record.linked) => {
            return Err(Reason::Linked);
        }
        Occupant::Other(FileKind::Symlink, Some(identity)) if options.force => {
            // A link of another installer. Only the link goes, so there is nothing to back up.
            let link =
                Existing { identity: Some(identity), edited: false, digest: None, disabled: false };
            return Ok(Change::Replace(link));
        }
        Occupant::Other(kind, _) => return Err(Reason::NotADirectory(kind)),
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
            None => Reason::Different(Box::new((record.source.clone(), differences))),
        }),
    }
}

/// The change to a skill that already has the wanted files.
fn same(there: Existing, tree: &Tree, record: Option<&InstallRecord>, read_only: bool) -> Change {
    let Some(record) = record else { return Change::Record };
    // Change the modes on request, unless the directory has extra entries, which would be lost.
    if record.read_only != read_only && tree.foreign.is_empty() {
        return Change::Replace(Existing { edited: false, digest: tree.digest(), ..there });
    }
    if record.tree().differences(tree).is_empty() { Change::Keep } else { Change::Record }
}
