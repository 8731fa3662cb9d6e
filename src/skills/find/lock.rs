//! `skills.lock`: the commit of each source of a manifest, and the digest of every skill in it.
//! Made for diffs: sorted, one skill per line, no timestamps.

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::skills::files::digest::Digest;
use crate::skills::files::{self, content};
use crate::skills::find::manifest::Manifest;
use crate::skills::find::manifest::open::{LOCK_BYTES, LOCK_EXTENSION};
use crate::skills::model::address::Pins;
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::location::{Location, is_commit_id};
use crate::skills::model::name::SkillName;
use crate::skills::model::request::{Request, RequestedSource};

/// The format that is written.
const VERSION: u32 = 1;

/// The help for a lock that contradicts its manifest.
pub const CONTRADICTION: &str =
    "the lock was changed by hand or is damaged: restore it from version control, or delete it";

/// The content of a lock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LockFile {
    /// Sorted by source and name.
    pub sources: Vec<LockedSource>,
}

/// A source of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedSource {
    /// A path as it is written in the manifest, or the canonical form of a git source.
    pub source: String,
    /// The name in the manifest, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The commit of a git source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The digest of an archive by its address, or of the manifest of a skill in a registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// Its skills, sorted by name.
    pub skills: Vec<LockedSkill>,
}

/// A skill of a source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedSkill {
    /// The name it is installed under.
    pub name: String,
    /// The digest of the installed skill.
    pub digest: Digest,
    /// The digest of the artifact it came in, if its source has one for each skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<Digest>,
}

/// The lock of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedLock {
    /// Where it is.
    pub path: PathBuf,
    /// Its content.
    pub lock: LockFile,
    /// Whether `--frozen` is set.
    pub frozen: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LockDocument {
    #[serde(rename = "version")]
    _version: u32,
    sources: Vec<LockedSource>,
}

/// The field that every version has.
#[derive(Deserialize)]
struct LockVersion {
    version: serde_json::Value,
}

/// The path of a manifest's lock: the same name with another extension.
pub fn beside(manifest: &Path) -> PathBuf {
    manifest.with_extension(LOCK_EXTENSION)
}

impl LockFile {
    /// Reads a lock, if it exists.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        // The file belongs to the user, so a link is followed.
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let opened = files::open_without_following(&real);
        let bytes = match opened.and_then(|file| content::whole(file, LOCK_BYTES)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("read", path, &error)),
        };
        Self::of_bytes(&bytes, path).map(Some)
    }

    /// Parses the bytes of a lock.
    fn of_bytes(bytes: &[u8], path: &Path) -> Result<Self> {
        parse(bytes).map_err(|fault| match fault {
            LockFault::Version(version) => err!(
                Manifest,
                "`{}` has version {version}, and this program knows version {VERSION}",
                path.display()
            )
            .at(path)
            .help("another version of skills wrote it; use that one"),
            LockFault::Damaged(reason) => {
                let help = "restore it from version control, or delete it and run `skills lock`";
                err!(Manifest, "`{}` is damaged: {reason}", path.display()).at(path).help(help)
            }
        })
    }

    /// The text of the file.
    pub fn to_json(&self) -> Result<String> {
        self.text().map_err(|error| Error::new(ErrorKind::Io, error.to_string()))
    }

    fn text(&self) -> serde_json::Result<String> {
        let mut text = format!("{{\n  \"version\": {VERSION},\n  \"sources\": [");
        for (number, source) in self.sources.iter().enumerate() {
            text += if number == 0 { "\n    {\n" } else { ",\n    {\n" };
            let digest = source.digest.map(|digest| digest.to_string());
            let fields = [
                ("source", Some(&source.source)),
                ("name", source.name.as_ref()),
                ("commit", source.commit.as_ref()),
                ("digest", digest.as_ref()),
            ];
            for (key, value) in fields {
                if let Some(value) = value {
                    let _ = writeln!(text, "      \"{key}\": {},", serde_json::to_string(value)?);
                }
            }
            text += "      \"skills\": [";
            for (number, skill) in source.skills.iter().enumerate() {
                let comma = if number == 0 { "" } else { "," };
                let _ = write!(text, "{comma}\n        {}", serde_json::to_string(skill)?);
            }
            text += if source.skills.is_empty() { "]\n    }" } else { "\n      ]\n    }" };
        }
        text += if self.sources.is_empty() { "]\n}\n" } else { "\n  ]\n}\n" };
        Ok(text)
    }

    /// The entry for a request of a manifest.
    pub fn of(&self, request: &Request) -> Option<&LockedSource> {
        self.find(LockedSource::key_of(request)?)
    }

    /// The entry with this key.
    pub fn find(&self, key: (&str, Option<&str>)) -> Option<&LockedSource> {
        let at = self.sources.binary_search_by(|one| one.key().cmp(&key)).ok()?;
        self.sources.get(at)
    }

    /// Resolves ambiguous addresses as they were locked, so that no server has to be asked.
    pub fn decide(&self, requests: &mut [Request]) {
        for request in requests {
            let Some(location) = request.location().filter(|one| one.undecided.is_some()) else {
                continue;
            };
            let is_locked = |reading: &Location| {
                let mut decided = request.clone();
                decided.decide(reading.clone());
                self.of(&decided).is_some()
            };
            if let Some(reading) = location.readings().into_iter().find(is_locked) {
                request.decide(reading);
            }
        }
    }

    /// The locked commit of a request.
    pub fn commit_of(&self, request: &Request) -> Result<Option<String>> {
        let Some(locked) = self.of(request) else { return Ok(None) };
        // A source beside its manifest has the manifest's commit.
        let location = request.location().filter(|_| !request.is_beside);
        let (named, is_git) = (location.and_then(Location::commit), location.is_some());
        match (&locked.commit, named) {
            (Some(commit), Some(named)) if *commit != named => {
                let message =
                    format!("`{}` is locked at {commit}, but names another commit", locked.source);
                Err(Error::new(ErrorKind::Validation, message).help(CONTRADICTION))
            }
            (Some(commit), _) if !is_git => {
                let message =
                    format!("`{}` is locked at {commit}, but is not a git source", locked.source);
                Err(Error::new(ErrorKind::Validation, message).help(CONTRADICTION))
            }
            (commit, _) => Ok(commit.clone()),
        }
    }

    /// The locked artifacts of a request.
    pub fn pins_of(&self, request: &Request) -> Result<Pins> {
        let Some(locked) = self.of(request) else { return Ok(Pins::default()) };
        let artifact =
            |skill: &LockedSkill| skill.artifact.map(|digest| (skill.name.clone(), digest));
        let pins = Pins {
            whole: locked.digest,
            skills: locked.skills.iter().filter_map(artifact).collect(),
        };
        let contradiction = |why: &str| {
            Err(err!(Validation, "`{}` is locked by digest, but {why}", locked.source)
                .help(CONTRADICTION))
        };
        match request.network() {
            None if !pins.is_empty() => contradiction("is neither an address nor a registry"),
            Some(source) => match (source.address.digest(), pins.whole) {
                (Some(named), Some(whole)) if named != whole => contradiction("names another one"),
                _ => Ok(pins),
            },
            None => Ok(pins),
        }
    }

    /// The digests that the skills of each name may have.
    pub fn digests(&self) -> HashMap<&str, Vec<Digest>> {
        let mut digests: HashMap<&str, Vec<Digest>> = HashMap::new();
        for skill in self.sources.iter().flat_map(|source| &source.skills) {
            digests.entry(&skill.name).or_default().push(skill.digest);
        }
        digests
    }
}

impl LockedSource {
    /// What an entry is found by: its source and name.
    pub fn key(&self) -> (&str, Option<&str>) {
        (&self.source, self.name.as_deref())
    }

    /// The key of the entry for a request; none if no manifest names it.
    pub fn key_of(request: &Request) -> Option<(&str, Option<&str>)> {
        Some((request.written.as_deref()?, request.name.as_ref().map(|name| name.as_str())))
    }
}

impl OpenedLock {
    /// The lock of a manifest, if it has one.
    pub fn of_manifest(manifest: &Manifest, frozen: bool) -> Result<Option<Self>> {
        let path = beside(&manifest.path);
        let lock = match &manifest.tree {
            Some(tree) => tree.lock.as_ref().map(|bytes| LockFile::of_bytes(bytes, &path)),
            None => LockFile::read(&path).transpose(),
        };
        match lock.transpose()? {
            Some(lock) => Ok(Some(Self { path, lock, frozen })),
            None if frozen => {
                let message =
                    format!("`--frozen` needs `{}`, which does not exist", path.display());
                Err(Error::new(ErrorKind::NotFound, message)
                    .at(path)
                    .help("run `skills lock` to write it"))
            }
            None => Ok(None),
        }
    }

    /// Pins every git source to its locked commit, and everything else on the network to its digests.
    ///
    /// # Errors
    /// A commit that contradicts its source; with `--frozen`, a source that is not locked.
    pub fn pin(&self, requests: &mut [Request]) -> Result<()> {
        self.lock.decide(requests);
        for request in requests {
            let (commit, pins) = (self.lock.commit_of(request)?, self.lock.pins_of(request)?);
            let is_locked = self.lock.of(request).is_some();
            match &mut request.what {
                RequestedSource::Inline(_) => {}
                RequestedSource::Git(_, pin)
                    if !request.is_beside && (commit.is_some() || !self.frozen) =>
                {
                    *pin = commit;
                }
                RequestedSource::Git(..) if !request.is_beside => {
                    return Err(self.not_locked(request));
                }
                RequestedSource::Network(source)
                    if !request.is_beside && (!pins.is_empty() || !self.frozen) =>
                {
                    source.pins = pins;
                }
                RequestedSource::Network(_) if !request.is_beside => {
                    return Err(self.not_locked(request));
                }
                _ if is_locked || !self.frozen => {}
                _ => return Err(self.not_locked(request)),
            }
        }
        Ok(())
    }

    fn not_locked(&self, request: &Request) -> Error {
        let source = request.written.as_deref().unwrap_or_default();
        err!(Validation, "`{source}` is not in `{}`", self.path.display())
            .at(&self.path)
            .help("run `skills lock` to add it; check the change before you commit it")
    }
}

/// Why a lock is invalid.
#[derive(Debug)]
enum LockFault {
    Version(String),
    Damaged(String),
}

fn parse(bytes: &[u8]) -> Result<LockFile, LockFault> {
    let damaged = |error: serde_json::Error| LockFault::Damaged(error.to_string());
    if bytes.starts_with(b"<<<<<<<") || bytes.windows(9).any(|part| part == b"\n<<<<<<< ") {
        return Err(LockFault::Damaged("it has an unresolved merge conflict".to_owned()));
    }
    let LockVersion { version } = serde_json::from_slice(bytes).map_err(damaged)?;
    if version != VERSION {
        return Err(LockFault::Version(version.to_string()));
    }
    let document: LockDocument = serde_json::from_slice(bytes).map_err(damaged)?;
    let mut keys = BTreeSet::new();
    for source in &document.sources {
        let wrong = |what: &str| LockFault::Damaged(format!("{what} of `{}`", source.source));
        if !keys.insert((&source.source, &source.name)) {
            return Err(wrong("duplicate entry"));
        }
        if !source.commit.iter().all(|id| is_commit_id(id)) {
            return Err(wrong("invalid commit"));
        }
        if let Some(skill) = source.skills.iter().find(|skill| SkillName::new(&skill.name).is_err())
        {
            return Err(wrong(&format!(
                "`{}` is not a valid skill name",
                skill.name.escape_debug()
            )));
        }
        let names: BTreeSet<&String> = source.skills.iter().map(|skill| &skill.name).collect();
        if names.len() != source.skills.len() {
            return Err(wrong("duplicate skill"));
        }
    }
    let canonical = |source: LockedSource| {
        // Older locks contain sources as people wrote them.
        let location = source.commit.as_ref().and_then(|_| Location::parse(&source.source).ok());
        match location.flatten() {
            Some(location) => LockedSource { source: location.to_string(), ..source },
            None => source,
        }
    };
    let mut sources: Vec<LockedSource> = document.sources.into_iter().map(canonical).collect();
    sources.sort_unstable();
    sources.dedup_by(|one, other| (&one.source, &one.name) == (&other.source, &other.name));
    Ok(LockFile { sources })
}
