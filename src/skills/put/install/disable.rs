//! Moves skills out of the agents' sight, and back.
//!
//! A disabled skill waits beside its skills directory ([`disabled`]), with its edits. Its place alone
//! says that it is disabled, and each move is one rename under the lock of the skills directory. So a
//! killed run loses nothing: each skill is enabled or disabled, and the same command does the rest.
//! Records stay as they are.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::chosen::unknown;
use super::{Done, InstallOptions, InstallSummary, SkillOutcome, note, real_paths};
use crate::skills::files::directory::OpenDirectory;
use crate::skills::files::own_names::DISABLED;
use crate::skills::files::platform::{Directory, FileKind};
use crate::skills::files::tree::Tree;
use crate::skills::find::disabled;
use crate::skills::find::record::Index;
use crate::skills::find::scan::skill_md;
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::name::SkillName;
use crate::skills::model::reporter::Reporter;
use crate::skills::model::source::{RecordedKind, SkillKind};
use crate::skills::put::install::destination;
use crate::skills::put::install::plan::{Conflict, Reason};
use crate::skills::put::install::site::{self, Site};

/// The mode of the directories for disabled skills, before the umask.
const MODE: u32 = 0o755;

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
///
/// # Errors
/// A skill that no directory has, and any failure to move.
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
    let mut moves: Vec<(&Site, SkillName)> = Vec::new();
    for site in &sites {
        destination::refuse_outside(&site.named, &site.path, options.within.as_deref())?;
        note(&site.named, &site.path, &mut report);
        let planned = plan(&site.directory, &site.path, names, switch, &mut report)?;
        moves.extend(planned.into_iter().map(|name| (site, name)));
    }
    if reporter.cancelled().is_some() {
        return Err(Error::interrupted());
    }
    if report.conflicts.is_empty() {
        apply(&moves, switch, options.sync)?;
    }
    Ok(report)
}

/// All skills of the directories that can be disabled: directories with a `SKILL.md`.
#[must_use]
pub fn enabled_names(directories: &[PathBuf]) -> Vec<SkillName> {
    let mut names = Vec::new();
    for (_, real) in real_paths(directories) {
        let Ok(directory) = Directory::open(&real) else { continue };
        for (name, kind) in directory.entries().unwrap_or_default() {
            let entries = || directory.child(&name).and_then(|child| child.entries());
            let valid = name.to_str().and_then(|name| SkillName::new(name).ok());
            if let Some(valid) = valid
                && kind == FileKind::Directory
                && entries().is_ok_and(|entries| skill_md(&entries).is_some())
            {
                names.push(valid);
            }
        }
    }
    names.sort();
    names.dedup();
    names
}

/// All disabled skills of the directories.
#[must_use]
pub fn disabled_names(directories: &[PathBuf]) -> Vec<SkillName> {
    let paths = real_paths(directories);
    let mut names: Vec<SkillName> =
        paths.iter().flat_map(|(_, real)| disabled::names(real)).collect();
    names.sort();
    names.dedup();
    names
}

/// The skills to move, and the outcome of each. Conflicts go into the report.
fn plan(
    directory: &Directory,
    path: &Path,
    names: &[SkillName],
    switch: Switch,
    report: &mut InstallSummary,
) -> Result<Vec<SkillName>> {
    let room = disabled::open(path).map_err(|error| unusable(path, &error))?;
    let index = Index::read(directory, path)?;
    let mut moves = Vec::new();
    for name in names {
        let here = kind_in(directory, name).map_err(|error| Error::io("read", path, &error))?;
        let away = match &room {
            Some(room) => kind_in(room, name).map_err(|error| unusable(path, &error))?,
            None => None,
        };
        let at = path.join(name.as_str());
        let (from, action) = match (switch, here, away) {
            (Switch::Disable, Some(FileKind::Directory), None) => (directory, Done::Disabled),
            (Switch::Disable, None, Some(_)) | (Switch::Enable, Some(_), None) => {
                (directory, Done::Unchanged)
            }
            (Switch::Disable, Some(kind), None) => {
                report.conflicts.push(Conflict { path: at, reason: Reason::NotADirectory(kind) });
                continue;
            }
            (Switch::Enable, None, Some(FileKind::Directory)) => {
                (room.as_ref().unwrap_or(directory), Done::Enabled)
            }
            (_, Some(_), Some(_)) | (Switch::Enable, None, Some(_)) => {
                let other = disabled::room_path(path).unwrap_or_default().join(name.as_str());
                report.conflicts.push(Conflict { path: at, reason: Reason::Twice(other) });
                continue;
            }
            (_, None, None) => continue,
        };
        let moved = matches!(action, Done::Disabled | Done::Enabled);
        if moved {
            moves.push(name.clone());
        }
        report.outcomes.push(outcome(from, path, name, action, &index));
    }
    Ok(moves)
}

fn outcome(
    from: &Directory,
    path: &Path,
    name: &SkillName,
    action: Done,
    index: &Index,
) -> SkillOutcome {
    let read = || -> io::Result<Tree> {
        let directory = from.child(OsStr::new(name.as_str()))?;
        let entries = directory.entries()?;
        Tree::of_directory(&OpenDirectory { directory, entries }, &|_, _| false)
    };
    let tree = read().unwrap_or_default();
    let record = index.records.get(name);
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
    }
}

/// Makes the moves, or none of them.
fn apply(moves: &[(&Site, SkillName)], switch: Switch, sync: bool) -> Result<()> {
    let mut made: Vec<(&Site, Directory, &SkillName)> = Vec::new();
    let done = moves.iter().try_for_each(|(site, name)| {
        let room = match switch {
            Switch::Disable => make_room(&site.path),
            Switch::Enable => disabled::open(&site.path)
                .and_then(|room| room.ok_or_else(|| io::ErrorKind::NotFound.into())),
        };
        let room = room.map_err(|error| unusable(&site.path, &error))?;
        let (from, to) = direction(switch, &site.directory, &room);
        move_one(from, to, name)
            .map_err(|error| Error::writing("move", site.path.join(name.as_str()), &error))?;
        made.push((site, room, name));
        Ok(())
    });
    if done.is_err() {
        for (site, room, name) in made.iter().rev() {
            let (from, to) = direction(switch, &site.directory, room);
            let _ = move_one(to, from, name);
        }
    }
    for (site, room, _) in &made {
        if sync {
            let _ = room.sync().and_then(|()| site.directory.sync());
        }
        remove_empty_room(&site.path);
    }
    done
}

const fn direction<'a>(
    switch: Switch,
    site: &'a Directory,
    room: &'a Directory,
) -> (&'a Directory, &'a Directory) {
    match switch {
        Switch::Disable => (site, room),
        Switch::Enable => (room, site),
    }
}

/// Moves one skill. A read-only one must be writable for that, because its `..` changes.
fn move_one(from: &Directory, to: &Directory, name: &SkillName) -> io::Result<()> {
    let name = OsStr::new(name.as_str());
    match from.rename_new(name, to, name) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            from.child(name)?.set_writable(true)?;
            let moved = from.rename_new(name, to, name);
            let place = if moved.is_ok() { to } else { from };
            let _ = place.child(name).and_then(|child| child.set_writable(false));
            moved
        }
        other => other,
    }
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
fn remove_empty_room(site: &Path) {
    let Some((parent, name)) = site.parent().zip(disabled::room_name(site)) else { return };
    let Ok(parent) = Directory::open(parent) else { return };
    if let Ok(all) = parent.child(OsStr::new(DISABLED))
        && all.remove_directory(&name).is_ok()
    {
        let _ = parent.remove_directory(OsStr::new(DISABLED));
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
fn is_at(site: &Path, name: &SkillName) -> bool {
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
        enabled_names(directories).into_iter().chain(disabled_names(directories)).collect();
    let existing: Vec<PathBuf> = directories.iter().filter(|path| path.exists()).cloned().collect();
    let shown = if existing.is_empty() { directories } else { &existing };
    Err(unknown(missing, known.iter().map(ToString::to_string), shown))
}

fn unusable(site: &Path, error: &io::Error) -> Error {
    let room = disabled::room_path(site).unwrap_or_else(|| site.to_owned());
    let error = Error::writing("use", &room, error);
    if error.kind == ErrorKind::Io {
        error.help("skills are disabled by moving them there, beside the skills directory")
    } else {
        error
    }
}
