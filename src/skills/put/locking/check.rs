//! Compares the skills that were read with a lock.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::skills::files::digest::Digest;
use crate::skills::files::parallel;
use crate::skills::find::lock::{CONTRADICTION, LockFile, LockedSkill, LockedSource, OpenedLock};
use crate::skills::find::selection::Selection;
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::request::Request;
use crate::skills::model::source::SkillKind;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::source_files::Allowance;

/// Limits for reading.
#[derive(Debug, Clone, Copy)]
pub struct ReadLimits {
    /// Maximum size of one skill, in bytes.
    pub skill: u64,
    /// Maximum size of all skills together, in bytes.
    pub total: u64,
    /// Threads to use.
    pub threads: usize,
}

/// A skill that differs from the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviation {
    /// The skill.
    pub name: String,
    /// The source as the manifest calls it.
    pub source: String,
    /// The digest in the lock.
    pub locked: Option<Digest>,
    /// The digest of the skill now.
    pub found: Option<Digest>,
    /// How it is stored.
    pub kind: SkillKind,
}

impl Deviation {
    /// The part that is equal when two sources report one change.
    fn change(&self) -> (String, Option<Digest>, Option<Digest>) {
        (self.name.clone(), self.locked, self.found)
    }

    /// The message for people.
    pub fn message(&self) -> String {
        let Self { name, source, locked, found, .. } = self;
        match (locked, found) {
            (Some(locked), Some(found)) => {
                format!("`{name}` of `{source}` is {found}, but the lock has {locked}")
            }
            (None, _) => format!("`{name}` of `{source}` is not in the lock"),
            (Some(locked), None) => {
                format!("`{name}` of `{source}` is missing, but the lock has {locked}")
            }
        }
    }
}

/// The digest of each skill, as an installation would record it.
pub fn digests(candidates: &[Candidate], bounds: ReadLimits) -> Result<Vec<Digest>> {
    let allowance = Allowance::new(bounds.skill, bounds.total);
    let digest = |one: &Candidate| {
        one.tree(&allowance)?.digest().ok_or_else(|| {
            err!(Validation, "`{}` has a file name that cannot be recorded", one.name)
                .at(&one.skill.path)
        })
    };
    parallel::map(candidates, bounds.threads, digest).into_iter().collect()
}

/// All skills that differ from the lock.
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
        // A manifest may name a source twice.
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
                // Report a change once, even if several sources contain the skill.
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

/// The key of a request in a manifest: the source as written, and the given name.
pub type RequestKey<'a> = (Option<&'a str>, Option<&'a str>);

pub fn key(request: &Request) -> RequestKey<'_> {
    (request.written.as_deref(), request.name.as_ref().map(|name| name.as_str()))
}

/// The locked digests of each request.
fn by_request(lock: &LockFile) -> HashMap<RequestKey<'_>, &LockedSource> {
    let sources = lock.sources.iter();
    sources.map(|source| ((Some(source.source.as_str()), source.name.as_deref()), source)).collect()
}

/// The positions of the skills that each request contains. A scan finds a skill once, even if
/// several requests contain it, but the lock of a source must not depend on other sources. A
/// request with a name has its own skill.
pub fn held<'a>(
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
pub fn by_name(skills: &[LockedSkill]) -> BTreeMap<&str, Digest> {
    skills.iter().map(|skill| (skill.name.as_str(), skill.digest)).collect()
}

/// Whether the user may edit such a source, because it is on their disk.
const fn is_living(kind: SkillKind) -> bool {
    matches!(kind, SkillKind::Directory | SkillKind::File | SkillKind::Inline)
}

/// Refuses deviations, or returns those that are only reported.
///
/// # Errors
/// With `--frozen`, any deviation; otherwise, a deviation of a source that its user cannot edit.
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
        many => format!("{} skills differ from `{path}`", many.len()),
    };
    let lines: Vec<String> = match refused.as_slice() {
        [_] => Vec::new(),
        many => many.iter().map(Deviation::message).collect(),
    };
    let never_changes = [SkillKind::Git, SkillKind::Site, SkillKind::Registry];
    let is_impossible = |one: &Deviation| {
        never_changes.contains(&one.kind) && one.locked.is_some() && one.found.is_some()
    };
    let advice = if refused.iter().any(is_impossible) {
        CONTRADICTION
    } else {
        "if the change is intended, run `skills lock` to record it"
    };
    let help = [lines, vec![advice.to_owned()]].concat().join("\n");
    Err(Error::new(ErrorKind::Validation, message).at(&locked.path).help(help))
}
