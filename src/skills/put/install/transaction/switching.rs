//! Moves between a skills directory and the room beside it for disabled skills. Nothing is copied, and
//! the record stays as it is: removing the mark in the staging directory commits the run.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use crate::skills::files::atomic::DISABLED;
use crate::skills::files::{Directory, FileKind};
use crate::skills::find::disabled;
use crate::skills::model::error::{Error, Result};
use crate::skills::model::name::SkillName;
use crate::skills::model::reporter::Reporter;
use crate::skills::put::install::journal::{Action, Journal, Operation};
use crate::skills::put::install::staging::{identity_of, sync_unless_cancelled, write};
use crate::skills::put::install::transaction::moves::{exists, relocate};
use crate::skills::put::install::transaction::{INDEX, Transaction, cannot_write};

/// The mode of the directories for disabled skills, before the umask.
const MODE: u32 = 0o755;

impl Transaction<'_> {
    /// Plans to move a skill to the other side.
    pub fn add_switch(&mut self, name: &SkillName, action: Action) -> Result<()> {
        self.add(Operation {
            name: name.to_string(),
            action,
            new: None,
            new_digest: None,
            old: None,
            old_digest: None,
            backup: name.to_string(),
            edited: false,
            seal: false,
            sealed: false,
            disabled: action == Action::Enable,
            kept: None,
        })?;
        let Some(operation) = self.operations.last() else { return Ok(()) };
        let origin = self.origin(operation).ok();
        let old = origin.and_then(|origin| identity_of(origin, OsStr::new(name.as_str())));
        self.operations.iter_mut().last().into_iter().for_each(|operation| operation.old = old);
        Ok(())
    }

    /// Writes the mark and the journal, and waits until both are on the disk.
    pub fn prepare_switches(&mut self, sync: bool, reporter: &dyn Reporter) -> Result<()> {
        let staging = &self.staging.directory;
        let prepare = || -> io::Result<()> {
            write(staging, INDEX, 0o644, b"")?;
            Journal::new(None, self.operations.clone()).write(staging)?;
            if sync { sync_unless_cancelled(staging, reporter) } else { Ok(()) }
        };
        prepare().map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => Error::interrupted(),
            _ => cannot_write(self.site_path, &error),
        })
    }

    /// Removes the mark, which commits the run.
    pub fn publish_switches(&self) -> Result<()> {
        let removed = self.staging.directory.remove_file(OsStr::new(INDEX));
        removed.map_err(|error| cannot_write(self.site_path, &error))
    }

    /// Moves one skill to the other side.
    pub fn switch(&self, operation: &Operation) -> io::Result<()> {
        let (from, to) = self.sides(operation)?;
        let name = OsStr::new(&operation.name);
        if identity_of(from, name) != operation.old {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        relocate(from, to, name)?;
        seal(to, operation)
    }

    /// Moves one skill back, if it was moved; true if it was.
    pub fn switch_back(&self, operation: &Operation) -> io::Result<bool> {
        let (from, to) = self.sides(operation)?;
        if !is_switched(from, to, operation)? {
            return Ok(false);
        }
        match relocate(to, from, OsStr::new(&operation.name)) {
            // Another skill has taken its name, so it stays where nobody loses it.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            other => other.and_then(|()| seal(from, operation)).map(|()| true),
        }
    }

    /// Does what is left to do after the moves: a killed run may have left a skill writable.
    pub fn finish_switches(&self) -> io::Result<()> {
        for operation in self.operations.iter().filter(|one| one.action.is_switch()) {
            let (_, to) = self.sides(operation)?;
            if exists(to, OsStr::new(&operation.name))? {
                seal(to, operation)?;
            }
        }
        Ok(())
    }

    /// Where the move of a skill to the other side starts and ends.
    fn sides(&self, operation: &Operation) -> io::Result<(&Directory, &Directory)> {
        let (site, room) = (self.site, self.disabled()?);
        Ok(if operation.disabled { (room, site) } else { (site, room) })
    }
}

/// Whether a skill is on the other side.
pub fn is_switched(from: &Directory, to: &Directory, operation: &Operation) -> io::Result<bool> {
    let name = OsStr::new(&operation.name);
    match operation.old {
        Some(old) => Ok(identity_of(to, name) == Some(old)),
        // Platforms without inodes have only names.
        None => Ok(exists(to, name)? && !exists(from, name)?),
    }
}

/// Makes a skill read-only again that had to be writable to be moved.
pub fn seal(place: &Directory, operation: &Operation) -> io::Result<()> {
    let name = OsStr::new(&operation.name);
    if operation.sealed && place.kind(name)? == FileKind::Directory {
        place.child(name)?.set_writable(false)?;
    }
    Ok(())
}

/// Creates and opens the directory for the disabled skills of a skills directory.
pub fn make_room(site: &Path) -> io::Result<Directory> {
    let parent = site.parent().ok_or(io::ErrorKind::NotFound)?;
    let name = disabled::room_name(site).ok_or(io::ErrorKind::NotFound)?;
    let mut directory = Directory::open(parent)?;
    for part in [OsStr::new(DISABLED), &name] {
        match directory.create_directory(Path::new(part), MODE) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => directory = directory.child(part)?,
        }
        if !directory.is_own()? {
            return Err(io::Error::other("it belongs to another user"));
        }
    }
    Ok(directory)
}

/// Removes the directories for disabled skills if they are empty.
pub fn remove_empty_room(site: &Path) {
    let Some((parent, name)) = site.parent().zip(disabled::room_name(site)) else { return };
    let Ok(parent) = Directory::open(parent) else { return };
    if let Ok(all) = parent.child(OsStr::new(DISABLED)) {
        let _ = all.remove_directory(&name);
        let _ = parent.remove_directory(OsStr::new(DISABLED));
    }
}
