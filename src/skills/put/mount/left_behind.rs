//! Removes homes of other runs: those of killed runs, and those that were handed over. It removes
//! only homes that this program created.
//!
//! The record of a killed run is not locked. The next run removes such homes.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::skills::files::content::system_message;
use crate::skills::files::platform::Directory;
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::put::mount::home::{Home, open_own, open_parent};
use crate::skills::put::mount::record::{
    Claim, FoundRecord, GLANCES, HomeFacts, HomeIdentity, HomeRecord, home_of, name_of,
};
use crate::skills::text::clock;

/// Why a directory is not removed.
#[derive(Debug)]
enum Refused {
    /// This program did not create it, for this reason.
    NotAHome(String),
    InUse,
}

/// A home with a record that is not locked yet.
struct UnclaimedHome {
    path: PathBuf,
    parent: Directory,
    seen: FoundRecord,
}

fn system(error: io::Error) -> Refused {
    Refused::NotAHome(system_message(&error))
}

fn not(reason: &str) -> Refused {
    Refused::NotAHome(reason.to_owned())
}

/// Finds the record of a home that may be missing.
fn find(path: &Path) -> Result<UnclaimedHome, Refused> {
    let real = match path.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
                return Err(system(error));
            };
            parent.canonicalize().map_err(system)?.join(name)
        }
        other => other.map_err(system)?,
    };
    let (parent, name) = open_parent(&real).map_err(system)?;
    let seen = FoundRecord::open(&parent, &name).map_err(Refused::NotAHome)?;
    Ok(UnclaimedHome { path: real, parent, seen })
}

/// Locks a home for this process. None if the home is gone; its record is then removed.
fn claim(found: UnclaimedHome, attempts: usize) -> Result<Option<Home>, Refused> {
    let UnclaimedHome { path, parent, seen } = found;
    let record = match seen.claim(&parent, attempts) {
        Claim::Alone(record) => record,
        Claim::Empty => return Ok(None),
        Claim::InUse => return Err(Refused::InUse),
        Claim::Unusable(reason) => return Err(Refused::NotAHome(reason)),
    };
    let name = path.file_name().unwrap_or_default().to_owned();
    let Some(made) = record.facts.home else {
        return forget_unmade(&parent, &name, &record).map(|()| None).map_err(system);
    };
    let directory = match open_own(&parent, &name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return record.remove(&parent).map(|()| None).map_err(system);
        }
        other => other.map_err(system)?,
    };
    if !directory.is_own().map_err(system)? {
        return Err(not("it belongs to another user"));
    }
    if made != HomeIdentity::of(&directory).map_err(system)? {
        return Err(not("another directory has replaced it"));
    }
    let (words, shared, above) = (Vec::new(), None, Vec::new());
    Ok(Some(Home { path, words, parent, name, directory, record, shared, above }))
}

/// Whether neither the home nor its record exists.
fn is_absent(path: &Path) -> bool {
    let is_missing = |path: &Path| {
        path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    };
    let record = path.file_name().map(|name| path.with_file_name(name_of(name)));
    is_missing(path) && record.is_some_and(|record| is_missing(&record))
}

/// Removes the empty directory of a run that was killed before it recorded the directory.
fn forget_unmade(parent: &Directory, name: &OsStr, record: &HomeRecord) -> io::Result<()> {
    let is_own = || parent.child(name).and_then(|directory| directory.is_own());
    if !record.facts.was_there && is_own().unwrap_or(false) {
        let _ = parent.remove_directory(name);
    }
    record.remove(parent)
}

/// The result of removing a home.
#[derive(Debug)]
pub enum Unmounted {
    /// It is gone; with messages about it.
    Removed(Vec<String>),
    /// It was gone before.
    Absent,
}

/// Removes a home, unless it is in use or not ours.
pub fn unmount(path: &Path) -> Result<Unmounted> {
    let refused = |message: String, help: &str| {
        Err(Error::new(ErrorKind::Conflict, message).at(path).help(help))
    };
    let shown = path.display();
    match find(path).and_then(|found| claim(found, GLANCES)) {
        Ok(Some(home)) => home.remove().map(Unmounted::Removed),
        Ok(None) => Ok(Unmounted::Removed(Vec::new())),
        Err(Refused::InUse) => {
            refused(format!("`{shown}` is in use"), "wait until the command in it has ended")
        }
        // Removing it twice is not an error.
        Err(Refused::NotAHome(_)) if is_absent(path) => Ok(Unmounted::Absent),
        Err(Refused::NotAHome(reason)) => refused(
            format!("`{shown}` is not a home that `skills mount` made: {reason}"),
            "nothing was removed",
        ),
    }
}

/// What was found at the path for a new home.
pub(super) enum ClearOutcome {
    /// The home of a killed run, now removed, with messages.
    Gone(Vec<String>),
    /// A home that is in use.
    InUse,
    /// Something else, which stays.
    Stays,
}

/// Removes the home of a killed run at this path.
pub(super) fn remove(path: &Path) -> Result<ClearOutcome> {
    match find(path) {
        Ok(found) if is_left(found.seen.facts.as_ref(), None) => match claim(found, GLANCES) {
            Ok(Some(home)) if home.record.facts.temporary => home.remove().map(ClearOutcome::Gone),
            Ok(None) => Ok(ClearOutcome::Gone(Vec::new())),
            Err(Refused::InUse) => Ok(ClearOutcome::InUse),
            Ok(Some(_)) | Err(Refused::NotAHome(_)) => Ok(ClearOutcome::Stays),
        },
        Ok(_) | Err(_) => Ok(ClearOutcome::Stays),
    }
}

/// Whether to remove an unused home: one of a killed run, or one that was handed over and is older
/// than the given age.
fn is_left(facts: Option<&HomeFacts>, older_than: Option<Duration>) -> bool {
    facts.is_none_or(|facts| {
        let age = clock::now().as_secs().saturating_sub(facts.created);
        facts.temporary || older_than.is_some_and(|most| age >= most.as_secs())
    })
}

/// The result of removing old homes.
#[derive(Debug, Default)]
pub struct Reaped {
    /// Removed homes.
    pub gone: Vec<PathBuf>,
    /// Messages about removed homes.
    pub words: Vec<String>,
    /// Homes that could not be removed, with reasons.
    pub problems: Vec<Error>,
}

/// Removes homes of killed runs in a temporary directory, and with an age, also homes that were
/// handed over and are older.
pub fn reap(directory: &Path, older_than: Option<Duration>) -> Reaped {
    let mut reaped = Reaped::default();
    let Ok(entries) = directory.read_dir() else { return reaped };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(home) = home_of(&name) else { continue };
        let path = directory.join(home);
        // Do not lock a home that stays: another process may be about to use it.
        let Some(found) =
            find(&path).ok().filter(|found| is_left(found.seen.facts.as_ref(), older_than))
        else {
            continue;
        };
        // The home may have been handed over in the meantime.
        let claimed = claim(found, 1).ok().flatten();
        let Some(home) = claimed.filter(|home| is_left(Some(&home.record.facts), older_than))
        else {
            continue;
        };
        match home.remove() {
            Ok(words) => {
                reaped.gone.push(path);
                reaped.words.extend(words);
            }
            Err(error) => reaped.problems.push(error),
        }
    }
    reaped.gone.sort_unstable();
    reaped
}
