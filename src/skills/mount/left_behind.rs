//! Homes of other runs: those that were killed, and those that were left to somebody. Only what was
//! made here is ever removed.
//!
//! A home whose run was killed has a marker and a free lock, and is removed by the next run.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::skills::clock;
use crate::skills::content::system_message;
use crate::skills::environment::Environment;
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::mount::home::{
    Home, LOCK, MARKER, Marker, NEW_MARKER, PAUSE, SUFFIX, VERSION, open_parent,
};
use crate::skills::order;
use crate::skills::platform::{Directory, FileIdentity, FileKind};

/// How often a lock is tried that somebody may only be looking at.
const GLANCES: usize = 10;
/// A home that has not said what it is for this long never will.
const BIRTH: Duration = Duration::from_secs(60);

/// Why a directory is not removed.
#[derive(Debug)]
enum Refused {
    /// It was not made here, for this reason.
    NotAHome(String),
    /// Somebody uses it.
    InUse,
    /// It has not said what it is.
    Unborn,
}

/// A directory that may be a home, before anybody has locked it.
struct Seen {
    path: PathBuf,
    parent: Directory,
    directory: Directory,
    lock: File,
}

fn system(error: io::Error) -> Refused {
    Refused::NotAHome(system_message(&error))
}

fn not(reason: &str) -> Refused {
    Refused::NotAHome(reason.to_owned())
}

/// Opens what may be a home.
fn look(path: &Path) -> Result<Seen, Refused> {
    let path = path.canonicalize().map_err(system)?;
    let (parent, name) = open_parent(&path).map_err(system)?;
    let directory = open_own(&parent, &name).map_err(system)?;
    if !directory.is_own().map_err(system)? {
        return Err(not("it belongs to somebody else"));
    }
    let lock = match directory.kind(OsStr::new(LOCK)) {
        Ok(FileKind::Regular) => directory.file(OsStr::new(LOCK)).map_err(system)?,
        _ => return Err(not("it has no marker")),
    };
    Ok(Seen { path, parent, directory, lock })
}

/// Reads the marker of a home.
fn marker(directory: &Directory) -> Result<Marker, Refused> {
    let mut bytes = Vec::new();
    match directory.file(OsStr::new(MARKER)) {
        Ok(file) if file.metadata().is_ok_and(|data| data.is_file()) => {
            file.take(1024 * 1024).read_to_end(&mut bytes).map_err(system)?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Refused::Unborn),
        Ok(_) => return Err(not("its marker is no file")),
        Err(error) => return Err(system(error)),
    }
    let marker: Marker =
        serde_json::from_slice(&bytes).map_err(|_| not("its marker says nothing"))?;
    let identity = directory.identity().map_err(system)?.map(FileIdentity::numbers);
    if marker.version != VERSION || marker.home != identity {
        return Err(not("its marker is that of another home"));
    }
    Ok(marker)
}

/// Locks a home that was made here; tries this often, for others may only be looking at it.
fn claim(seen: Seen, attempts: usize) -> Result<Home, Refused> {
    let Seen { path, parent, directory, lock } = seen;
    for attempt in 1.. {
        match lock.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if attempt < attempts => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Err(Refused::InUse),
            Err(TryLockError::Error(error)) => return Err(system(error)),
        }
    }
    let marker = marker(&directory)?;
    let name = path.file_name().unwrap_or_default().to_owned();
    Ok(Home { path, parent, name, directory, marker, lock, above: Vec::new() })
}

/// Opens a directory that its owner may have closed to itself.
fn open_own(parent: &Directory, name: &OsStr) -> io::Result<Directory> {
    match parent.child(name) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            parent.unlock(name)?;
            parent.child(name)
        }
        other => other,
    }
}

/// Removes a home, unless it is in use or was not made here.
///
/// # Errors
/// What is no home, or in use; and what keeps it from being removed.
pub fn unmount(path: &Path, environment: &Environment) -> Result<()> {
    let refused = |message: String, help: &str| {
        Err(Error::new(ErrorKind::Conflict, message).at(path).help(help))
    };
    let shown = path.display();
    match look(path).and_then(|seen| claim(seen, GLANCES)) {
        Ok(home) => home.remove(environment),
        Err(Refused::InUse) => {
            refused(format!("`{shown}` is in use"), "wait until the command in it has ended")
        }
        Err(Refused::NotAHome(reason)) => refused(
            format!("`{shown}` is not a home that `skills mount` made: {reason}"),
            "nothing was removed",
        ),
        Err(Refused::Unborn) if remove_unborn(path).is_ok_and(|gone| gone) => Ok(()),
        Err(Refused::Unborn) => refused(
            format!("`{shown}` is not a home that `skills mount` made: it has no marker"),
            "nothing was removed",
        ),
    }
}

/// What became of what lay where a home is to be.
pub(super) enum Left {
    /// It was left by a run that was killed, and is gone.
    Gone,
    /// It is a home that somebody uses.
    InUse,
    /// It is something else, and stays.
    Stays,
}

/// Removes what a killed run may have left at a place.
pub(super) fn remove(path: &Path, environment: &Environment) -> Result<Left> {
    match look(path).and_then(|seen| claim(seen, GLANCES)) {
        Ok(home) if home.marker.temporary => home.remove(environment).map(|()| Left::Gone),
        Err(Refused::Unborn) if remove_unborn(path).is_ok_and(|gone| gone) => Ok(Left::Gone),
        Err(Refused::InUse) => Ok(Left::InUse),
        Ok(_) | Err(_) => Ok(Left::Stays),
    }
}

/// What became of homes that were left behind.
#[derive(Debug, Default)]
pub struct Reaped {
    /// They are gone.
    pub gone: Vec<PathBuf>,
    /// They could not be removed, for these reasons.
    pub problems: Vec<Error>,
}

/// Removes homes in a temporary directory whose run was killed, and with an age, homes that were
/// left to somebody and are older.
#[must_use]
pub fn reap(directory: &Path, older_than: Option<Duration>, environment: &Environment) -> Reaped {
    let mut reaped = Reaped::default();
    let Ok(entries) = directory.read_dir() else { return reaped };
    let is_left = |marker: &Marker| {
        let age = clock::now().as_secs().saturating_sub(marker.created);
        marker.temporary || older_than.is_some_and(|most| age >= most.as_secs())
    };
    for entry in entries.flatten() {
        let is_named_so = entry.file_name().as_encoded_bytes().ends_with(SUFFIX.as_bytes());
        if !is_named_so || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let path = entry.path();
        let seen = look(&path).and_then(|seen| Ok((marker(&seen.directory)?, seen)));
        match seen {
            // The lock of a home that is not to go is not touched: somebody may be about to use it.
            Ok((marker, _)) if !is_left(&marker) => {}
            Ok((_, seen)) => {
                // What was left to somebody since it was looked at stays.
                let Some(home) = claim(seen, 1).ok().filter(|home| is_left(&home.marker)) else {
                    continue;
                };
                match home.remove(environment) {
                    Ok(()) => reaped.gone.push(path),
                    Err(error) => reaped.problems.push(error),
                }
            }
            // Its run was killed before it had said anything.
            Err(_) => {
                if remove_unborn(&path).is_ok_and(|gone| gone) {
                    reaped.gone.push(path);
                }
            }
        }
    }
    order::sort(&mut reaped.gone);
    reaped
}

/// Removes what a run that was killed at once has left: this user's, old enough, and nothing in it
/// but what every home has first.
fn remove_unborn(path: &Path) -> io::Result<bool> {
    let (parent, name) = open_parent(path)?;
    let directory = parent.child(&name)?;
    let age = SystemTime::now().duration_since(path.metadata()?.modified()?);
    if !directory.is_own()? || age.is_ok_and(|age| age < BIRTH) {
        return Ok(false);
    }
    let entries = directory.entries()?;
    let first = [LOCK, NEW_MARKER].map(OsStr::new);
    if !entries.iter().all(|(name, _)| first.contains(&name.as_os_str())) {
        return Ok(false);
    }
    // A run that sleeps is not dead.
    let is_held = |lock: File| matches!(lock.try_lock(), Err(TryLockError::WouldBlock));
    if directory.file(OsStr::new(LOCK)).is_ok_and(is_held) {
        return Ok(false);
    }
    for (name, _) in entries {
        directory.remove_file(&name)?;
    }
    parent.remove_directory(&name)?;
    Ok(true)
}
