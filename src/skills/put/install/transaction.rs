//! Moves skills into a skills directory so that it never contains half a skill, even if the run is
//! killed: by a signal, a full disk or a power cut.
//!
//! A run first prepares everything in a staging directory, with a journal of the planned moves.
//! Then it makes the moves, each an atomic rename. Moving in the new index is the last of them, and
//! commits the run. A later run that finds a staging directory with an index undoes the moves in
//! its journal; without an index, it finishes the cleanup. Both can be repeated.

pub mod moves;
pub mod recovery;
pub mod switching;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{io, mem};

use crate::skills::files::Directory;
use crate::skills::find::disabled::unusable;
use crate::skills::find::record::{self, Index};
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::name::SkillName;
use crate::skills::model::reporter::Reporter;
use crate::skills::put::install::copy::DIRECTORY_MODE;
use crate::skills::put::install::journal::{Action, JOURNAL, Journal, Operation};
use crate::skills::put::install::site::Site;
use crate::skills::put::install::staging::{
    Staging, StagingDirectories, identity_of, sync_unless_cancelled, write,
};
pub use crate::skills::put::install::transaction::moves::{
    HIDDEN_SKILL_MD, exists, hide, relocate,
};
use crate::skills::put::install::transaction::moves::{
    MoveProgress, bring, digest_of, keep_in, progress_of, put_back, unsealed,
};
pub use crate::skills::put::install::transaction::recovery::{
    Leftovers, MovedSkill, MovedSkills, Recovery, is_pending, preview, recover,
};
use crate::skills::put::install::transaction::switching::remove_empty_room;
use crate::skills::put::install::undo::{ReplacedSkills, UndoRoom};
use crate::skills::put::install::watch::Watch;

const INDEX: &str = "index";

/// A staging directory, and the moves planned for it.
#[derive(Debug)]
pub struct Transaction<'a> {
    site: &'a Directory,
    site_path: &'a Path,
    staging: Staging,
    backups: Option<String>,
    operations: Vec<Operation>,
    /// The directory for disabled skills, if a move begins or ends there. It stays open, so that no
    /// move can be led elsewhere.
    disabled: Option<Directory>,
    /// The backups of edited skills, by name.
    kept: HashMap<String, PathBuf>,
}

impl<'a> Transaction<'a> {
    /// Creates a staging directory.
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
            disabled: None,
            kept: HashMap::new(),
        })
    }

    /// Creates an empty directory for a skill to install.
    pub fn slot(&self, name: &SkillName) -> Result<Directory> {
        let path = Staging::slot(name.as_str());
        let directory = &self.staging.directory;
        directory
            .create_directory(&path, DIRECTORY_MODE)
            .and_then(|()| directory.child(path.as_os_str()))
            .map_err(|error| cannot_write(self.site_path, &error))
    }

    /// Device and inode of the directory of a skill to install.
    pub fn identity(&self, name: &SkillName) -> Option<(u64, u64)> {
        identity_of(&self.staging.directory, Staging::slot(name.as_str()).as_os_str())
    }

    /// Plans a move.
    pub fn add(&mut self, mut operation: Operation) -> Result<()> {
        if operation.concerns_disabled() && self.disabled.is_none() {
            let room = switching::make_room(self.site_path);
            self.disabled = Some(room.map_err(|error| unusable(self.site_path, &error))?);
        }
        let name = OsStr::new(&operation.name);
        operation.sealed = self.origin(&operation).is_ok_and(|origin| origin.is_sealed(name));
        self.operations.push(operation);
        Ok(())
    }

    /// The directory for disabled skills.
    fn disabled(&self) -> io::Result<&Directory> {
        self.disabled.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// The directory that has the skill of a move before it.
    fn origin(&self, operation: &Operation) -> io::Result<&Directory> {
        if operation.disabled { self.disabled() } else { Ok(self.site) }
    }

    /// The name under which the edited directory of a skill will be kept, if it was edited.
    pub fn backup_of(&self, name: &SkillName) -> Option<&str> {
        let mut edited = self.operations.iter().filter(|operation| operation.edited);
        let operation = edited.find(|operation| operation.name == name.as_str());
        operation.map(|operation| operation.backup.as_str())
    }

    /// The number of steps of [`Transaction::undo`].
    pub fn steps_to_undo(&self) -> usize {
        self.operations.len() + self.staging.len()
    }

    /// The number of steps of [`Transaction::finish`].
    pub fn steps_to_finish(&self) -> usize {
        let is_quick = |action: Action| action == Action::Create || action.is_switch();
        self.operations.iter().filter(|operation| !is_quick(operation.action)).count()
    }

    /// The backups of edited skills, by name.
    pub fn take_kept(&mut self) -> HashMap<String, PathBuf> {
        mem::take(&mut self.kept)
    }

    /// Writes the new index, the journal and the copies for `update --undo`, and waits until all of
    /// it is on the disk.
    pub fn prepare(
        &mut self,
        index: &Index,
        replaced: &ReplacedSkills,
        sync: bool,
        reporter: &dyn Reporter,
    ) -> Result<()> {
        let json = index.to_json()?;
        let prepare = || -> io::Result<Option<String>> {
            let staging = &self.staging.directory;
            let is_kept = self.operations.iter().any(|operation| operation.edited);
            let backups = if is_kept { Some(self.staging.rooms()?.backups()?) } else { None };
            if !replaced.is_empty() {
                UndoRoom::make(&self.staging, self.site, replaced)?;
            }
            write(staging, INDEX, 0o644, json.as_bytes())?;
            Journal::new(backups.clone(), self.operations.clone()).write(staging)?;
            if sync {
                sync_unless_cancelled(staging, reporter)?;
            }
            Ok(backups)
        };
        self.backups = prepare().map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => Error::interrupted(),
            _ => cannot_write(self.site_path, &error),
        })?;
        Ok(())
    }

    /// Makes the moves.
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

    /// Moves in the new index, which commits the run.
    pub fn publish(&self) -> Result<()> {
        self.staging
            .directory
            .rename(OsStr::new(INDEX), self.site, OsStr::new(record::FILE_NAME))
            .map_err(|error| cannot_write(&self.site_path.join(record::FILE_NAME), &error))
    }

    /// Makes backups of edited skills, and cleans up. A later run can do the same.
    pub fn finish(&mut self, sync: bool, watch: &Watch<'_>) -> io::Result<()> {
        let rooms = self.staging.rooms()?;
        let undo = UndoRoom::of(&self.staging);
        self.finish_switches()?;
        // Record the backups first, so that an interrupted run can report them.
        self.operations.sort_by_key(|operation| !operation.edited);
        for number in 0..self.operations.len() {
            let operation = self.operations[number].clone();
            let name = OsStr::new(&operation.name);
            if !operation.edited {
                watch.go_on()?;
            }
            if operation.seal && identity_of(self.site, name) == operation.new {
                self.site.child(name)?.set_writable(false)?;
            }
            if operation.action == Action::Create || operation.action.is_switch() {
                continue;
            }
            let old = if exists(&rooms.old, name)? { &rooms.old } else { &rooms.new };
            if !exists(old, name)? {
                continue;
            }
            // The user may have edited it after the run was planned.
            if operation.edited || digest_of(old, name)? != operation.old_digest {
                self.keep(&operation, old, &rooms)?;
            } else if let Some(undo) = &undo {
                undo.take(old, name)?;
            }
        }
        if let Some(undo) = undo {
            undo.publish(&self.staging, self.site, self.site_path)?;
        }
        if self.disabled.is_some() {
            remove_empty_room(self.site_path);
        }
        self.operations.iter().filter_map(|one| one.kept.as_ref()).for_each(|kept| {
            kept.tidy(self.site);
        });
        if sync {
            self.site.sync()?;
        }
        // From now on, everything in the staging directory is garbage.
        match Journal::conclude(&self.staging.directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => self.staging.erase(watch),
        }
    }

    /// Undoes all moves, the last first, and removes the staging directory.
    pub fn undo(&mut self, published: Option<&Index>, watch: &Watch<'_>) -> io::Result<()> {
        let rooms = self.staging.rooms()?;
        if let Some(before) = published {
            // Happens only in a run over several directories, when a later one fails.
            let json = before.to_json().map_err(|error| io::Error::other(error.message))?;
            let staging = &self.staging.directory;
            write(staging, "before", 0o644, json.as_bytes())?;
            staging.rename(OsStr::new("before"), self.site, OsStr::new(record::FILE_NAME))?;
        }
        for number in (0..self.operations.len()).rev() {
            watch.go_on()?;
            let operation = self.operations[number].clone();
            let name = OsStr::new(&operation.name);
            let is_reverted = self.revert(&operation, &rooms)?;
            if let Some(kept) = &operation.kept
                && identity_of(&rooms.new, name) == operation.new
                && exists(&rooms.new, name)?
            {
                let is_seen = self.staging.place == self.site_path;
                if put_back(kept, self.site, &rooms.new, name, is_seen).is_err() {
                    self.keep(&operation, &rooms.new, &rooms)?;
                }
            }
            // Another entry may have taken its name.
            if exists(&rooms.old, name)? {
                self.keep(&operation, &rooms.old, &rooms)?;
            }
            if exists(&rooms.new, name)? {
                let is_old =
                    operation.old.is_some() && identity_of(&rooms.new, name) == operation.old;
                // The user may have edited a skill that a killed run installed.
                if is_old || is_reverted && digest_of(&rooms.new, name)? != operation.new_digest {
                    self.keep(&operation, &rooms.new, &rooms)?;
                }
            }
            watch.step();
        }
        if let Some(backups) = &self.backups {
            // This fails if the directory is not empty, which is fine.
            let _ = rooms.place.remove_directory(OsStr::new(backups));
        }
        if self.disabled.is_some() {
            remove_empty_room(self.site_path);
        }
        // Without a journal, nothing is left to undo.
        match self.staging.directory.remove_file(OsStr::new(JOURNAL)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => self.staging.erase(watch),
        }
    }

    fn perform(&self, operation: &Operation, rooms: &StagingDirectories) -> io::Result<()> {
        let name = OsStr::new(&operation.name);
        if let Some(kept) = &operation.kept {
            bring(kept, self.site, operation, &rooms.new)?;
        }
        match operation.action {
            Action::Create => rooms.new.rename_new(name, self.site, name),
            Action::Remove => self.take_away(operation, rooms),
            Action::Disable | Action::Enable => self.switch(operation),
            Action::Replace => {
                let swap = || rooms.new.exchange(name, self.site, name);
                let swapped = unsealed(self.site, name, swap)?;
                if !swapped {
                    self.take_away(operation, rooms)?;
                    return rooms.new.rename_new(name, self.site, name);
                }
                if identity_of(&rooms.new, name) == operation.old {
                    return Ok(());
                }
                // This is not the directory that was planned for, so put it back.
                rooms.new.exchange(name, self.site, name)?;
                Err(io::ErrorKind::AlreadyExists.into())
            }
        }
    }

    /// Moves the old directory out of the skills directory.
    fn take_away(&self, operation: &Operation, rooms: &StagingDirectories) -> io::Result<()> {
        let (name, origin) = (OsStr::new(&operation.name), self.origin(operation)?);
        relocate(origin, &rooms.old, name)?;
        if identity_of(&rooms.old, name) == operation.old {
            return Ok(());
        }
        rooms.old.rename_new(name, origin, name)?;
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Undoes one move; true if it had been made.
    fn revert(&self, operation: &Operation, rooms: &StagingDirectories) -> io::Result<bool> {
        if operation.action.is_switch() {
            return self.switch_back(operation);
        }
        let (name, origin) = (OsStr::new(&operation.name), self.origin(operation)?);
        match progress_of(origin, operation, rooms)? {
            MoveProgress::No => return Ok(false),
            MoveProgress::Created => self.site.rename_new(name, &rooms.new, name)?,
            MoveProgress::Swapped => {
                if !rooms.new.exchange(name, self.site, name)? {
                    return Err(io::ErrorKind::Unsupported.into());
                }
            }
            MoveProgress::TakenAway { replaced } => {
                if replaced {
                    self.site.rename_new(name, &rooms.new, name)?;
                }
                match rooms.old.rename_new(name, origin, name) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
                    other => other?,
                }
            }
        }
        if operation.action != Action::Create {
            switching::seal(origin, operation)?;
        }
        Ok(true)
    }

    /// Moves a directory to the backups, and notes its path.
    fn keep(
        &mut self,
        operation: &Operation,
        from: &Directory,
        rooms: &StagingDirectories,
    ) -> io::Result<()> {
        if self.backups.is_none() {
            self.backups = Some(rooms.backups()?);
        }
        let backups = self.backups.clone().unwrap_or_default();
        let directory = rooms.place.child(OsStr::new(&backups))?;
        let kept = keep_in(&directory, from, operation)?;
        // Inside the skills directory, some agents would load it as a skill.
        if self.staging.place == self.site_path {
            let _ = hide(&directory, OsStr::new(&kept));
        }
        let path = self.staging.place.join(backups).join(kept);
        self.kept.insert(operation.name.clone(), path);
        Ok(())
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Error {
    Error::writing("write to", path, error)
}
