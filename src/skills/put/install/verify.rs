//! Compares the skills in a directory with their records.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::skills::files::content::OpenDirectory;
use crate::skills::files::digest::{Differences, Digest, Tree, everything};
use crate::skills::files::{Directory, FileKind, parallel};
use crate::skills::find::lock::OpenedLock;
use crate::skills::find::manifest::claims::ManifestClaim;
use crate::skills::find::record::{Index, InstallRecord};
use crate::skills::find::scan::skill_md;
use crate::skills::find::{disabled, scan};
use crate::skills::model::error::{Error, Result};
use crate::skills::model::name::SkillName;

/// The result for one skill.
#[derive(Debug, Clone)]
pub struct Verified {
    pub name: String,
    pub path: PathBuf,
    pub state: State,
    /// Its digest, if it can be read.
    pub digest: Option<Digest>,
    /// Its record, if it has one.
    pub record: Option<InstallRecord>,
    /// The ids of the safety rules that it breaks with errors, whoever changed it.
    pub rules: Vec<&'static str>,
}

/// The state of a skill, compared with its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Its files are those that were installed.
    Same,
    /// Some of its files differ.
    Modified(Differences),
    /// It is a link to its source.
    Linked,
    /// It is gone.
    Missing,
    /// Its name belongs to something other than a directory.
    NotADirectory,
    /// It has no record.
    Unrecorded,
    Disabled,
    /// It differs from a lock, which pins this digest.
    NotLocked(Digest),
    /// The manifest that put it there no longer names it.
    Dropped,
}

impl State {
    /// The word used in JSON and by people.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Same => "ok",
            Self::Linked => "linked",
            Self::Modified(_) | Self::NotADirectory => "modified",
            Self::Missing => "missing",
            Self::Unrecorded => "unrecorded",
            Self::Disabled => "disabled",
            Self::NotLocked(_) => "not-locked",
            Self::Dropped => "dropped",
        }
    }

    /// Whether it differs from its record or lock.
    pub const fn differs(&self) -> bool {
        !matches!(self, Self::Same | Self::Linked | Self::Unrecorded | Self::Disabled)
    }
}

/// Compares every skill of a directory, sorted by name.
pub fn verify(path: &Path, directory: &Directory, threads: usize) -> Result<Vec<Verified>> {
    let mut index = Index::read(directory, path)?;
    let entries = directory.entries().map_err(|error| Error::io("read directory", path, &error))?;
    let recorded = index.records.iter().map(|(name, record)| (name.to_string(), Some(record)));
    let mut named: Vec<(String, Option<&InstallRecord>)> = recorded.collect();
    for (name, kind) in entries {
        let known = name.to_str().and_then(|name| SkillName::new(name).ok());
        let is_recorded = known.is_some_and(|name| index.records.contains_key(&name));
        if kind == FileKind::Directory && !is_recorded && holds_skill(directory, &name) {
            named.push((name.to_string_lossy().into_owned(), None));
        }
    }
    named.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    let compared =
        parallel::map(&named, threads, |(name, record)| compare(directory, path, name, *record));
    let mut compared: Vec<Verified> = compared.into_iter().collect::<Result<_>>()?;
    let disabled = disabled::names(path)?;
    for skill in compared.iter_mut().filter(|skill| skill.state == State::Missing) {
        if disabled.iter().any(|name| name.as_str() == skill.name) {
            skill.state = State::Disabled;
        }
    }
    // Records can be long, so move them instead of copying.
    for skill in &mut compared {
        let name = SkillName::new(&skill.name).ok();
        skill.record = name.and_then(|name| index.records.remove(&name));
    }
    Ok(compared)
}

/// Also compares the skills of a directory with a lock, whose digests they must match. With
/// `--frozen`, every skill in the lock must be there.
pub fn against(path: &Path, skills: &mut Vec<Verified>, locked: &OpenedLock) -> Result<()> {
    let digests = locked.lock.digests();
    for skill in skills.iter_mut() {
        let Some(expected) = digests.get(skill.name.as_str()) else { continue };
        if skill.state == State::Unrecorded {
            skill.digest = whole_digest(&skill.path)?;
        }
        let is_locked = skill.digest.is_some_and(|digest| expected.contains(&digest));
        if matches!(skill.state, State::Same | State::Linked | State::Unrecorded)
            && let Some(first) = expected.first().filter(|_| !is_locked)
        {
            skill.state = State::NotLocked(*first);
        }
    }
    if locked.frozen {
        let there: HashSet<&str> = skills.iter().map(|skill| skill.name.as_str()).collect();
        let missing: Vec<&str> = digests.into_keys().filter(|name| !there.contains(name)).collect();
        skills.extend(missing.into_iter().map(|name| Verified {
            name: name.to_owned(),
            path: path.join(name),
            state: State::Missing,
            digest: None,
            record: None,
            rules: Vec::new(),
        }));
        skills.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    }
    Ok(())
}

/// Finds the skills that a manifest installed and no longer names.
pub fn against_manifest(
    skills: &mut [Verified],
    (owner, claims): (&str, &[ManifestClaim]),
    locked: Option<&OpenedLock>,
) {
    let digests = locked.map(|locked| locked.lock.digests());
    let is_locked = |name: &str| digests.as_ref().is_none_or(|all| all.contains_key(name));
    for skill in skills.iter_mut().filter(|skill| skill.state == State::Same) {
        let record = skill.record.as_ref();
        let Some(record) = record.filter(|one| one.owner.as_deref() == Some(owner)) else {
            continue;
        };
        let is_named = |claim: &ManifestClaim| {
            claim.covers(record) && (claim.is_sure() || is_locked(&skill.name))
        };
        if !claims.iter().any(is_named) {
            skill.state = State::Dropped;
        }
    }
}

/// The digest of a skill; none if it contains anything but files and directories.
fn whole_digest(path: &Path) -> Result<Option<Digest>> {
    let read = OpenDirectory::open(path).and_then(|open| Tree::of_directory(&open, &everything));
    let tree = read.map_err(|error| Error::io("read", path, &error))?;
    Ok(tree.digest().filter(|_| tree.foreign.is_empty()))
}

fn holds_skill(directory: &Directory, name: &OsStr) -> bool {
    let entries = directory.child(name).and_then(|child| child.entries());
    entries.is_ok_and(|entries| skill_md(&entries).is_some())
}

/// Compares one skill with its record.
pub fn compare(
    directory: &Directory,
    path: &Path,
    name: &str,
    record: Option<&InstallRecord>,
) -> Result<Verified> {
    let path = path.join(name);
    let (state, digest) = match (record, read(directory, name, record)) {
        (_, Err(error)) => return Err(Error::io("read", path, &error)),
        (None, Ok(_)) => (State::Unrecorded, None),
        (Some(_), Ok(Err(None))) => (State::Missing, None),
        (Some(record), Ok(Err(Some(kind)))) => (in_its_place(directory, name, record, kind), None),
        (Some(record), Ok(Ok(tree))) => {
            let differences = record.edits(&tree);
            let digest = tree.digest();
            let same = differences.is_empty() && digest == Some(record.digest);
            (if same { State::Same } else { State::Modified(differences) }, digest)
        }
    };
    let is_there = !matches!(state, State::Missing | State::NotADirectory);
    let rules = if is_there { scan::broken_safety_rules(&path) } else { Vec::new() };
    Ok(Verified { name: name.to_owned(), path, state, digest, record: None, rules })
}

/// The state of an entry that is not a directory: a link may have been installed.
fn in_its_place(
    directory: &Directory,
    name: &str,
    record: &InstallRecord,
    kind: FileKind,
) -> State {
    let name = OsStr::new(name);
    let target = directory.link_target(name).ok().filter(|_| kind == FileKind::Symlink);
    let is_recorded = |target: PathBuf| record.linked && target == Path::new(&record.source);
    match (target.is_some_and(is_recorded), directory.leads_to_directory(name)) {
        (true, true) => State::Linked,
        (true, false) => State::Missing,
        (false, _) => State::NotADirectory,
    }
}

/// The tree of a skill, or the state if it has none.
fn read(
    directory: &Directory,
    name: &str,
    record: Option<&InstallRecord>,
) -> io::Result<Result<Tree, Option<FileKind>>> {
    let recorded = record.map(InstallRecord::tree).unwrap_or_default();
    let name = OsStr::new(name);
    match directory.kind(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Err(None)),
        Err(error) => return Err(error),
        Ok(FileKind::Directory) => {}
        Ok(kind) => return Ok(Err(Some(kind))),
    }
    let child = directory.child(name)?;
    let entries = child.entries()?;
    let may_be_same = |path: &str, bytes: u64| recorded.has(path, bytes);
    Tree::of_directory(&OpenDirectory { directory: child, entries }, &may_be_same).map(Ok)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::skills::find::lock::{LockFile, LockedSkill, LockedSource};

    #[test]
    fn comparing_installed_skills_with_a_long_lock_is_fast() {
        let name = |number: usize| format!("skill-{number}");
        let digest = Digest::parse(&format!("sha256:{}", "0".repeat(64))).unwrap();
        let locked = |number| LockedSkill { name: name(number), digest, artifact: None };
        let source = LockedSource {
            source: "./skills".to_owned(),
            name: None,
            commit: None,
            digest: None,
            skills: (0..30_000).map(locked).collect(),
        };
        let locked = OpenedLock {
            path: "skills.lock".into(),
            lock: LockFile { sources: vec![source] },
            frozen: true,
        };
        let verified = |number| Verified {
            name: name(number),
            path: name(number).into(),
            state: State::Same,
            digest: Some(digest),
            record: None,
            rules: Vec::new(),
        };
        let mut skills: Vec<Verified> = (1..30_001).map(verified).collect();
        let begin = Instant::now();
        against(Path::new("out"), &mut skills, &locked).unwrap();
        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
        let state = |name: &str| &skills.iter().find(|skill| skill.name == name).unwrap().state;
        assert_eq!(skills.len(), 30_001);
        assert_eq!(*state("skill-0"), State::Missing);
        assert_eq!(*state("skill-1"), State::Same);
        assert_eq!(*state("skill-30000"), State::Same);
    }
}
