//! Is what was read what was locked?

use std::collections::BTreeMap;

use super::{Lock, Locked, LockedSkill};
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::install::candidate::Candidate;
use crate::skills::install::copy::{self, Allowance};
use crate::skills::parallel;
use crate::skills::selection::{Request, Selection};
use crate::skills::source::SkillKind;

/// How much may be read, and by how many.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
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
    pub locked: Option<String>,
    /// The digest of what is there.
    pub found: Option<String>,
    /// How it is stored.
    pub kind: SkillKind,
}

impl Deviation {
    /// Whether both are about the same change, maybe seen from two sources.
    fn is_change_of(&self, other: &Self) -> bool {
        self.name == other.name && self.locked == other.locked && self.found == other.found
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
pub fn digests(candidates: &[Candidate], bounds: Bounds) -> Result<Vec<String>> {
    // What a umask takes away here says nothing about the skill.
    let mut allowance = Allowance::new(bounds.skill, bounds.total);
    allowance.umask = 0;
    let digest = |one: &Candidate| {
        let tree = copy::copy(one, None, false, &allowance)?;
        tree.digest().ok_or_else(|| {
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
    lock: &Lock,
    selection: &Selection,
    candidates: &[Candidate],
    bounds: Bounds,
) -> Result<Vec<Deviation>> {
    let found = digests(candidates, bounds)?;
    let mut deviations = Vec::new();
    for (number, request) in selection.requests.iter().enumerate() {
        let Some(written) = &request.written else { continue };
        if selection.requests[..number].iter().any(|earlier| is_same(earlier, request)) {
            continue;
        }
        let skills = lock.of(request).map(|source| source.skills.as_slice()).unwrap_or_default();
        let mut expected = by_name(skills);
        for (candidate, digest) in candidates.iter().zip(&found) {
            if !is_held(candidate, selection, number) {
                continue;
            }
            let name = candidate.name.as_str();
            let locked = expected.remove(name);
            if locked != Some(digest.as_str()) {
                let deviation = Deviation {
                    name: name.to_owned(),
                    source: written.clone(),
                    locked: locked.map(str::to_owned),
                    found: Some(digest.clone()),
                    kind: candidate.skill.kind,
                };
                // One change is said once, however many sources hold the skill.
                if !deviations.iter().any(|known| deviation.is_change_of(known)) {
                    deviations.push(deviation);
                }
            }
        }
        if !selection.is_narrowed {
            deviations.extend(expected.into_iter().map(|(name, digest)| Deviation {
                name: name.to_owned(),
                source: written.clone(),
                locked: Some(digest.to_owned()),
                found: None,
                kind: SkillKind::Directory,
            }));
        }
    }
    Ok(deviations)
}

/// Whether a request holds a skill, which is found once however often it is named: what a lock says
/// of a source must not depend on which others there are in a run. A name that a request gives is
/// its own.
pub(super) fn is_held(candidate: &Candidate, selection: &Selection, number: usize) -> bool {
    let requests = &selection.requests;
    let (Some(own), Some(request)) = (requests.get(candidate.skill.source), requests.get(number))
    else {
        return false;
    };
    is_same(own, request) || (own.name.is_none() && candidate.again.contains(&number))
}

/// Whether a manifest says the same twice.
fn is_same(one: &Request, other: &Request) -> bool {
    one.written == other.written && one.name == other.name
}

/// The digests of skills.
pub(super) fn by_name(skills: &[LockedSkill]) -> BTreeMap<&str, &str> {
    skills.iter().map(|skill| (skill.name.as_str(), skill.digest.as_str())).collect()
}

/// Notes which digest each skill must still have when it is copied, so that nothing that is changed
/// after this passes for what was locked.
pub fn hold(locked: &Locked, selection: &Selection, candidates: &mut [Candidate]) {
    for candidate in candidates {
        let request = selection.requests.get(candidate.skill.source);
        let skills = request.and_then(|request| locked.lock.of(request)).map(|one| &one.skills);
        let name = candidate.name.as_str();
        let skill = skills.and_then(|skills| skills.iter().find(|skill| skill.name == name));
        if locked.frozen || !is_living(candidate.skill.kind) {
            candidate.locked = skill.map(|skill| skill.digest.clone());
        }
    }
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
pub fn judge(locked: &Locked, deviations: Vec<Deviation>) -> Result<Vec<Deviation>> {
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
        super::CONTRADICTION
    } else {
        "if the change is meant, `skills lock` records it"
    };
    let help = [lines, vec![advice.to_owned()]].concat().join("\n");
    Err(Error::new(ErrorKind::Validation, message).at(&locked.path).help(help))
}
