//! Moves skills out of the agents' sight, and back.
//!
//! A disabled skill waits beside its skills directory ([`disabled`]), with its edits. Its place alone
//! says that it is disabled, and records stay as they are. All moves in one skills directory are one
//! transaction: if the run is killed, the next run moves all of them back, or none.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::skills::files::content::{OpenDirectory, system_message};
use crate::skills::files::digest::Tree;
use crate::skills::files::{Directory, FileKind};
use crate::skills::find::disabled;
use crate::skills::find::record::{Index, InstallRecord};
use crate::skills::find::scan::skill_md;
use crate::skills::model::error::{Error, Result};
use crate::skills::model::name::SkillName;
use crate::skills::model::reporter::Reporter;
use crate::skills::model::source::{RecordedKind, SkillKind};
use crate::skills::put::install::chosen::unknown;
use crate::skills::put::install::journal::Action;
use crate::skills::put::install::plan::{Conflict, Reason};
use crate::skills::put::install::site::{self, Site};
use crate::skills::put::install::transaction::Transaction;
use crate::skills::put::install::watch::Watch;
use crate::skills::put::install::{
    Done, InstallNotice, InstallOptions, InstallSummary, SkillOutcome, VersionChange, apply,
    destination, link, note, real_paths, recovered,
};

/// The direction of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// Out of the agents' sight.
    Disable,
    /// Back into the skills directory.
    Enable,
}

/// Disables or enables skills in all of the directories that have them. If one cannot be moved, the
/// others are moved back.
pub fn switch(
    names: &[SkillName],
    directories: &[PathBuf],
    switch: Switch,
    options: &InstallOptions,
    reporter: &dyn Reporter,
) -> Result<InstallSummary> {
    let mut report = InstallSummary::default();
    let paths = real_paths(directories);
    for (named, real) in &paths {
        destination::refuse_outside(named, real, options.within.as_deref())?;
    }
    require_somewhere(names, &paths, directories)?;
    // Do not lock directories without any of them.
    let is_concerned = |(_, real): &&(PathBuf, PathBuf)| names.iter().any(|name| is_at(real, name));
    let concerned: Vec<PathBuf> =
        paths.iter().filter(is_concerned).map(|(named, _)| named.clone()).collect();
    if options.dry_run {
        for (named, real) in paths.iter().filter(is_concerned) {
            let Some((_, directory)) = site::existing_directory(named)? else { continue };
            note(named, real, &mut report);
            plan(&directory, real, names, switch, &mut report)?;
        }
        return Ok(report);
    }
    let sites = Site::open_all(&concerned, options.lock_timeout, options.threads, reporter)?;
    let mut plans: Vec<(&Site, Vec<PlannedMove>)> = Vec::new();
    for site in &sites {
        destination::refuse_outside(&site.named, &site.path, options.within.as_deref())?;
        note(&site.named, &site.path, &mut report);
        report.notices.extend(recovered(site));
        plans.push((site, plan(&site.directory, &site.path, names, switch, &mut report)?));
    }
    if report.conflicts.is_empty() {
        report.notices.extend(apply(&plans, options, reporter)?);
    }
    Ok(report)
}

/// A skill to move.
type PlannedMove = (SkillName, Action);

/// All skills of the directories that can be disabled: directories with a `SKILL.md`, and links of
/// ours.
pub fn enabled_names(directories: &[PathBuf]) -> Vec<SkillName> {
    let mut names = Vec::new();
    for (_, real) in real_paths(directories) {
        let Ok(directory) = Directory::open(&real) else { continue };
        let index = Index::read(&directory, &real).unwrap_or_default();
        for (name, kind) in directory.entries().unwrap_or_default() {
            let entries = || directory.child(&name).and_then(|child| child.entries());
            let Some(valid) = name.to_str().and_then(|name| SkillName::new(name).ok()) else {
                continue;
            };
            let is_skill = match kind {
                FileKind::Directory => entries().is_ok_and(|there| skill_md(&there).is_some()),
                _ => link::is_link(&directory, &index, &valid),
            };
            names.extend(is_skill.then_some(valid));
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// All disabled skills of the directories.
pub fn disabled_names(directories: &[PathBuf]) -> Result<Vec<SkillName>> {
    let mut names = Vec::new();
    for (_, real) in real_paths(directories) {
        names.extend(disabled::names(&real)?);
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// The skills to move, and the outcome of each. Conflicts go into the report.
fn plan(
    directory: &Directory,
    path: &Path,
    names: &[SkillName],
    switch: Switch,
    report: &mut InstallSummary,
) -> Result<Vec<PlannedMove>> {
    let room = disabled::open(path)?;
    let index = Index::read(directory, path)?;
    let mut moves = Vec::new();
    for name in names {
        let here = kind_in(directory, name).map_err(|error| Error::io("read", path, &error))?;
        let away = match &room {
            Some(room) => kind_in(room, name).map_err(|error| disabled::unusable(path, &error))?,
            None => None,
        };
        let at = path.join(name.as_str());
        let away_at = || disabled::room_path(path).unwrap_or_default().join(name.as_str());
        let record = index.records.get(name);
        let can_move = |kind: FileKind| match kind {
            FileKind::Directory => true,
            // What others have linked stays where they know it.
            FileKind::Symlink => record.is_some_and(|record| record.linked),
            FileKind::Regular | FileKind::Special(_) => false,
        };
        let conflict = |path: PathBuf, reason: Reason| Conflict::new(path, reason, record);
        let (from, action) = match (switch, here, away) {
            (_, Some(_), Some(_)) => {
                report.conflicts.push(conflict(at, Reason::Twice(away_at())));
                continue;
            }
            (Switch::Disable, None, Some(_)) | (Switch::Enable, Some(_), None) => (directory, None),
            (Switch::Disable, Some(kind), None) if can_move(kind) => {
                (directory, Some(Action::Disable))
            }
            (Switch::Enable, None, Some(kind)) if can_move(kind) => {
                (room.as_ref().unwrap_or(directory), Some(Action::Enable))
            }
            (Switch::Disable, Some(kind), None) => {
                report.conflicts.push(conflict(at, Reason::NotADirectory(kind)));
                continue;
            }
            (Switch::Enable, None, Some(kind)) => {
                report.conflicts.push(conflict(away_at(), Reason::NotADirectory(kind)));
                continue;
            }
            (_, None, None) => continue,
        };
        moves.extend(action.map(|action| (name.clone(), action)));
        let done = match action {
            Some(Action::Disable) => Done::Disabled,
            Some(_) => Done::Enabled,
            None => Done::Unchanged,
        };
        report.outcomes.push(outcome(from, path, name, done, record));
    }
    Ok(moves)
}

fn outcome(
    from: &Directory,
    path: &Path,
    name: &SkillName,
    action: Done,
    record: Option<&InstallRecord>,
) -> SkillOutcome {
    let read = || -> io::Result<Tree> {
        let directory = from.child(OsStr::new(name.as_str()))?;
        let entries = directory.entries()?;
        Tree::of_directory(&OpenDirectory { directory, entries }, &|_, _| false)
    };
    let tree = read().unwrap_or_default();
    SkillOutcome {
        name: name.to_string(),
        folder: None,
        path: path.join(name.as_str()),
        source: record.map(|record| record.source.clone()).unwrap_or_default(),
        kind: record
            .map_or(RecordedKind::Known(SkillKind::Directory), |record| record.kind.clone()),
        action,
        files: tree.files.len(),
        bytes: tree.bytes(),
        digest: record.map(|record| record.digest),
        backup: None,
        version: VersionChange::default(),
    }
}

/// Makes the moves of all skills directories, or none of them.
fn apply(
    plans: &[(&Site, Vec<PlannedMove>)],
    options: &InstallOptions,
    reporter: &dyn Reporter,
) -> Result<Vec<InstallNotice>> {
    let mut transactions: Vec<(&Site, Transaction<'_>)> = Vec::new();
    let made = (|| {
        for (site, moves) in plans.iter().filter(|(_, moves)| !moves.is_empty()) {
            transactions.push((*site, Transaction::begin(site)?));
            let Some((_, transaction)) = transactions.last_mut() else { continue };
            for (name, action) in moves {
                transaction.add_switch(name, *action)?;
            }
            transaction.prepare_switches(options.sync, reporter)?;
        }
        if reporter.cancelled().is_some() {
            return Err(Error::interrupted());
        }
        transactions.iter().try_for_each(|(_, transaction)| transaction.commit())?;
        transactions.iter().try_for_each(|(_, transaction)| transaction.publish_switches())
    })();
    match made {
        Ok(()) => {
            let watch = Watch::cleaning_up(reporter, options.threads);
            let finish = |(site, mut transaction): (&Site, Transaction<'_>)| {
                let error = transaction.finish(options.sync, &watch).err()?;
                Some(InstallNotice::NotCleaned(site.path.clone(), system_message(&error)))
            };
            Ok(transactions.into_iter().filter_map(finish).collect())
        }
        Err(error) => {
            let watch = Watch::undoing(reporter, options.threads);
            let transactions = transactions.into_iter().map(|(_, one)| (one, None)).collect();
            Err(apply::undo(error, transactions, &watch))
        }
    }
}

fn kind_in(directory: &Directory, name: &SkillName) -> io::Result<Option<FileKind>> {
    match directory.kind(OsStr::new(name.as_str())) {
        Ok(kind) => Ok(Some(kind)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a skills directory has a skill, enabled or disabled.
pub fn is_at(site: &Path, name: &SkillName) -> bool {
    let room = disabled::room_path(site);
    [Some(site.to_owned()), room]
        .into_iter()
        .flatten()
        .any(|directory| directory.join(name.as_str()).symlink_metadata().is_ok())
}

/// Checks that at least one directory has each skill.
fn require_somewhere(
    names: &[SkillName],
    paths: &[(PathBuf, PathBuf)],
    directories: &[PathBuf],
) -> Result<()> {
    let is_missing = |name: &&SkillName| !paths.iter().any(|(_, real)| is_at(real, name));
    let Some(missing) = names.iter().find(is_missing) else { return Ok(()) };
    let known: HashSet<SkillName> =
        enabled_names(directories).into_iter().chain(disabled_names(directories)?).collect();
    let existing: Vec<PathBuf> = directories.iter().filter(|path| path.exists()).cloned().collect();
    let shown = if existing.is_empty() { directories } else { &existing };
    Err(unknown(missing, known.iter().map(ToString::to_string), shown))
}
