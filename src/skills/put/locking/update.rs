//! Makes a new lock for a manifest, and reports the differences.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::skills::files::digest::Digest;
use crate::skills::find::lock::{CONTRADICTION, LockFile, LockedSkill, LockedSource};
use crate::skills::find::manifest::{Manifest, ManifestEntryKind};
use crate::skills::find::scan::Reading;
use crate::skills::find::selection::{self, Selection};
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::model::address::Pins;
use crate::skills::model::bundle::BundleOrigin;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::location::Location;
use crate::skills::model::request::{Request, RequestedSource};
use crate::skills::put::install::VersionChange;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::locking::check::{self, ReadLimits, by_name};
use crate::skills::text::{field_values, suggest};

/// The sources to upgrade, instead of keeping their locked commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Upgrade {
    /// None.
    Nothing,
    /// All of them.
    Everything,
    /// The sources, or the sources of the skills, with these names.
    Named(Vec<String>),
}

/// The differences of one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceChange {
    /// The source as the manifest names it.
    pub source: String,
    /// The name that the manifest gives to its skill.
    pub name: Option<String>,
    /// The locked commit or digest.
    pub from: Option<String>,
    /// The new commit or digest.
    pub to: Option<String>,
    /// The skills that differ, sorted by name.
    pub skills: Vec<SkillChange>,
}

/// The difference of a skill. A new skill has no digest before, a removed one none after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillChange {
    pub name: String,
    /// The locked digest.
    pub from: Option<Digest>,
    /// The new digest.
    pub to: Option<Digest>,
    /// The versions in its front matter, as far as they are known.
    pub version: VersionChange,
}

impl SkillChange {
    pub const fn word(&self) -> &'static str {
        match (&self.from, &self.to) {
            (None, _) => "added",
            (Some(_), None) => "removed",
            (Some(_), Some(_)) => "changed",
        }
    }
}

/// Uses the locked commits, except for the sources to upgrade.
pub fn pin(requests: &mut [Request], old: &LockFile, upgrade: &Upgrade) -> Result<()> {
    if let Upgrade::Named(names) = upgrade {
        for name in names {
            if !requests.iter().any(|request| is_called(request, old, name)) {
                return Err(unknown(name, requests, old));
            }
        }
    }
    for request in requests {
        let is_upgraded = match upgrade {
            Upgrade::Nothing => false,
            Upgrade::Everything => true,
            Upgrade::Named(names) => names.iter().any(|name| is_called(request, old, name)),
        };
        let (commit, pins) = (old.commit_of(request)?, old.pins_of(request)?);
        if request.is_beside {
            continue;
        }
        match &mut request.what {
            RequestedSource::Git(_, pin) => *pin = commit.filter(|_| !is_upgraded),
            RequestedSource::Network(source) if is_upgraded => source.pins = Pins::default(),
            RequestedSource::Network(source) => source.pins = pins,
            _ => {}
        }
    }
    Ok(())
}

fn is_called(request: &Request, old: &LockFile, name: &str) -> bool {
    let canonical = || Location::parse(name).ok().flatten().map(|location| location.readings());
    let is_source = |written: &String| {
        written == name
            || canonical().is_some_and(|all| all.iter().any(|one| one.to_string() == *written))
    };
    let gives = |source: &LockedSource| source.skills.iter().any(|skill| skill.name == name);
    request.written.as_ref().is_some_and(is_source)
        || request.name.as_ref().is_some_and(|own| own.as_str() == name)
        || old.of(request).is_some_and(gives)
}

fn unknown(name: &str, requests: &[Request], old: &LockFile) -> Error {
    if old.sources.iter().flat_map(|source| &source.skills).any(|skill| skill.name == name) {
        return err!(NotFound, "`{name}` is locked, but its entry is not enabled in this run")
            .help("fulfil the condition of its `enabled:`, then try again");
    }
    let sources = requests.iter().filter_map(|request| request.written.as_deref());
    let skills = old.sources.iter().flat_map(|source| &source.skills);
    let mut known: Vec<&str> = sources.chain(skills.map(|skill| skill.name.as_str())).collect();
    known.sort_unstable();
    known.dedup();
    let error = err!(NotFound, "no source or locked skill is called `{name}`");
    match suggest::nearest(name, known.iter().copied()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help(format!("known: {}", known.join(", "))),
    }
}

/// The lock for the skills that were read. Entries that are disabled in this run keep their lock.
///
/// # Errors
/// An unreadable file; a skill that differs from the lock although its commit is the same.
pub fn renew(
    old: &LockFile,
    manifest: &Manifest,
    selection: &Selection,
    candidates: &[Candidate],
    bounds: ReadLimits,
) -> Result<LockFile> {
    let digests = check::digests(candidates, bounds)?;
    let mut sources: Vec<LockedSource> = Vec::new();
    let mut held = check::held(candidates, selection);
    for request in &selection.requests {
        let Some(written) = &request.written else { continue };
        // A manifest may name a source twice.
        let Some(mine) = held.remove(&check::key(request)) else { continue };
        let (commit, digest) = version(request, selection)?;
        let locked = |number: usize| LockedSkill {
            name: candidates[number].name.to_string(),
            digest: digests[number],
            // Not needed if the whole source has one digest.
            artifact: candidates[number].artifact().filter(|_| digest.is_none()),
        };
        let mut skills: Vec<LockedSkill> = mine.into_iter().map(locked).collect();
        skills.sort_unstable();
        let source = LockedSource {
            source: written.clone(),
            name: request.name.as_ref().map(ToString::to_string),
            commit,
            digest,
            skills,
        };
        if let Some(before) = old.of(request) {
            refuse_contradiction(before, &source)?;
        }
        sources.push(source);
    }
    sources.sort_unstable();
    let mut lock = LockFile { sources };
    let mut named: HashSet<(String, Option<&str>)> = HashSet::new();
    for entry in &manifest.entries {
        if let ManifestEntryKind::Source(written) = &entry.kind {
            let name = written.name.as_ref().map(|name| name.as_str());
            named.extend(written.readings().into_iter().map(|source| (source, name)));
        }
    }
    let is_kept = |source: &&LockedSource| {
        named.contains(&(source.source.clone(), source.name.as_deref()))
            && lock.find(source.key()).is_none()
    };
    let kept: Vec<LockedSource> = old.sources.iter().filter(is_kept).cloned().collect();
    lock.sources.extend(kept);
    lock.sources.sort_unstable();
    Ok(lock)
}

/// The commit of a git source, or the digest of a source that is one artifact.
fn version(request: &Request, selection: &Selection) -> Result<(Option<String>, Option<Digest>)> {
    if request.is_beside {
        return Ok((None, None));
    }
    // The skills were read before.
    let bundle = match &request.what {
        RequestedSource::Git(location, pin) => {
            selection.remotes.git.open(location, pin.as_deref())?
        }
        RequestedSource::Network(source) => {
            selection.remotes.network.open(source, &selection.scan.only)?
        }
        _ => return Ok((None, None)),
    };
    Ok(match &bundle.origin {
        BundleOrigin::Commit(commit) => (Some(commit.id.clone()), None),
        BundleOrigin::Network(fetched) => (None, fetched.whole()),
        BundleOrigin::Archive => (None, None),
    })
}

/// The same commit or artifact must have the same digest.
fn refuse_contradiction(before: &LockedSource, now: &LockedSource) -> Result<()> {
    let is_same = before.commit.is_some() && before.commit == now.commit
        || before.digest.is_some() && before.digest == now.digest;
    for skill in &now.skills {
        let locked = before.skills.iter().find(|locked| locked.name == skill.name);
        let is_known = |locked: &&LockedSkill| {
            is_same || locked.artifact.is_some() && locked.artifact == skill.artifact
        };
        if let Some(locked) = locked.filter(|one| is_known(one) && one.digest != skill.digest) {
            return Err(err!(
                Validation,
                "`{}` of `{}` is {}, but the lock has {} for the same version",
                skill.name,
                now.source,
                skill.digest,
                locked.digest
            )
            .help(CONTRADICTION));
        }
    }
    Ok(())
}

/// The differences, source by source.
pub fn changes(old: &LockFile, new: &LockFile) -> Vec<SourceChange> {
    let sources = old.sources.iter().chain(&new.sources);
    let mut keys: Vec<_> = sources.map(LockedSource::key).collect();
    keys.sort_unstable();
    keys.dedup();
    let change = |key: (&str, Option<&str>)| {
        let (before, after) = (old.find(key), new.find(key));
        let version = |source: Option<&LockedSource>| {
            let source = source?;
            source.commit.clone().or_else(|| source.digest.map(|digest| digest.to_string()))
        };
        let skills = skill_changes(before, after);
        let (from, to) = (version(before), version(after));
        let is_changed = before.is_some() != after.is_some() || from != to || !skills.is_empty();
        let (source, name) = (key.0.to_owned(), key.1.map(str::to_owned));
        is_changed.then_some(SourceChange { source, name, from, to, skills })
    };
    keys.into_iter().filter_map(change).collect()
}

fn skill_changes(before: Option<&LockedSource>, after: Option<&LockedSource>) -> Vec<SkillChange> {
    let skills = |source: Option<&LockedSource>| {
        source.map(|source| source.skills.clone()).unwrap_or_default()
    };
    let (before, after) = (skills(before), skills(after));
    let mut names: Vec<&String> = before.iter().chain(&after).map(|skill| &skill.name).collect();
    names.sort_unstable();
    names.dedup();
    let [before, after] = [&before, &after].map(|skills| by_name(skills));
    let change = |name: &String| {
        let [from, to] = [&before, &after].map(|digests| digests.get(name.as_str()).copied());
        let version = VersionChange::default();
        (from != to).then(|| SkillChange { name: name.clone(), from, to, version })
    };
    names.into_iter().filter_map(change).collect()
}

/// Adds the versions of new and changed skills. The locked ones are read from the locked commit; of
/// other sources, there is only what they contain now.
pub fn add_versions(changes: &mut [SourceChange], selection: &Selection, candidates: &[Candidate]) {
    let held = check::held(candidates, selection);
    for SourceChange { source, name, from, skills, .. } in changes {
        let key = (Some(source.as_str()), name.as_deref());
        let request = selection.requests.iter().find(|request| check::key(request) == key);
        let is_changed = skills.iter().any(|skill| skill.word() == "changed");
        let before = match (request, from) {
            (Some(request), Some(commit)) if is_changed => {
                versions_at(commit, request, selection).unwrap_or_default()
            }
            _ => HashMap::new(),
        };
        let now = held.get(&key).into_iter().flatten().map(|number| &candidates[*number]);
        let now: HashMap<&str, &Candidate> = now.map(|one| (one.name.as_str(), one)).collect();
        for skill in skills {
            if let Some(candidate) = now.get(skill.name.as_str()) {
                let from = before.get(&skill.name).cloned().flatten();
                skill.version = VersionChange { from, to: candidate.version() };
            }
        }
    }
}

/// The versions of the skills that a git source had at a commit.
fn versions_at(
    commit: &str,
    request: &Request,
    selection: &Selection,
) -> Result<HashMap<String, Option<String>>> {
    let RequestedSource::Git(location, _) = &request.what else { return Ok(HashMap::new()) };
    let what = RequestedSource::Git(location.clone(), Some(commit.to_owned()));
    let before = Selection {
        requests: vec![Request { what, ..request.clone() }],
        remotes: Arc::clone(&selection.remotes),
        ..Selection::default()
    };
    let read = |opened: &OpenedSkill<'_>| {
        let version = opened.document.and_then(field_values::version);
        Reading { made: (opened.skill.name.clone(), version), nested: Vec::new() }
    };
    Ok(selection::find(&before, &read)?.0.into_iter().collect())
}
