//! Is what was read what was locked?

use super::{Lock, Locked};
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
    /// Whether people are expected to change such a source: it is theirs, and lies on their disk.
    pub is_living: bool,
}

impl Deviation {
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
/// A file that cannot be read.
pub fn digests(candidates: &[Candidate], bounds: Bounds) -> Result<Vec<String>> {
    // What a umask takes away here says nothing about the skill.
    let mut allowance = Allowance::new(bounds.skill, bounds.total);
    allowance.umask = 0;
    let digest = |one: &Candidate| copy::copy(one, None, false, &allowance).map(|it| it.digest());
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
    for (candidate, digest) in candidates.iter().zip(found) {
        let Some(request) = selection.requests.get(candidate.skill.source) else { continue };
        let (Some(written), Some(name)) = (&request.written, Some(candidate.name.to_string()))
        else {
            continue;
        };
        let skills = lock.of(request).map(|source| source.skills.as_slice()).unwrap_or_default();
        let locked = skills.iter().find(|skill| skill.name == name);
        if locked.is_none_or(|locked| locked.digest != digest) {
            deviations.push(Deviation {
                name,
                source: written.clone(),
                locked: locked.map(|locked| locked.digest.clone()),
                found: Some(digest),
                is_living: is_living(candidate.skill.kind),
            });
        }
    }
    if !selection.is_narrowed {
        for (number, request) in selection.requests.iter().enumerate() {
            deviations.extend(gone(lock, number, request, candidates));
        }
    }
    Ok(deviations)
}

/// Skills that a source gave when it was locked, and no more.
fn gone<'a>(
    lock: &'a Lock,
    number: usize,
    request: &'a Request,
    candidates: &'a [Candidate],
) -> impl Iterator<Item = Deviation> + 'a {
    let is_there = move |name: &str| {
        candidates.iter().any(|one| one.skill.source == number && one.name.as_str() == name)
    };
    let skills = lock.of(request).map(|source| source.skills.as_slice()).unwrap_or_default();
    skills.iter().filter(move |skill| !is_there(&skill.name)).map(|skill| Deviation {
        name: skill.name.clone(),
        source: request.written.clone().unwrap_or_default(),
        locked: Some(skill.digest.clone()),
        found: None,
        is_living: true,
    })
}

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
        locked.frozen || (!one.is_living && one.locked.is_some() && one.found.is_some())
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
    let advice = "if the change is meant, `skills lock` records it (`--upgrade` for other commits)";
    let help = [lines, vec![advice.to_owned()]].concat().join("\n");
    Err(Error::new(ErrorKind::Validation, message).at(&locked.path).help(help))
}
