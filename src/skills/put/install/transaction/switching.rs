//! Moves between a skills directory and the room beside it for disabled skills. Nothing is copied, and
//! the record stays as it is: removing the mark in the staging directory commits the run.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use super::moves::exists;
use super::{INDEX, Transaction, cannot_write};
use crate::skills::files::own_names::DISABLED;
use crate::skills::files::platform::{Directory, FileKind};
use crate::skills::find::disabled;
use crate::skills::model::error::{Error, Result};
use crate::skills::model::name::SkillName;
use crate::skills::model::reporter::Reporter;
use crate::skills::put::install::journal::{Action, Journal, Operation};
use crate::skills::put::install::staging::{identity_of, sync_unless_cancelled, write};

/// The mode of the directories for disabled skills, before the umask.
const MODE: u32 = 0o755;

impl Transaction<'_> {
    /// Plans to move a skill to the other side.
    ///
    /// # Errors
    /// An I/O error, or a room that cannot be used.
    pub(in crate::skills::put::install) fn add_switch(
        &mut self,
        name: &SkillName,
        action: Action,
        sealed: bool,
    ) -> io::Result<()> {
        let room = make_room(self.site_path)?;
        let (from, _) = ends(action, self.site, &room);
        let old = identity_of(from, OsStr::new(name.as_str()));
        self.add(Operation {
            name: name.to_string(),
            action,
            new: None,
            new_digest: None,
            old,
            old_digest: None,
            backup: name.to_string(),
            edited: false,
            seal: false,
            sealed,
        });
        Ok(())
    }

    /// Writes the mark and the journal, and waits until both are on the disk.
    ///
    /// # Errors
    /// An I/O error or a signal.
    pub(in crate::skills::put::install) fn prepare_switches(
        &mut self,
        sync: bool,
        reporter: &dyn Reporter,
    ) -> Result<()> {
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
    ///
    /// # Errors
    /// An I/O error.
    pub(in crate::skills::put::install) fn publish_switches(&self) -> Result<()> {
        let removed = self.staging.directory.remove_file(OsStr::new(INDEX));
        removed.map_err(|error| cannot_write(self.site_path, &error))
    }

    /// Moves one skill to the other side.
    pub(super) fn switch(&self, operation: &Operation) -> io::Result<()> {
        let room = open_room(self.site_path)?;
        let (from, to) = ends(operation.action, self.site, &room);
        let name = OsStr::new(&operation.name);
        if identity_of(from, name) != operation.old {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        relocate(from, to, name)?;
        seal(to, operation)
    }

    /// Moves one skill back, if it was moved; true if it was.
    pub(super) fn switch_back(&self, operation: &Operation) -> io::Result<bool> {
        let room = make_room(self.site_path)?;
        if !is_switched(self.site, &room, operation)? {
            return Ok(false);
        }
        let (from, to) = ends(operation.action, self.site, &room);
        match relocate(to, from, OsStr::new(&operation.name)) {
            // Another skill has taken its name, so it stays where nobody loses it.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            other => other.and_then(|()| seal(from, operation)).map(|()| true),
        }
    }

    /// Does what is left to do after the moves: a killed run may have left a skill writable.
    pub(super) fn finish_switches(&self) -> io::Result<()> {
        for operation in self.operations.iter().filter(|one| one.action.is_switch()) {
            let room = make_room(self.site_path)?;
            let (_, to) = ends(operation.action, self.site, &room);
            if exists(to, OsStr::new(&operation.name))? {
                seal(to, operation)?;
            }
        }
        Ok(())
    }
}

/// Whether a skill is on the other side.
pub(super) fn is_switched(
    site: &Directory,
    room: &Directory,
    operation: &Operation,
) -> io::Result<bool> {
    let (from, to) = ends(operation.action, site, room);
    let name = OsStr::new(&operation.name);
    match operation.old {
        Some(old) => Ok(identity_of(to, name) == Some(old)),
        // Platforms without inodes have only names.
        None => Ok(exists(to, name)? && !exists(from, name)?),
    }
}

/// Where a move starts and ends.
const fn ends<'d>(
    action: Action,
    site: &'d Directory,
    room: &'d Directory,
) -> (&'d Directory, &'d Directory) {
    match action {
        Action::Enable => (room, site),
        Action::Create | Action::Replace | Action::Remove | Action::Disable => (site, room),
    }
}

/// Renames. A read-only directory must be writable for that, because its `..` changes.
fn relocate(from: &Directory, to: &Directory, name: &OsStr) -> io::Result<()> {
    match from.rename_new(name, to, name) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            from.child(name)?.set_writable(true)?;
            from.rename_new(name, to, name)
        }
        other => other,
    }
}

fn seal(place: &Directory, operation: &Operation) -> io::Result<()> {
    let name = OsStr::new(&operation.name);
    if operation.sealed && place.kind(name)? == FileKind::Directory {
        place.child(name)?.set_writable(false)?;
    }
    Ok(())
}

fn open_room(site: &Path) -> io::Result<Directory> {
    disabled::open(site)?.ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Creates and opens the directory for the disabled skills of a skills directory.
fn make_room(site: &Path) -> io::Result<Directory> {
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
pub(in crate::skills::put::install) fn remove_empty_room(site: &Path) {
    let Some((parent, name)) = site.parent().zip(disabled::room_name(site)) else { return };
    let Ok(parent) = Directory::open(parent) else { return };
    if let Ok(all) = parent.child(OsStr::new(DISABLED)) {
        let _ = all.remove_directory(&name);
        let _ = parent.remove_directory(OsStr::new(DISABLED));
    }
}
