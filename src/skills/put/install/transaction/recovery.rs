//! Cleans up after killed runs, and predicts the result for dry runs.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::skills::files::Directory;
use crate::skills::files::content::system_message;
use crate::skills::find::disabled;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::reporter::Reporter;
use crate::skills::put::install::journal::{Action, JOURNAL, Journal, JournalState, Operation};
use crate::skills::put::install::staging::Staging;
use crate::skills::put::install::transaction::moves::{MoveProgress, exists, progress_of};
use crate::skills::put::install::transaction::{INDEX, Transaction, switching};
use crate::skills::put::install::watch::Watch;

/// The result of cleaning up after killed runs.
#[derive(Debug, Default)]
pub struct Recovery {
    /// Whether there was anything to clean up.
    pub found: bool,
    /// Leftovers that could not be removed, and why. They are harmless.
    pub left: Vec<String>,
    /// Skills that a killed run had begun to remove, and that are removed now.
    pub removed: Vec<String>,
    /// The backups of edited skills, by name.
    pub kept: HashMap<String, PathBuf>,
}

/// Cleans up after killed runs.
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
    switching::remove_empty_room(site_path);
    reporter.finish();
    if reporter.cancelled().is_some() {
        return Err(err!(Io, "interrupted while cleaning up after an earlier run")
            .help("the next run finishes this"));
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
        err!(Io, "cannot clean up after an interrupted run: {reason}")
            .at(&path)
            .help(format!("its files are in `{}`", path.display()))
    };
    let system = |error: io::Error| failed(&system_message(&error));
    let done = match Journal::read(&staging.directory).map_err(system)? {
        JournalState::Unknown(reason) => return Err(failed(reason)),
        // Without a journal, nothing was moved.
        JournalState::Nothing => staging.erase(watch),
        JournalState::Done(journal) => {
            recovery.removed.extend(removed_by(&journal));
            staging.erase(watch)
        }
        JournalState::Journal(journal) => {
            let undo = exists(&staging.directory, OsStr::new(INDEX)).map_err(system)?;
            let removed = if undo { Vec::new() } else { removed_by(&journal) };
            let Journal { operations, backups, .. } = journal;
            let concerns_disabled = operations.iter().any(Operation::concerns_disabled);
            let disabled = concerns_disabled.then(|| switching::make_room(site_path)).transpose();
            let disabled = disabled.map_err(|error| {
                let error = disabled::unusable(site_path, &error);
                Error { help: error.help, ..failed(&error.message) }
            })?;
            let kept = HashMap::new();
            let mut run =
                Transaction { site, site_path, staging, backups, operations, disabled, kept };
            let done = if undo { run.undo(None, watch) } else { run.finish(true, watch) };
            // Once the journal is gone, only garbage is left.
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

/// Whether a killed run left anything to clean up.
pub fn is_pending(site: &Directory, site_path: &Path) -> bool {
    !Staging::left_behind(site, site_path).is_empty()
}

/// The skills that a run removed.
fn removed_by(journal: &Journal) -> Vec<String> {
    let removals = journal.operations.iter().filter(|one| one.action == Action::Remove);
    removals.map(|operation| operation.name.clone()).collect()
}

/// The skills that a killed run moved and the next run will move back, by name.
pub type MovedSkills = HashMap<String, MovedSkill>;

/// A skill that a killed run moved.
#[derive(Debug)]
pub struct MovedSkill {
    /// The directory that contains it now; none if it will be gone.
    pub from: Option<Directory>,
    /// Whether it will be disabled.
    pub to_disabled: bool,
}

/// The leftovers of killed runs, which the next run will clean up.
#[derive(Debug, Default)]
pub struct Leftovers {
    /// Skills that the next run will move back.
    pub moved: MovedSkills,
    /// Skills whose removal the next run will complete.
    pub removed: Vec<String>,
}

/// Predicts what the next run will find; none if no run was killed.
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
            let to_disabled = operation.disabled;
            let (Ok(site), Ok(room)) = (site.child(OsStr::new(".")), disabled::open(site_path))
            else {
                continue;
            };
            if operation.action.is_switch() {
                let Some(room) = room else { continue };
                let (origin, other) = if to_disabled { (room, site) } else { (site, room) };
                if switching::is_switched(&origin, &other, &operation).unwrap_or(false) {
                    left.moved
                        .insert(operation.name, MovedSkill { from: Some(other), to_disabled });
                }
                continue;
            }
            let Some(origin) = (if to_disabled { room } else { Some(site) }) else { continue };
            let Ok(rooms) = staging.rooms() else { continue };
            let from = match progress_of(&origin, &operation, &rooms) {
                Ok(MoveProgress::Created) => None,
                Ok(MoveProgress::Swapped) => Some(rooms.new),
                Ok(MoveProgress::TakenAway { .. }) => Some(rooms.old),
                Ok(MoveProgress::No) | Err(_) => continue,
            };
            left.moved.insert(operation.name, MovedSkill { from, to_disabled });
        }
    }
    Some(left)
}
