//! Moves skills into a skills directory so that it never holds half of one, whenever the run is
//! ended. "Killed" below is any end: a signal, a full disk, a power cut.
//!
//! Everything is made in a staging directory first, with a journal of the moves to come. Then the
//! moves are made, each in one step, and the new index is moved in last: that is the moment from
//! which the run has happened. Who finds a staging directory with an index in it undoes the moves
//! of its journal; who finds one without finishes what is left to do. Both can be done again.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::skills::content::system_message;
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::install::copy::DIRECTORY_MODE;
use crate::skills::install::index::{self, Index};
use crate::skills::install::journal::{Action, Found, JOURNAL, Journal, Operation};
use crate::skills::install::site::Site;
use crate::skills::install::staging::{Rooms, Staging, identity_of, write};
use crate::skills::install::tree::{Tree, everything};
use crate::skills::name::SkillName;
use crate::skills::platform::Directory;
use crate::skills::scan::OpenDirectory;
use crate::skills::source::SKILL_MD;

const INDEX: &str = "index";
/// What the `SKILL.md` of a skill is called that is kept where agents look.
const HIDDEN_SKILL_MD: &str = "SKILL.md.kept";

/// A staging directory and what is to be done with what is in it.
#[derive(Debug)]
pub struct Transaction<'a> {
    site: &'a Directory,
    site_path: &'a Path,
    staging: Staging,
    backups: Option<String>,
    operations: Vec<Operation>,
}

impl<'a> Transaction<'a> {
    /// Makes a staging directory.
    ///
    /// # Errors
    /// Those of the system.
    pub fn begin(site: &'a Site) -> Result<Self> {
        let staging = Staging::make(&site.directory, &site.path)
            .map_err(|error| cannot_write(&site.path, &error))?;
        let (directory, path) = (&site.directory, &site.path);
        Ok(Self {
            site: directory,
            site_path: path,
            staging,
            backups: None,
            operations: Vec::new(),
        })
    }

    /// An empty directory for a skill that is to be installed.
    ///
    /// # Errors
    /// Those of the system.
    pub fn slot(&self, name: &SkillName) -> Result<Directory> {
        let path = Staging::slot(name.as_str());
        let directory = &self.staging.directory;
        directory
            .create_directory(&path, DIRECTORY_MODE)
            .and_then(|()| directory.child(path.as_os_str()))
            .map_err(|error| cannot_write(self.site_path, &error))
    }

    /// What makes the directory in a slot itself.
    #[must_use]
    pub fn identity(&self, name: &SkillName) -> Option<(u64, u64)> {
        identity_of(&self.staging.directory, Staging::slot(name.as_str()).as_os_str())
    }

    /// Plans a move.
    pub fn add(&mut self, operation: Operation) {
        self.operations.push(operation);
    }

    /// Writes the new index and the journal, and waits until all of it is on the disk.
    ///
    /// # Errors
    /// Those of the system, and an index that could not be read again.
    pub fn prepare(&mut self, index: &Index, sync: bool) -> Result<()> {
        let json = index.to_json()?;
        let prepare = || -> io::Result<Option<String>> {
            let staging = &self.staging.directory;
            let is_kept = self.operations.iter().any(|operation| operation.edited);
            let backups = if is_kept { Some(self.staging.rooms()?.backups()?) } else { None };
            write(staging, INDEX, 0o644, json.as_bytes())?;
            Journal::new(backups.clone(), self.operations.clone()).write(staging)?;
            if sync {
                staging.sync_below()?;
            }
            Ok(backups)
        };
        self.backups = prepare().map_err(|error| cannot_write(self.site_path, &error))?;
        Ok(())
    }

    /// Makes the moves.
    ///
    /// # Errors
    /// The first that fails. What was moved stays moved until [`Transaction::undo`].
    pub fn commit(&self) -> Result<()> {
        let rooms = self.staging.rooms().map_err(|error| cannot_write(self.site_path, &error))?;
        self.operations.iter().try_for_each(|operation| {
            self.perform(operation, &rooms).map_err(|error| {
                let path = self.site_path.join(&operation.name);
                match error.kind() {
                    io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound => {
                        let message =
                            format!("`{}` changed while it was being worked on", path.display());
                        Error::new(ErrorKind::Conflict, message).at(path).help("try again")
                    }
                    io::ErrorKind::CrossesDevices | io::ErrorKind::ResourceBusy => {
                        Error::writing("move", path, &error).help(
                            "the file system does not move this directory; remove it yourself, \
                             then install again",
                        )
                    }
                    _ => Error::writing("move", path, &error),
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
            .directory
            .rename(OsStr::new(INDEX), self.site, OsStr::new(index::FILE_NAME))
            .map_err(|error| cannot_write(&self.site_path.join(index::FILE_NAME), &error))
    }

    /// Does what may be done later, too: keeps what was edited, and cleans up. Returns where the
    /// old directory of a skill is kept, by name.
    ///
    /// # Errors
    /// Those of the system; the next run will try again.
    pub fn finish(&mut self, sync: bool) -> io::Result<HashMap<String, PathBuf>> {
        let rooms = self.staging.rooms()?;
        let mut kept = HashMap::new();
        for number in 0..self.operations.len() {
            let operation = self.operations[number].clone();
            let name = OsStr::new(&operation.name);
            if operation.seal && identity_of(self.site, name) == operation.new {
                self.site.child(name)?.set_writable(false)?;
            }
            if operation.action == Action::Create {
                continue;
            }
            let old = if exists(&rooms.old, name)? { &rooms.old } else { &rooms.new };
            // Somebody may have edited it after it was looked at.
            if exists(old, name)?
                && (operation.edited || digest_of(old, name)? != operation.old_digest)
            {
                kept.insert(operation.name.clone(), self.keep(&operation, old, &rooms)?);
            }
        }
        if sync {
            self.site.sync()?;
        }
        self.clear()?;
        Ok(kept)
    }

    /// Moves everything back, the last first, and the staging directory away.
    ///
    /// # Errors
    /// Those of the system; the next run will try again.
    pub fn undo(&mut self, published: Option<&Index>) -> io::Result<()> {
        let rooms = self.staging.rooms()?;
        if let Some(before) = published {
            // Only a run over several directories comes here, when a later one fails.
            let json = before.to_json().map_err(|error| io::Error::other(error.message))?;
            let staging = &self.staging.directory;
            write(staging, "before", 0o644, json.as_bytes())?;
            staging.rename(OsStr::new("before"), self.site, OsStr::new(index::FILE_NAME))?;
        }
        for number in (0..self.operations.len()).rev() {
            let operation = self.operations[number].clone();
            let name = OsStr::new(&operation.name);
            // Somebody may have edited what a killed run had put there.
            if self.revert(&operation, &rooms)?
                && exists(&rooms.new, name)?
                && digest_of(&rooms.new, name)? != operation.new_digest
            {
                self.keep(&operation, &rooms.new, &rooms)?;
            }
        }
        if let Some(backups) = &self.backups {
            // It stays where something is in it.
            let _ = rooms.place.remove_directory(OsStr::new(backups));
        }
        self.clear()
    }

    /// Removes the staging directory, the journal first: without it nothing is left to be done.
    fn clear(&self) -> io::Result<()> {
        match self.staging.directory.remove_file(OsStr::new(JOURNAL)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        self.staging.erase()
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

    /// Undoes one move, if it was made; true when it was.
    fn revert(&self, operation: &Operation, rooms: &Rooms) -> io::Result<bool> {
        let name = OsStr::new(&operation.name);
        match made(self.site, operation, rooms)? {
            Made::No => return Ok(false),
            Made::Created => self.site.rename_new(name, &rooms.new, name)?,
            Made::Swapped => {
                if !rooms.new.exchange(name, self.site, name)? {
                    return Err(io::ErrorKind::Unsupported.into());
                }
            }
            Made::TakenAway { replaced } => {
                if replaced {
                    self.site.rename_new(name, &rooms.new, name)?;
                }
                rooms.old.rename_new(name, self.site, name)?;
            }
        }
        if operation.sealed && operation.action != Action::Create {
            self.site.child(name)?.set_writable(false)?;
        }
        Ok(true)
    }

    /// Moves a directory to where it is kept, and says where that is.
    fn keep(
        &mut self,
        operation: &Operation,
        from: &Directory,
        rooms: &Rooms,
    ) -> io::Result<PathBuf> {
        if self.backups.is_none() {
            self.backups = Some(rooms.backups()?);
        }
        let backups = self.backups.clone().unwrap_or_default();
        let directory = rooms.place.child(OsStr::new(&backups))?;
        let kept = keep_in(&directory, from, operation)?;
        // Inside the skills directory, agents that look everywhere would take it for a skill.
        if self.staging.place == self.site_path {
            let _ = hide(&directory, OsStr::new(&kept));
        }
        Ok(self.staging.place.join(backups).join(kept))
    }
}

/// Moves a directory to others that are kept, under a name that is free: skills directories that
/// lie side by side keep theirs in one place, and a clock may be set back.
fn keep_in(backups: &Directory, from: &Directory, operation: &Operation) -> io::Result<String> {
    let mut name = operation.backup.clone();
    for number in 1.. {
        match from.rename_new(OsStr::new(&operation.name), backups, OsStr::new(&name)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                name = format!("{}-{number}", operation.backup);
            }
            other => return other.map(|()| name),
        }
    }
    Ok(name)
}

/// Makes a directory that is kept one that no agent takes for a skill.
fn hide(backups: &Directory, name: &OsStr) -> io::Result<()> {
    let kept = backups.child(name)?;
    kept.set_writable(true)?;
    let skill_md = OsStr::new(SKILL_MD);
    kept.rename_new(skill_md, &kept, OsStr::new(HIDDEN_SKILL_MD))
}

/// What has happened of a move.
enum Made {
    /// Nothing.
    No,
    /// The new directory is where nothing was.
    Created,
    /// The two directories have changed places.
    Swapped,
    /// The old directory is away, and the new one in its place or not.
    TakenAway { replaced: bool },
}

/// Finds out what has happened of a move.
fn made(site: &Directory, operation: &Operation, rooms: &Rooms) -> io::Result<Made> {
    let name = OsStr::new(&operation.name);
    let is_staged = exists(&rooms.new, name)?;
    // Without identities, names have to do; nothing is ever swapped then.
    let is_there = match operation.new {
        Some(new) => identity_of(site, name) == Some(new),
        None => !is_staged && exists(site, name)?,
    };
    let is_away = exists(&rooms.old, name)?;
    Ok(match operation.action {
        Action::Create if !is_staged && is_there => Made::Created,
        Action::Replace if is_away => Made::TakenAway { replaced: !is_staged && is_there },
        Action::Replace if operation.new.is_some() && is_there && is_staged => Made::Swapped,
        Action::Remove if is_away && !exists(site, name)? => Made::TakenAway { replaced: false },
        Action::Create | Action::Replace | Action::Remove => Made::No,
    })
}

/// What cleaning up after killed runs came to.
#[derive(Debug, Default)]
pub struct Recovery {
    /// Whether there was anything to clean up.
    pub found: bool,
    /// What is left, and why; nothing depends on it.
    pub left: Vec<String>,
}

/// Cleans up after runs that were killed.
///
/// # Errors
/// What cannot be undone, or belongs to another version of this program.
pub fn recover(site: &Directory, site_path: &Path) -> Result<Recovery> {
    let mut recovery = Recovery::default();
    for staging in Staging::left_behind(site, site_path) {
        recovery.found = true;
        let path = staging.place.join(&staging.name);
        let failed = |reason: &str| {
            let message = format!("cannot clean up after an interrupted run: {reason}");
            Error::new(ErrorKind::Io, message)
                .at(&path)
                .help(format!("what it left is in `{}`", path.display()))
        };
        let system = |error: io::Error| failed(&system_message(&error));
        match Journal::read(&staging.directory).map_err(system)? {
            Found::Unknown(reason) => return Err(failed(reason)),
            // Rubbish keeps nobody from anything.
            Found::Nothing => {
                if let Err(error) = staging.erase() {
                    recovery.left.push(format!("`{}`: {}", path.display(), system_message(&error)));
                }
            }
            Found::Journal(Journal { operations, backups, .. }) => {
                let undo = exists(&staging.directory, OsStr::new(INDEX)).map_err(system)?;
                let mut run = Transaction { site, site_path, staging, backups, operations };
                let done = if undo { run.undo(None) } else { run.finish(true).map(|_| ()) };
                if let Err(error) = done {
                    // Once the journal is gone, everything that matters is done.
                    let pending = exists(&run.staging.directory, OsStr::new(JOURNAL));
                    if pending.unwrap_or(true) {
                        return Err(system(error));
                    }
                    recovery.left.push(format!("`{}`: {}", path.display(), system_message(&error)));
                }
            }
        }
    }
    Ok(recovery)
}

/// Where skills are that a killed run has moved and the next run will move back: in the directory
/// that is given, or nowhere.
pub type Moved = HashMap<String, Option<Directory>>;

/// What the next run will find where skills are now; none when no run was killed.
#[must_use]
pub fn preview(site: &Directory, site_path: &Path) -> Option<Moved> {
    let left = Staging::left_behind(site, site_path);
    if left.is_empty() {
        return None;
    }
    let mut moved = Moved::new();
    for staging in left {
        let Ok(Found::Journal(journal)) = Journal::read(&staging.directory) else { continue };
        if !exists(&staging.directory, OsStr::new(INDEX)).unwrap_or(false) {
            continue;
        }
        for operation in journal.operations {
            let Ok(rooms) = staging.rooms() else { continue };
            let place = match made(site, &operation, &rooms) {
                Ok(Made::Created) => None,
                Ok(Made::Swapped) => Some(rooms.new),
                Ok(Made::TakenAway { .. }) => Some(rooms.old),
                Ok(Made::No) | Err(_) => continue,
            };
            moved.insert(operation.name, place);
        }
    }
    Some(moved)
}

fn exists(directory: &Directory, name: &OsStr) -> io::Result<bool> {
    match directory.kind(name) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The digest of a directory; none for what is not only files and directories.
fn digest_of(directory: &Directory, name: &OsStr) -> io::Result<Option<String>> {
    let child = match directory.child(name) {
        // Whoever closed it to themselves has edited it.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
        other => other?,
    };
    let entries = child.entries()?;
    let tree = Tree::of_directory(&OpenDirectory { directory: child, entries }, &everything);
    Ok(tree.ok().filter(|tree| tree.foreign.is_empty()).and_then(|tree| tree.digest()))
}

fn cannot_write(path: &Path, error: &io::Error) -> Error {
    Error::writing("write to", path, error)
}
