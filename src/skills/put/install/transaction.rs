//! Moves skills into a skills directory so that it never holds half of one, whenever the run is
//! ended. "Killed" below is any end: a signal, a full disk, a power cut.
//!
//! Everything is made in a staging directory first, with a journal of the moves to come. Then the
//! moves are made, each in one step, and the new index is moved in last: that is the moment from
//! which the run has happened. Who finds a staging directory with an index in it undoes the moves
//! of its journal; who finds one without finishes what is left to do. Both can be done again.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;
use std::{io, mem, thread};

use crate::skills::files::content::system_message;
use crate::skills::files::digest::Digest;
use crate::skills::files::directory::OpenDirectory;
use crate::skills::files::platform::Directory;
use crate::skills::files::tree::{Tree, everything};
use crate::skills::find::record::{self, Index};
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::name::SkillName;
use crate::skills::model::reporter::Reporter;
use crate::skills::put::install::copy::DIRECTORY_MODE;
use crate::skills::put::install::journal::{Action, JOURNAL, Journal, JournalState, Operation};
use crate::skills::put::install::site::Site;
use crate::skills::put::install::staging::{Staging, StagingDirectories, identity_of, write};
use crate::skills::put::install::watch::Watch;
use crate::skills::text::document::SKILL_MD;

const INDEX: &str = "index";
/// How soon a signal is noticed while the disk works.
const PATIENCE: Duration = Duration::from_millis(50);
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
    /// Where directories are kept that somebody edited, by name.
    kept: HashMap<String, PathBuf>,
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
            kept: HashMap::new(),
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

    /// How many steps [`Transaction::undo`] would take.
    #[must_use]
    pub fn steps_to_undo(&self) -> usize {
        self.operations.len() + self.staging.len()
    }

    /// How many steps [`Transaction::finish`] will take.
    #[must_use]
    pub fn steps_to_finish(&self) -> usize {
        self.operations.iter().filter(|operation| operation.action != Action::Create).count()
    }

    /// Where directories are kept that somebody edited, by name.
    pub fn take_kept(&mut self) -> HashMap<String, PathBuf> {
        mem::take(&mut self.kept)
    }

    /// Writes the new index and the journal, and waits until all of it is on the disk.
    ///
    /// # Errors
    /// Those of the system, an index that could not be read again, and a signal.
    pub fn prepare(&mut self, index: &Index, sync: bool, reporter: &dyn Reporter) -> Result<()> {
        let json = index.to_json()?;
        let prepare = || -> io::Result<Option<String>> {
            let staging = &self.staging.directory;
            let is_kept = self.operations.iter().any(|operation| operation.edited);
            let backups = if is_kept { Some(self.staging.rooms()?.backups()?) } else { None };
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
            .rename(OsStr::new(INDEX), self.site, OsStr::new(record::FILE_NAME))
            .map_err(|error| cannot_write(&self.site_path.join(record::FILE_NAME), &error))
    }

    /// Does what may be done later, too: keeps what was edited, and cleans up.
    ///
    /// # Errors
    /// Those of the system, and a signal; the next run will try again.
    pub(super) fn finish(&mut self, sync: bool, watch: &Watch<'_>) -> io::Result<()> {
        let rooms = self.staging.rooms()?;
        // Whoever does not wait until all of it is looked through still hears what is kept.
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
            if operation.action == Action::Create {
                continue;
            }
            let old = if exists(&rooms.old, name)? { &rooms.old } else { &rooms.new };
            // Somebody may have edited it after it was looked at.
            if exists(old, name)?
                && (operation.edited || digest_of(old, name)? != operation.old_digest)
            {
                self.keep(&operation, old, &rooms)?;
            }
        }
        if sync {
            self.site.sync()?;
        }
        // What is in the staging directory from now on is rubbish, whole or not.
        match Journal::conclude(&self.staging.directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => self.staging.erase(watch),
        }
    }

    /// Moves everything back, the last first, and the staging directory away.
    ///
    /// # Errors
    /// Those of the system, and a signal; the next run will try again.
    pub(super) fn undo(&mut self, published: Option<&Index>, watch: &Watch<'_>) -> io::Result<()> {
        let rooms = self.staging.rooms()?;
        if let Some(before) = published {
            // Only a run over several directories comes here, when a later one fails.
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
            // Something else may be in its place by now.
            if exists(&rooms.old, name)? {
                self.keep(&operation, &rooms.old, &rooms)?;
            }
            if exists(&rooms.new, name)? {
                let is_old =
                    operation.old.is_some() && identity_of(&rooms.new, name) == operation.old;
                // Somebody may have edited what a killed run had put there.
                if is_old || is_reverted && digest_of(&rooms.new, name)? != operation.new_digest {
                    self.keep(&operation, &rooms.new, &rooms)?;
                }
            }
            watch.step();
        }
        if let Some(backups) = &self.backups {
            // It stays where something is in it.
            let _ = rooms.place.remove_directory(OsStr::new(backups));
        }
        // Without a journal nothing is left to be done.
        match self.staging.directory.remove_file(OsStr::new(JOURNAL)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => self.staging.erase(watch),
        }
    }

    fn perform(&self, operation: &Operation, rooms: &StagingDirectories) -> io::Result<()> {
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
    fn take_away(&self, operation: &Operation, rooms: &StagingDirectories) -> io::Result<()> {
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
    fn revert(&self, operation: &Operation, rooms: &StagingDirectories) -> io::Result<bool> {
        let name = OsStr::new(&operation.name);
        match made(self.site, operation, rooms)? {
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
                match rooms.old.rename_new(name, self.site, name) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
                    other => other?,
                }
            }
        }
        if operation.sealed && operation.action != Action::Create {
            self.site.child(name)?.set_writable(false)?;
        }
        Ok(true)
    }

    /// Moves a directory to where it is kept, and notes where that is.
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
        // Inside the skills directory, agents that look everywhere would take it for a skill.
        if self.staging.place == self.site_path {
            let _ = hide(&directory, OsStr::new(&kept));
        }
        let path = self.staging.place.join(backups).join(kept);
        self.kept.insert(operation.name.clone(), path);
        Ok(())
    }
}

/// Waits until everything below a directory is on the disk, unless a signal asks for an end before:
/// nothing has been moved yet, so nothing depends on it.
fn sync_unless_cancelled(directory: &Directory, reporter: &dyn Reporter) -> io::Result<()> {
    let same = directory.child(OsStr::new("."))?;
    let (done, wait) = mpsc::channel();
    let sync = move || {
        // Nobody listens any more when a signal was quicker.
        let _ = done.send(same.sync_below());
    };
    if thread::Builder::new().spawn(sync).is_err() {
        return directory.sync_below();
    }
    loop {
        match wait.recv_timeout(PATIENCE) {
            Ok(synced) => return synced,
            Err(mpsc::RecvTimeoutError::Timeout) if reporter.cancelled().is_none() => {}
            Err(_) => return Err(io::ErrorKind::Interrupted.into()),
        }
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
enum MoveProgress {
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
fn made(
    site: &Directory,
    operation: &Operation,
    rooms: &StagingDirectories,
) -> io::Result<MoveProgress> {
    let name = OsStr::new(&operation.name);
    let is_staged = exists(&rooms.new, name)?;
    // Without identities, names have to do; nothing is ever swapped then.
    let is_there = match operation.new {
        Some(new) => identity_of(site, name) == Some(new),
        None => !is_staged && exists(site, name)?,
    };
    let is_away = exists(&rooms.old, name)?;
    Ok(match operation.action {
        Action::Create if !is_staged && is_there => MoveProgress::Created,
        Action::Replace if is_away => MoveProgress::TakenAway { replaced: !is_staged && is_there },
        Action::Replace if operation.new.is_some() && is_there && is_staged => {
            MoveProgress::Swapped
        }
        Action::Remove if is_away && !exists(site, name)? => {
            MoveProgress::TakenAway { replaced: false }
        }
        Action::Create | Action::Replace | Action::Remove => MoveProgress::No,
    })
}

/// What cleaning up after killed runs came to.
#[derive(Debug, Default)]
pub struct Recovery {
    /// Whether there was anything to clean up.
    pub found: bool,
    /// What is left, and why; nothing depends on it.
    pub left: Vec<String>,
    /// Skills whose removal, which a killed run had begun, is complete now.
    pub removed: Vec<String>,
    /// Where directories are kept that somebody edited, by name.
    pub kept: HashMap<String, PathBuf>,
}

/// Cleans up after runs that were killed.
///
/// # Errors
/// What cannot be undone, or belongs to another version of this program; a signal.
pub fn recover(
    site: &Directory,
    site_path: &Path,
    reporter: &dyn Reporter,
    threads: usize,
) -> Result<Recovery> {
    let mut recovery = Recovery::default();
    let left = Staging::left_behind(site, site_path);
    if left.is_empty() {
        return Ok(recovery);
    }
    recovery.found = true;
    reporter.cleaning_up(left.iter().map(Staging::len).sum());
    let watch = Watch::cleaning_up(reporter, threads);
    let done = left
        .into_iter()
        .try_for_each(|staging| recover_one(site, site_path, staging, &watch, &mut recovery));
    reporter.finish();
    if reporter.cancelled().is_some() {
        let message = "interrupted while cleaning up after an earlier run";
        return Err(Error::new(ErrorKind::Io, message).help("the next run does the rest"));
    }
    done.map(|()| recovery)
}

fn recover_one(
    site: &Directory,
    site_path: &Path,
    staging: Staging,
    watch: &Watch<'_>,
    recovery: &mut Recovery,
) -> Result<()> {
    let path = staging.place.join(&staging.name);
    let failed = |reason: &str| {
        let message = format!("cannot clean up after an interrupted run: {reason}");
        Error::new(ErrorKind::Io, message)
            .at(&path)
            .help(format!("what it left is in `{}`", path.display()))
    };
    let system = |error: io::Error| failed(&system_message(&error));
    let done = match Journal::read(&staging.directory).map_err(system)? {
        JournalState::Unknown(reason) => return Err(failed(reason)),
        // Rubbish keeps nobody from anything.
        JournalState::Nothing => staging.erase(watch),
        JournalState::Done(journal) => {
            recovery.removed.extend(removed_by(&journal));
            staging.erase(watch)
        }
        JournalState::Journal(journal) => {
            let undo = exists(&staging.directory, OsStr::new(INDEX)).map_err(system)?;
            let removed = if undo { Vec::new() } else { removed_by(&journal) };
            let Journal { operations, backups, .. } = journal;
            let kept = HashMap::new();
            let mut run = Transaction { site, site_path, staging, backups, operations, kept };
            let done = if undo { run.undo(None, watch) } else { run.finish(true, watch) };
            // Once the journal is gone, everything that matters is done.
            let pending = exists(&run.staging.directory, OsStr::new(JOURNAL)).unwrap_or(true);
            recovery.kept.extend(run.take_kept());
            match done {
                Err(error) if pending => return Err(system(error)),
                other => {
                    recovery.removed.extend(removed);
                    other
                }
            }
        }
    };
    if let Err(error) = done {
        recovery.left.push(format!("`{}`: {}", path.display(), system_message(&error)));
    }
    Ok(())
}

/// Whether a run has left anything that the next one has to clean up.
#[must_use]
pub fn is_pending(site: &Directory, site_path: &Path) -> bool {
    !Staging::left_behind(site, site_path).is_empty()
}

/// The skills that a run removed.
fn removed_by(journal: &Journal) -> Vec<String> {
    let removals = journal.operations.iter().filter(|one| one.action == Action::Remove);
    removals.map(|operation| operation.name.clone()).collect()
}

/// Where skills are that a killed run has moved and the next run will move back: in the directory
/// that is given, or nowhere.
pub type MovedSkills = HashMap<String, Option<Directory>>;

/// What killed runs left, and the next run will clean up.
#[derive(Debug, Default)]
pub struct Leftovers {
    /// What the next run will find elsewhere than it is now.
    pub moved: MovedSkills,
    /// Skills whose removal the next run will complete.
    pub removed: Vec<String>,
}

/// What the next run will find; none when no run was killed.
#[must_use]
pub fn preview(site: &Directory, site_path: &Path) -> Option<Leftovers> {
    let all = Staging::left_behind(site, site_path);
    if all.is_empty() {
        return None;
    }
    let mut left = Leftovers::default();
    for staging in all {
        let journal = match Journal::read(&staging.directory) {
            Ok(JournalState::Journal(journal)) => journal,
            Ok(JournalState::Done(journal)) => {
                left.removed.extend(removed_by(&journal));
                continue;
            }
            Ok(JournalState::Nothing | JournalState::Unknown(_)) | Err(_) => continue,
        };
        if !exists(&staging.directory, OsStr::new(INDEX)).unwrap_or(false) {
            left.removed.extend(removed_by(&journal));
            continue;
        }
        for operation in journal.operations {
            let Ok(rooms) = staging.rooms() else { continue };
            let place = match made(site, &operation, &rooms) {
                Ok(MoveProgress::Created) => None,
                Ok(MoveProgress::Swapped) => Some(rooms.new),
                Ok(MoveProgress::TakenAway { .. }) => Some(rooms.old),
                Ok(MoveProgress::No) | Err(_) => continue,
            };
            left.moved.insert(operation.name, place);
        }
    }
    Some(left)
}

fn exists(directory: &Directory, name: &OsStr) -> io::Result<bool> {
    match directory.kind(name) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The digest of a directory; none for what is not only files and directories.
fn digest_of(directory: &Directory, name: &OsStr) -> io::Result<Option<Digest>> {
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

#[cfg(test)]
#[cfg(unix)]
mod tests;
