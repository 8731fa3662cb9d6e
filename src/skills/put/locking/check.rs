//! Is what was read what was locked?

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::skills::files::digest::Digest;
use crate::skills::files::parallel;
use crate::skills::find::lock::LockedSource;
use crate::skills::find::lock::{CONTRADICTION, LockFile, LockedSkill, OpenedLock};
use crate::skills::find::selection::Selection;
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::request::Request;
use crate::skills::model::source::SkillKind;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::source_files::Allowance;

/// How much may be read, and by how many.
#[derive(Debug, Clone, Copy)]
pub struct ReadLimits {
    /// Bytes of one skill.
    pub skill: u64,
    /// Bytes of all skills.
    pub total: u64,
    /// Threads to use.
    pub threads: usize,
}

/// Something that is not as it was locked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviation {
    /// The skill.
    pub name: String,
    /// The source as the manifest calls it.
    pub source: String,
    /// The digest that was locked.
    pub locked: Option<Digest>,
    /// The digest of what is there.
    pub found: Option<Digest>,
    /// How it is stored.
    pub kind: SkillKind,
}

impl Deviation {
    /// What two sources may both say of one change.
    fn change(&self) -> (String, Option<Digest>, Option<Digest>) {
        (self.name.clone(), self.locked, self.found)
    }

    /// The same for people.
    #[must_use]
    pub fn message(&self) -> String {
        let Self { name, source, locked, found, .. } = self;
        match (locked, found) {
            (Some(locked), Some(found)) => {
                format!("`{name}` of `{source}` is {found}, but {locked} is locked")
            }
            (None, _) => format!("`{name}` of `{source}` is not locked"),
            (Some(locked), None) => {
                format!("`{name}` of `{source}` is not there any more, but {locked} is locked")
            }
        }
    }
}

/// The digest of each skill, as it would be recorded when it is installed.
///
/// # Errors
/// A file that cannot be read, or that has a name without a digest.
pub fn digests(candidates: &[Candidate], bounds: ReadLimits) -> Result<Vec<Digest>> {
    let allowance = Allowance::new(bounds.skill, bounds.total);
    let digest = |one: &Candidate| {
        one.tree(&allowance)?.digest().ok_or_else(|| {
            let message = format!("`{}` has a file name that has no digest", one.name);
            Error::new(ErrorKind::Validation, message).at(&one.skill.path)
        })
    };
    parallel::map(candidates, bounds.threads, digest).into_iter().collect()
}

/// Everything that is not as it was locked.
///
/// # Errors
/// A file that cannot be read.
pub fn compare(
    lock: &LockFile,
    selection: &Selection,
    candidates: &[Candidate],
    bounds: ReadLimits,
) -> Result<Vec<Deviation>> {
    let found = digests(candidates, bounds)?;
    let sources = by_request(lock);
    let mut held = held(candidates, selection);
    let mut deviations: Vec<Deviation> = Vec::new();
    let mut known = HashSet::new();
    for key in selection.requests.iter().map(key) {
        // A manifest may say the same twice.
        let (Some(written), Some(numbers)) = (key.0, held.remove(&key)) else { continue };
        let skills = sources.get(&key).map(|source| source.skills.as_slice()).unwrap_or_default();
        let mut expected = by_name(skills);
        for number in numbers {
            let (candidate, digest) = (&candidates[number], found[number]);
            let name = candidate.name.as_str();
            let locked = expected.remove(name);
            if locked != Some(digest) {
                let deviation = Deviation {
                    name: name.to_owned(),
                    source: written.to_owned(),
                    locked,
                    found: Some(digest),
                    kind: candidate.skill.kind(),
                };
                // One change is said once, however many sources hold the skill.
                if known.insert(deviation.change()) {
                    deviations.push(deviation);
                }
            }
        }
        if !selection.is_narrowed {
            deviations.extend(expected.into_iter().map(|(name, digest)| Deviation {
                name: name.to_owned(),
                source: written.to_owned(),
                locked: Some(digest),
                found: None,
                kind: SkillKind::Directory,
            }));
        }
    }
    Ok(deviations)
}

/// What makes two requests of a manifest the same: what is written, and the name that is given.
pub(super) type RequestKey<'a> = (Option<&'a str>, Option<&'a str>);

pub(super) fn key(request: &Request) -> RequestKey<'_> {
    (request.written.as_deref(), request.name.as_ref().map(|name| name.as_str()))
}

/// What a lock says of each request.
fn by_request(lock: &LockFile) -> HashMap<RequestKey<'_>, &LockedSource> {
    let sources = lock.sources.iter();
    sources.map(|source| ((Some(source.source.as_str()), source.name.as_deref()), source)).collect()
}

/// The numbers of the skills that each request holds. A skill is found once however often it is
/// named, and what a lock says of a source must not depend on which others there are in a run. A
/// name that a request gives is its own.
pub(super) fn held<'a>(
    candidates: &[Candidate],
    selection: &'a Selection,
) -> HashMap<RequestKey<'a>, Vec<usize>> {
    let requests = &selection.requests;
    let mut held: HashMap<RequestKey<'a>, Vec<usize>> =
        requests.iter().map(|request| (key(request), Vec::new())).collect();
    for (number, candidate) in candidates.iter().enumerate() {
        let Some(own) = requests.get(candidate.skill.source) else { continue };
        let again = candidate.again.iter().filter(|_| own.name.is_none());
        let others = again.filter_map(|number| requests.get(*number));
        for request in std::iter::once(own).chain(others) {
            let numbers = held.entry(key(request)).or_default();
            if numbers.last() != Some(&number) {
                numbers.push(number);
            }
        }
    }
    held
}

/// The digests of skills.
pub(super) fn by_name(skills: &[LockedSkill]) -> BTreeMap<&str, Digest> {
    skills.iter().map(|skill| (skill.name.as_str(), skill.digest)).collect()
}

/// Whether people are expected to change such a source: it is theirs, and lies on their disk.
const fn is_living(kind: SkillKind) -> bool {
    matches!(kind, SkillKind::Directory | SkillKind::File | SkillKind::Inline)
}

/// Sorts out what is refused from what is only said.
///
/// # Errors
/// Everything that must not be: where nothing but the lock counts, any deviation; else one of a
/// source that cannot have been changed by its user.
pub fn judge(locked: &OpenedLock, deviations: Vec<Deviation>) -> Result<Vec<Deviation>> {
    let is_refused = |one: &Deviation| {
        locked.frozen || (!is_living(one.kind) && one.locked.is_some() && one.found.is_some())
    };
    let (refused, said): (Vec<_>, Vec<_>) = deviations.into_iter().partition(is_refused);
    if refused.is_empty() {
        return Ok(said);
    }
    let path = locked.path.display();
    let message = match refused.as_slice() {
        [only] => format!("{}; see `{path}`", only.message()),
        many => format!("{} skills are not what `{path}` says", many.len()),
    };
    let lines: Vec<String> = match refused.as_slice() {
        [_] => Vec::new(),
        many => many.iter().map(Deviation::message).collect(),
    };
    let is_impossible =
        |one: &Deviation| one.kind == SkillKind::Git && one.locked.is_some() && one.found.is_some();
    let advice = if refused.iter().any(is_impossible) {
        CONTRADICTION
    } else {
        "if the change is meant, `skills lock` records it"
    };
    let help = [lines, vec![advice.to_owned()]].concat().join("\n");
    Err(Error::new(ErrorKind::Validation, message).at(&locked.path).help(help))
}
