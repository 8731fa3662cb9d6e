//! Homes of other runs: those that were killed, and those that were left to somebody. Only what was
//! made here is ever removed.
//!
//! A home whose run was killed has a record that nobody holds, and is removed by the next run.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::skills::files::content::system_message;
use crate::skills::files::platform::Directory;
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::put::mount::home::{Home, open_own, open_parent};
use crate::skills::put::mount::record::{
    Claim, FoundRecord, GLANCES, HomeFacts, HomeIdentity, HomeRecord, home_of,
};
use crate::skills::text::clock;

/// Why a directory is not removed.
#[derive(Debug)]
enum Refused {
    /// It was not made here, for this reason.
    NotAHome(String),
    /// Somebody uses it.
    InUse,
}

/// A home that has a record, before anybody has claimed it.
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

/// Finds the record of a home, which may be gone itself.
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

/// Has a home for this process alone. Nothing when there is no home, whose record is gone then.
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
        return Err(not("it belongs to somebody else"));
    }
    if made != HomeIdentity::of(&directory).map_err(system)? {
        return Err(not("another directory lies there now"));
    }
    let (words, shared, above) = (Vec::new(), None, Vec::new());
    Ok(Some(Home { path, words, parent, name, directory, record, shared, above }))
}

/// Removes what is left of a run that was killed before it had said which directory it made: one
/// that is empty at most.
fn forget_unmade(parent: &Directory, name: &OsStr, record: &HomeRecord) -> io::Result<()> {
    let is_own = || parent.child(name).and_then(|directory| directory.is_own());
    if !record.facts.was_there && is_own().unwrap_or(false) {
        let _ = parent.remove_directory(name);
    }
    record.remove(parent)
}

/// Removes a home, unless it is in use or was not made here. Returns what there is to say.
///
/// # Errors
/// What is no home, or in use; and what keeps it from being removed.
pub fn unmount(path: &Path) -> Result<Vec<String>> {
    let refused = |message: String, help: &str| {
        Err(Error::new(ErrorKind::Conflict, message).at(path).help(help))
    };
    let shown = path.display();
    match find(path).and_then(|found| claim(found, GLANCES)) {
        Ok(Some(home)) => home.remove(),
        Ok(None) => Ok(Vec::new()),
        Err(Refused::InUse) => {
            refused(format!("`{shown}` is in use"), "wait until the command in it has ended")
        }
        Err(Refused::NotAHome(reason)) => refused(
            format!("`{shown}` is not a home that `skills mount` made: {reason}"),
            "nothing was removed",
        ),
    }
}

/// What became of what lay where a home is to be.
pub(super) enum ClearOutcome {
    /// It was left by a run that was killed, and is gone; this is to be said about it.
    Gone(Vec<String>),
    /// It is a home that somebody uses.
    InUse,
    /// It is something else, and stays.
    Stays,
}

/// Removes what a killed run may have left at a place.
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

/// Whether a home goes when nobody uses it: those of killed runs, and with an age, those that were
/// left to somebody and are older.
fn is_left(facts: Option<&HomeFacts>, older_than: Option<Duration>) -> bool {
    facts.is_none_or(|facts| {
        let age = clock::now().as_secs().saturating_sub(facts.created);
        facts.temporary || older_than.is_some_and(|most| age >= most.as_secs())
    })
}

/// What became of homes that were left behind.
#[derive(Debug, Default)]
pub struct Reaped {
    /// They are gone.
    pub gone: Vec<PathBuf>,
    /// What there is to say about those that are gone.
    pub words: Vec<String>,
    /// They could not be removed, for these reasons.
    pub problems: Vec<Error>,
}

/// Removes homes in a temporary directory whose run was killed, and with an age, homes that were
/// left to somebody and are older.
#[must_use]
pub fn reap(directory: &Path, older_than: Option<Duration>) -> Reaped {
    let mut reaped = Reaped::default();
    let Ok(entries) = directory.read_dir() else { return reaped };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(home) = home_of(&name) else { continue };
        let path = directory.join(home);
        // The lock of a home that is not to go is not touched: somebody may be about to use it.
        let Some(found) =
            find(&path).ok().filter(|found| is_left(found.seen.facts.as_ref(), older_than))
        else {
            continue;
        };
        // What was left to somebody since it was looked at stays.
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
    reaped.gone.sort();
    reaped
}
