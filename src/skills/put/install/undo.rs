//! Skills that the last update replaced or removed, kept for one `update --undo`. They are beside
//! the skills directory, where no agent looks, or inside it with another name for their `SKILL.md`.
//!
//! A run collects them in its staging directory. At its end it moves them out in one step and
//! replaces those of an earlier update. If the run is killed, the next run completes this.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::skills::files::Directory;
use crate::skills::files::atomic::{BACKUPS, UNDO};
use crate::skills::files::content::OpenDirectory;
use crate::skills::files::digest::Digest;
use crate::skills::files::inventory::Inventory;
use crate::skills::find::record::InstallRecord;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::name::SkillName;
use crate::skills::model::source::Skill;
use crate::skills::put::install::candidate::{Candidate, items};
use crate::skills::put::install::erase::erase;
use crate::skills::put::install::site;
use crate::skills::put::install::skill_files::base_directory;
use crate::skills::put::install::staging::{self, Staging, is_backup_name, write};
use crate::skills::put::install::transaction::{HIDDEN_SKILL_MD, exists, hide, relocate};
use crate::skills::text::document::SKILL_MD;

/// The directory in a staging directory.
const ROOM: &str = "undo";

/// The copies of an earlier update, in a staging directory.
const FORMER: &str = "former";

const SKILLS: &str = "skills";

const DOCUMENT: &str = "replaced.json";

const VERSION: u32 = 1;

const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The skills that a run replaces and removes in one skills directory.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ReplacedSkills {
    version: u32,
    skills: Vec<ReplacedSkill>,
}

/// A skill that a run replaced or removed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReplacedSkill {
    /// Its record before.
    pub record: InstallRecord,
    /// The digest of its replacement; none if it was removed.
    pub after: Option<Digest>,
    /// Its name among the backups, if it was edited.
    pub backup: Option<String>,
    /// Whether its directory was read-only; it may have been made writable to be moved.
    pub sealed: bool,
}

/// What `update --undo` brings back, with the modes that it had.
#[derive(Debug, Clone)]
pub struct Restored {
    /// Its record before.
    pub record: InstallRecord,
    /// Where it is kept.
    pub place: KeptPlace,
    /// Whether its directory was read-only.
    pub sealed: bool,
}

/// The place of a replaced skill: names of directories, each in the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptPlace {
    /// Whether the first is inside the skills directory, or beside it.
    inside: bool,
    names: Vec<String>,
}

impl KeptPlace {
    /// Opens the directory that contains it.
    pub fn open(&self, site: &Directory) -> io::Result<(Directory, &OsStr)> {
        let (last, above) = self.names.split_last().ok_or(io::ErrorKind::InvalidInput)?;
        let mut directory = site.child(OsStr::new(if self.inside { "." } else { ".." }))?;
        for name in above {
            directory = directory.child(OsStr::new(name))?;
        }
        Ok((directory, OsStr::new(last)))
    }

    /// Its device and inode.
    pub fn identity(&self, site: &Directory) -> Option<(u64, u64)> {
        self.open(site).ok().and_then(|(directory, name)| staging::identity_of(&directory, name))
    }

    /// Removes the directory of backups, if this was the last one.
    pub fn tidy(&self, site: &Directory) {
        if let [backups, _] = self.names.as_slice()
            && let Ok(place) = site.child(OsStr::new(if self.inside { "." } else { ".." }))
        {
            let _ = place.remove_directory(OsStr::new(backups));
        }
    }

    /// Whether it leads nowhere else.
    pub fn is_safe(&self) -> bool {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let is_name =
            |name: &String| name.bytes().all(is_plain) && !name.trim_matches('.').is_empty();
        let first = self.names.first().map(String::as_str).unwrap_or_default();
        self.names.iter().all(is_name) && (first.starts_with(UNDO) || is_backup_name(first))
    }
}

impl ReplacedSkills {
    pub const fn new(skills: Vec<ReplacedSkill>) -> Self {
        Self { version: VERSION, skills }
    }

    pub const fn is_empty(&self) -> bool {
        self.skills.is_empty()
    }
}

/// The directory in which a run collects replaced skills.
pub struct UndoRoom {
    directory: Directory,
    skills: Directory,
}

impl UndoRoom {
    /// Makes it in a staging directory.
    pub fn make(staging: &Staging, site: &Directory, replaced: &ReplacedSkills) -> io::Result<()> {
        let directory = staging::private_child(&staging.directory, ROOM)?;
        staging::claim(&directory, site)?;
        staging::private_child(&directory, SKILLS)?;
        write(&directory, DOCUMENT, 0o600, &serde_json::to_vec(replaced)?)
    }

    /// Opens that of a staging directory, if there is one.
    pub fn of(staging: &Staging) -> Option<Self> {
        let directory = staging.directory.child(OsStr::new(ROOM)).ok()?;
        let skills = directory.child(OsStr::new(SKILLS)).ok()?;
        Some(Self { directory, skills })
    }

    /// Takes a directory that was replaced.
    pub fn take(&self, from: &Directory, name: &OsStr) -> io::Result<()> {
        relocate(from, &self.skills, name)
    }

    /// Moves it out of the staging directory, replacing that of an earlier update.
    pub fn publish(self, staging: &Staging, site: &Directory, site_path: &Path) -> io::Result<()> {
        if staging.place == site_path {
            for (name, _) in self.skills.entries()? {
                let _ = hide(&self.skills, &name);
            }
        }
        let place = staging.directory.child(OsStr::new(".."))?;
        drop(self.directory);
        for name in names(site, site_path) {
            if exists(&place, &name)? {
                if !is_ours(&place, &name, site) {
                    continue;
                }
                erase(&staging.directory, OsStr::new(FORMER))?;
                place.rename_new(&name, &staging.directory, OsStr::new(FORMER))?;
            }
            return staging.directory.rename_new(OsStr::new(ROOM), &place, &name);
        }
        Ok(())
    }
}

/// The skills that the last update of a skills directory replaced or removed.
#[derive(Debug)]
pub struct LastUpdate {
    /// Where it is kept.
    path: PathBuf,
    /// Whether that is inside the skills directory.
    inside: bool,
    skills: Vec<ReplacedSkill>,
}

impl LastUpdate {
    /// Finds them; none if there is nothing to undo.
    pub fn of(path: &Path) -> Result<Option<Self>> {
        let Some((real, site)) = site::existing_directory(path)? else { return Ok(None) };
        for place_path in staging::places(&real) {
            let Ok(place) = Directory::open(&place_path) else { continue };
            for name in names(&site, &real) {
                if !is_ours(&place, &name, &site) {
                    continue;
                }
                if let Some(document) = place.child(&name).ok().and_then(|kept| read(&kept)) {
                    let path = place_path.join(&name);
                    let inside = place_path == real;
                    return Ok(Some(Self { path, inside, skills: document.skills }));
                }
            }
        }
        Ok(None)
    }

    /// The names of the skills, and the digest of each replacement.
    pub fn skills(&self) -> impl Iterator<Item = (&str, Option<Digest>)> {
        self.skills.iter().map(|skill| (skill.record.name.as_str(), skill.after))
    }

    /// One of them as a candidate, with its old record.
    pub fn candidate(&self, name: &str) -> Result<Candidate> {
        let missing =
            || err!(NotFound, "the version of `{name}` before the update is gone").at(&self.path);
        let skill = self.skills.iter().find(|skill| skill.record.name == name);
        let skill = skill.ok_or_else(missing)?;
        let path = match &skill.backup {
            None => self.path.join(SKILLS).join(name),
            Some(backup) => self.backup(backup).ok_or_else(missing)?,
        };
        let place = path.strip_prefix(self.path.parent().unwrap_or(Path::new("")));
        let names = place.unwrap_or(&path).iter().map(|name| name.to_string_lossy().into_owned());
        let place = KeptPlace { inside: self.inside, names: names.collect() };
        kept(&path, Restored { record: skill.record.clone(), place, sealed: skill.sealed })
    }

    /// Where an edited copy is.
    fn backup(&self, name: &str) -> Option<PathBuf> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let place = self.path.parent().filter(|_| name.bytes().all(is_plain))?;
        let entries = place.read_dir().ok()?.flatten();
        let mut backups: Vec<PathBuf> = entries
            .filter(|entry| entry.file_name().to_str().is_some_and(is_backup_name))
            .map(|entry| entry.path().join(name))
            .filter(|path| path.symlink_metadata().is_ok_and(|data| data.is_dir()))
            .collect();
        backups.sort_unstable();
        tracing::debug!(?backups, "looking for `{name}` in {BACKUPS}");
        backups.into_iter().next()
    }

    /// Removes the kept skills, because only one undo is possible.
    pub fn forget(self) -> Result<()> {
        let (Some(place), Some(name)) = (self.path.parent(), self.path.file_name()) else {
            return Ok(());
        };
        Directory::open(place)
            .and_then(|place| erase(&place, name))
            .map_err(|error| Error::writing("remove", &self.path, &error))
    }
}

/// A replaced skill as it is kept.
fn kept(path: &Path, restored: Restored) -> Result<Candidate> {
    let open = OpenDirectory::open_real(path).map_err(|error| Error::io("read", path, &error))?;
    let inventory = Inventory::of_directory(&open, None);
    let mut items = items(&inventory, None);
    for item in items.iter_mut().filter(|item| item.path == Path::new(HIDDEN_SKILL_MD)) {
        item.path = PathBuf::from(SKILL_MD);
    }
    let name = SkillName::new(&restored.record.name)
        .map_err(|error| err!(InvalidName, "`{}`: {error}", path.display()))?;
    let skill = Skill::in_directory(path, Some(SKILL_MD.into())).renamed(Some(&name));
    let base = base_directory(&skill, Some(&open));
    let mut candidate = Candidate::new(name, skill, base, items, None);
    candidate.restores = Some(Box::new(restored));
    Ok(candidate)
}

/// The possible names beside this skills directory.
fn names(site: &Directory, path: &Path) -> impl Iterator<Item = OsString> {
    staging::marked_names(UNDO, site, path)
}

fn is_ours(place: &Directory, name: &OsStr, site: &Directory) -> bool {
    let kept = place.child(name);
    kept.is_ok_and(|kept| staging::is_ours(&kept, site).unwrap_or(false))
}

/// Reads the list that the run wrote; none if it has another format.
fn read(kept: &Directory) -> Option<ReplacedSkills> {
    let file = kept.file(OsStr::new(DOCUMENT)).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    let document: ReplacedSkills = serde_json::from_slice(&bytes).ok()?;
    let is_known = document.version == VERSION
        && document.skills.iter().all(|skill| SkillName::new(&skill.record.name).is_ok());
    is_known.then_some(document)
}
