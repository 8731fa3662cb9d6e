//! Moves skills into a skills directory so that it never holds half of one, whenever the run is
//! ended. "Killed" below is any end: a signal, a full disk, a power cut.
//!
//! Everything is made in a staging directory first, with a journal of the moves to come. Then the
//! moves are made, each in one step, and the new index is moved in last: that is the moment from
//! which the run has happened. Who finds a staging directory with an index in it undoes the moves
//! of its journal; who finds one without finishes what is left to do. Both can be done again.
//!
//! The staging directory lies beside the skills directory, where no agent looks for skills, or
//! inside it where nothing can be moved in from beside it.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::skills::content::system_message;
use crate::skills::digest;
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::install::copy::DIRECTORY_MODE;
use crate::skills::install::erase::erase;
use crate::skills::install::index::{self, Index};
use crate::skills::install::site::Site;
use crate::skills::name::SkillName;
use crate::skills::platform::{Directory, FileIdentity, FileKind};

/// What staging directories are called, before the mark of their skills directory.
pub const STAGING_PREFIX: &str = ".skills-staging-";
/// Where what a user edited is kept when it is replaced or removed.
pub const BACKUP_NAME: &str = ".skills-backup";

const NEW: &str = "new";
const OLD: &str = "old";
const INDEX: &str = "index";
const JOURNAL: &str = "journal";
const VERSION: u32 = 1;
/// Nobody else looks into a staging directory.
const PRIVATE: u32 = 0o700;

/// One move to come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// The skill.
    pub name: String,
    /// What happens to it.
    pub action: Action,
    /// What makes the new directory itself.
    pub new: Option<(u64, u64)>,
    /// What makes the old directory itself.
    pub old: Option<(u64, u64)>,
    /// The name under which the old directory is kept.
    pub backup: Option<String>,
    /// Whether the new directory is closed to writing in the end.
    pub seal: bool,
    /// Whether the old directory was.
    pub sealed: bool,
}

/// What happens to a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It is put where nothing was.
    Create,
    /// It takes the place of another.
    Replace,
    /// It goes.
    Remove,
}

#[derive(Serialize, Deserialize)]
struct Journal {
    version: u32,
    operations: Vec<Operation>,
}

/// A staging directory and what is to be done with what is in it.
#[derive(Debug)]
pub struct Transaction<'a> {
    site: &'a Directory,
    site_path: &'a Path,
    place_path: PathBuf,
    name: OsString,
    staging: Directory,
    operations: Vec<Operation>,
}

/// The directories of a transaction while things are moved. They are not kept open for longer, so
/// that a low limit of open files is no obstacle.
struct Rooms {
    place: Directory,
    new: Directory,
    old: Directory,
}

impl<'a> Transaction<'a> {
    /// Makes a staging directory.
    ///
    /// # Errors
    /// Those of the system.
    pub fn begin(site: &'a Site) -> Result<Self> {
        let name = staging_name(&site.path);
        for place_path in places(&site.path) {
            let made = make_staging(&place_path, &name, &site.directory)
                .map_err(|error| cannot_write(&site.path, &error))?;
            if let Some((place, staging)) = made {
                let begun =
                    Self::with(&site.directory, &site.path, place_path, name.clone(), staging);
                return begun.map_err(|error| {
                    let _ = erase(&place, &name);
                    cannot_write(&site.path, &error)
                });
            }
        }
        Err(cannot_write(&site.path, &io::ErrorKind::PermissionDenied.into()))
    }

    fn with(
        site: &'a Directory,
        site_path: &'a Path,
        place_path: PathBuf,
        name: OsString,
        staging: Directory,
    ) -> io::Result<Self> {
        for part in [NEW, OLD] {
            match staging.create_directory(Path::new(part), PRIVATE) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                other => other?,
            }
        }
        Ok(Self { site, site_path, place_path, name, staging, operations: Vec::new() })
    }

    fn rooms(&self) -> io::Result<Rooms> {
        Ok(Rooms {
            place: self.staging.child(OsStr::new(".."))?,
            new: self.staging.child(OsStr::new(NEW))?,
            old: self.staging.child(OsStr::new(OLD))?,
        })
    }

    /// An empty directory for a skill that is to be installed.
    ///
    /// # Errors
    /// Those of the system.
    pub fn slot(&self, name: &SkillName) -> Result<Directory> {
        let path = Path::new(NEW).join(name.as_str());
        self.staging
            .create_directory(&path, DIRECTORY_MODE)
            .and_then(|()| self.staging.child(path.as_os_str()))
            .map_err(|error| cannot_write(self.site_path, &error))
    }

    /// What makes the directory in a slot itself.
    #[must_use]
    pub fn identity(&self, name: &SkillName) -> Option<(u64, u64)> {
        identity_of(&self.staging, Path::new(NEW).join(name.as_str()).as_os_str())
    }

    /// Plans a move.
    pub fn add(&mut self, operation: Operation) {
        self.operations.push(operation);
    }

    /// Writes the new index and the journal, and waits until all of it is on the disk.
    ///
    /// # Errors
    /// Those of the system.
    pub fn prepare(&self, index: &Index, sync: bool) -> Result<()> {
        let journal = Journal { version: VERSION, operations: self.operations.clone() };
        let prepare = || -> io::Result<()> {
            if self.operations.iter().any(|operation| operation.backup.is_some()) {
                make_backup_directory(&self.rooms()?.place)?;
            }
            write(&self.staging, INDEX, 0o644, index.to_json()?.as_bytes())?;
            write(&self.staging, JOURNAL, 0o600, &serde_json::to_vec(&journal)?)?;
            if sync { self.staging.sync_below() } else { Ok(()) }
        };
        prepare().map_err(|error| cannot_write(self.site_path, &error))
    }

    /// Makes the moves.
    ///
    /// # Errors
    /// The first that fails. What was moved stays moved until [`Transaction::undo`].
    pub fn commit(&self) -> Result<()> {
        let rooms = self.rooms().map_err(|error| cannot_write(self.site_path, &error))?;
        self.operations.iter().try_for_each(|operation| {
            self.perform(operation, &rooms).map_err(|error| {
                let path = self.site_path.join(&operation.name);
                match error.kind() {
                    io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound => {
                        let message =
                            format!("`{}` changed while it was being worked on", path.display());
                        Error::new(ErrorKind::Conflict, message).at(path).help("try again")
                    }
                    io::ErrorKind::CrossesDevices => {
                        Error { kind: ErrorKind::Io, ..Error::io("move", path, &error) }.help(
                            "the file system does not move this directory; remove it yourself, \
                             then install again",
                        )
                    }
                    _ => Error { kind: ErrorKind::Io, ..Error::io("move", path, &error) },
                }
            })
        })
    }

    /// Moves the new index in: from now on the run has happened.
    ///
    /// # Errors
    /// Those of the system.
    pub fn publish(&self) -> Result<()> {
        self.staging
            .rename(OsStr::new(INDEX), self.site, OsStr::new(index::FILE_NAME))
            .map_err(|error| cannot_write(&self.site_path.join(index::FILE_NAME), &error))
    }

    /// Does what may be done later, too: keeps what was edited, and cleans up.
    ///
    /// # Errors
    /// Those of the system; the next run will try again.
    pub fn finish(self, sync: bool) -> io::Result<()> {
        let rooms = self.rooms()?;
        for operation in &self.operations {
            let name = OsStr::new(&operation.name);
            if operation.seal && identity_of(self.site, name) == operation.new {
                self.site.child(name)?.set_writable(false)?;
            }
            if let Some(backup) = &operation.backup {
                keep(operation, OsStr::new(backup), &rooms)?;
            }
        }
        if sync {
            self.site.sync()?;
        }
        self.clear(&rooms)
    }

    /// Moves everything back, the last first, and the staging directory away.
    ///
    /// # Errors
    /// Those of the system; the next run will try again.
    pub fn undo(self, published: Option<&Index>) -> io::Result<()> {
        let rooms = self.rooms()?;
        if let Some(before) = published {
            // Only a run over several directories comes here, when a later one fails.
            write(&self.staging, "before", 0o644, before.to_json()?.as_bytes())?;
            self.staging.rename(OsStr::new("before"), self.site, OsStr::new(index::FILE_NAME))?;
        }
        for operation in self.operations.iter().rev() {
            self.revert(operation, &rooms)?;
        }
        if self.operations.iter().any(|operation| operation.backup.is_some()) {
            // It stays where something is in it.
            let _ = rooms.place.remove_directory(OsStr::new(BACKUP_NAME));
        }
        self.clear(&rooms)
    }

    /// Removes the staging directory, the journal first: without it nothing is left to be done.
    fn clear(&self, rooms: &Rooms) -> io::Result<()> {
        match self.staging.remove_file(OsStr::new(JOURNAL)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        erase(&rooms.place, &self.name)
    }

    /// Where the old directory of this skill is kept, if it is.
    #[must_use]
    pub fn backup_of(&self, name: &SkillName) -> Option<PathBuf> {
        let mut kept = self.operations.iter().filter(|operation| operation.backup.is_some());
        let operation = kept.find(|operation| operation.name == name.as_str())?;
        Some(self.place_path.join(BACKUP_NAME).join(operation.backup.as_deref()?))
    }

    fn perform(&self, operation: &Operation, rooms: &Rooms) -> io::Result<()> {
        let name = OsStr::new(&operation.name);
        match operation.action {
            Action::Create => rooms.new.rename_new(name, self.site, name),
            Action::Remove => self.take_away(operation, rooms),
            Action::Replace => {
                let swap = || rooms.new.exchange(name, self.site, name);
                let swapped = self.unsealed(name, swap)?;
                if !swapped {
                    self.take_away(operation, rooms)?;
                    return rooms.new.rename_new(name, self.site, name);
                }
                if identity_of(&rooms.new, name) == operation.old {
                    return Ok(());
                }
                // Something else came out than what was looked at: it belongs back.
                rooms.new.exchange(name, self.site, name)?;
                Err(io::ErrorKind::AlreadyExists.into())
            }
        }
    }

    /// Moves the old directory out of the skills directory.
    fn take_away(&self, operation: &Operation, rooms: &Rooms) -> io::Result<()> {
        let name = OsStr::new(&operation.name);
        self.unsealed(name, || self.site.rename_new(name, &rooms.old, name))?;
        if identity_of(&rooms.old, name) == operation.old {
            return Ok(());
        }
        rooms.old.rename_new(name, self.site, name)?;
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Moving a directory writes to it, which a read-only one does not allow.
    fn unsealed<T>(&self, name: &OsStr, act: impl Fn() -> io::Result<T>) -> io::Result<T> {
        match act() {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                self.site.child(name)?.set_writable(true)?;
                act()
            }
            other => other,
        }
    }

    /// Undoes one move, if it was made.
    fn revert(&self, operation: &Operation, rooms: &Rooms) -> io::Result<()> {
        let name = OsStr::new(&operation.name);
        let new_is_staged = exists(&rooms.new, name)?;
        let old_is_away = exists(&rooms.old, name)?;
        let new_is_there = identity_of(self.site, name)
            .is_some_and(|there| operation.new == Some(there))
            || (operation.new.is_none() && exists(self.site, name)?);
        match operation.action {
            Action::Create if !new_is_staged && new_is_there => {
                self.site.rename_new(name, &rooms.new, name)
            }
            Action::Replace if old_is_away => {
                if !new_is_staged && new_is_there {
                    self.site.rename_new(name, &rooms.new, name)?;
                }
                self.put_back(operation, || rooms.old.rename_new(name, self.site, name))
            }
            Action::Replace if operation.new.is_some() && new_is_there && new_is_staged => self
                .put_back(operation, || match rooms.new.exchange(name, self.site, name)? {
                    true => Ok(()),
                    false => Err(io::ErrorKind::Unsupported.into()),
                }),
            Action::Remove if old_is_away && !exists(self.site, name)? => {
                self.put_back(operation, || rooms.old.rename_new(name, self.site, name))
            }
            Action::Create | Action::Replace | Action::Remove => Ok(()),
        }
    }

    fn put_back(&self, operation: &Operation, act: impl Fn() -> io::Result<()>) -> io::Result<()> {
        act()?;
        if operation.sealed {
            self.site.child(OsStr::new(&operation.name))?.set_writable(false)?;
        }
        Ok(())
    }
}

/// Moves the old directory to where it is kept.
fn keep(operation: &Operation, backup: &OsStr, rooms: &Rooms) -> io::Result<()> {
    let name = OsStr::new(&operation.name);
    let from = if exists(&rooms.old, name)? { &rooms.old } else { &rooms.new };
    if !exists(from, name)? {
        return Ok(());
    }
    make_backup_directory(&rooms.place)?;
    let backups = rooms.place.child(OsStr::new(BACKUP_NAME))?;
    from.rename_new(name, &backups, backup)
}

/// Cleans up after a run that was killed; true when there was one.
///
/// # Errors
/// What cannot be undone, or belongs to a newer version of this program.
pub fn recover(site: &Directory, site_path: &Path) -> Result<bool> {
    let name = staging_name(site_path);
    let mut found = false;
    for place_path in places(site_path) {
        let Ok(place) = Directory::open(&place_path) else { continue };
        // What belongs to somebody else is not ours to obey, nor to remove.
        let Ok(staging) = place.child(&name) else { continue };
        if !staging.is_private().unwrap_or(false) {
            continue;
        }
        found = true;
        let failed = |reason: &str| {
            let path = place_path.join(&name);
            let message = format!("cannot clean up after an interrupted run: {reason}");
            Error::new(ErrorKind::Io, message)
                .at(&path)
                .help(format!("what it left is in `{}`", path.display()))
        };
        let recovered = match read_journal(&staging) {
            // Nothing was moved before the journal was whole.
            Ok(None) => erase(&place, &name),
            Ok(Some(journal)) if journal.version != VERSION => {
                return Err(failed("it was made by another version of this program"));
            }
            Ok(Some(journal)) => {
                let undo = exists(&staging, OsStr::new(INDEX))
                    .map_err(|error| failed(&system_message(&error)))?;
                Transaction::with(site, site_path, place_path.clone(), name.clone(), staging)
                    .and_then(|transaction| {
                        let transaction =
                            Transaction { operations: journal.operations, ..transaction };
                        if undo { transaction.undo(None) } else { transaction.finish(true) }
                    })
            }
            Err(error) => Err(error),
        };
        recovered.map_err(|error| failed(&system_message(&error)))?;
    }
    Ok(found)
}

/// Whether a run that was killed left something to clean up.
#[must_use]
pub fn is_interrupted(site_path: &Path) -> bool {
    let name = staging_name(site_path);
    places(site_path).any(|place| {
        let staging = Directory::open(&place).and_then(|place| place.child(&name));
        staging.is_ok_and(|staging| staging.is_private().unwrap_or(false))
    })
}

/// Whether a directory of this name is one that this module makes beside skills.
#[must_use]
pub fn is_own(name: &OsStr) -> bool {
    name == BACKUP_NAME || name.to_str().is_some_and(|name| name.starts_with(STAGING_PREFIX))
}

/// Where a staging directory may be: beside the skills directory, else inside it.
fn places(site: &Path) -> impl Iterator<Item = PathBuf> {
    site.parent().map(Path::to_owned).into_iter().chain([site.to_owned()])
}

/// Every skills directory has its own, whatever lies beside it.
fn staging_name(site: &Path) -> OsString {
    let name = site.file_name().unwrap_or_default().as_encoded_bytes();
    let mark = digest::of_bytes(name).unwrap_or_default();
    OsString::from(format!("{STAGING_PREFIX}{}", mark.get(..12).unwrap_or_default()))
}

/// Makes a staging directory here; none where it would be of no use.
fn make_staging(
    place: &Path,
    name: &OsStr,
    site: &Directory,
) -> io::Result<Option<(Directory, Directory)>> {
    // Not every skills directory lies in one that its owner may write to, or even see.
    let denied = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    let place = match Directory::open(place) {
        Err(error) if denied(&error) => return Ok(None),
        other => other?,
    };
    if !place.shares_mount(site)? {
        return Ok(None);
    }
    match place.create_directory(Path::new(name), PRIVATE) {
        Err(error) if denied(&error) => return Ok(None),
        // Ours would have been cleaned up.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
        other => other?,
    }
    match place.child(name) {
        Ok(staging) => Ok(Some((place, staging))),
        Err(error) => {
            let _ = place.remove_directory(name);
            Err(error)
        }
    }
}

fn make_backup_directory(place: &Directory) -> io::Result<()> {
    match place.create_directory(Path::new(BACKUP_NAME), PRIVATE) {
        Err(error)
            if error.kind() == io::ErrorKind::AlreadyExists
                && place.kind(OsStr::new(BACKUP_NAME))? == FileKind::Directory =>
        {
            Ok(())
        }
        other => other,
    }
}

/// The journal; none when it is not there or not whole.
fn read_journal(staging: &Directory) -> io::Result<Option<Journal>> {
    let mut bytes = Vec::new();
    match staging.file(OsStr::new(JOURNAL)) {
        Ok(file) => file.take(64 * 1024 * 1024).read_to_end(&mut bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let Ok(journal) = serde_json::from_slice::<Journal>(&bytes) else { return Ok(None) };
    let is_safe = |operation: &Operation| {
        SkillName::new(&operation.name).is_ok()
            && operation.backup.as_deref().is_none_or(is_backup_name)
    };
    if journal.operations.iter().all(is_safe) {
        return Ok(Some(journal));
    }
    Err(io::Error::other("its journal names what no journal names"))
}

fn is_backup_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn write(directory: &Directory, name: &str, mode: u32, bytes: &[u8]) -> io::Result<()> {
    directory.create_file(Path::new(name), mode)?.write_all(bytes)
}

fn exists(directory: &Directory, name: &OsStr) -> io::Result<bool> {
    match directory.kind(name) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn identity_of(directory: &Directory, name: &OsStr) -> Option<(u64, u64)> {
    directory.identity_of(name).ok().flatten().map(FileIdentity::numbers)
}

fn cannot_write(path: &Path, error: &io::Error) -> Error {
    Error { kind: ErrorKind::Io, ..Error::io("write to", path, error) }
}
