//! The single moves of a transaction: the progress of a move, and the backup of a replaced
//! directory.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use crate::skills::files::content::OpenDirectory;
use crate::skills::files::digest::{Digest, Tree, everything};
use crate::skills::files::inventory::{Descent, Inventory};
use crate::skills::files::{Directory, FileKind};
use crate::skills::put::install::journal::{Action, Operation};
use crate::skills::put::install::staging::{StagingDirectories, identity_of};
use crate::skills::put::install::undo::KeptPlace;
use crate::skills::text::document::SKILL_MD;

/// The name of `SKILL.md` in a backup where agents might load it.
pub const HIDDEN_SKILL_MD: &str = "SKILL.md.kept";

pub enum MoveProgress {
    /// Not made.
    No,
    /// The new directory is in place.
    Created,
    /// The two directories have changed places.
    Swapped,
    /// The old directory is moved away; the new one may be in its place.
    TakenAway { replaced: bool },
}

/// Determines the progress of a move of a skill that is or was in `origin`.
pub fn progress_of(
    origin: &Directory,
    operation: &Operation,
    rooms: &StagingDirectories,
) -> io::Result<MoveProgress> {
    let name = OsStr::new(&operation.name);
    let is_staged = exists(&rooms.new, name)?;
    // Platforms without inodes never swap, so names are enough.
    let is_there = match operation.new {
        Some(new) => identity_of(origin, name) == Some(new),
        None => !is_staged && exists(origin, name)?,
    };
    let is_away = exists(&rooms.old, name)?;
    Ok(match operation.action {
        Action::Create if !is_staged && is_there => MoveProgress::Created,
        Action::Replace if is_away => MoveProgress::TakenAway { replaced: !is_staged && is_there },
        Action::Replace if operation.new.is_some() && is_there && is_staged => {
            MoveProgress::Swapped
        }
        Action::Remove if is_away && !exists(origin, name)? => {
            MoveProgress::TakenAway { replaced: false }
        }
        _ => MoveProgress::No,
    })
}

/// Moves a skill to another directory.
pub fn relocate(from: &Directory, to: &Directory, name: &OsStr) -> io::Result<()> {
    unsealed(from, name, || from.rename_new(name, to, name))
}

/// Makes a read-only directory writable if a move needs that, because its `..` changes.
pub fn unsealed<T>(
    from: &Directory,
    name: &OsStr,
    act: impl Fn() -> io::Result<T>,
) -> io::Result<T> {
    match act() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            from.child(name)?.set_writable(true)?;
            act()
        }
        other => other,
    }
}

/// Moves a kept skill into the staging directory, as it was before it was kept.
pub fn bring(
    kept: &KeptPlace,
    site: &Directory,
    operation: &Operation,
    new: &Directory,
) -> io::Result<()> {
    let (place, from) = kept.open(site)?;
    if identity_of(&place, from) != operation.new {
        return Err(io::ErrorKind::NotFound.into());
    }
    let name = OsStr::new(&operation.name);
    unsealed(&place, from, || place.rename_new(from, new, name))?;
    let directory = new.child(name)?;
    let hidden = OsStr::new(HIDDEN_SKILL_MD);
    if exists(&directory, hidden)? && !exists(&directory, OsStr::new(SKILL_MD))? {
        directory.rename_new(hidden, &directory, OsStr::new(SKILL_MD))?;
    }
    // A program never makes others run with somebody's rights.
    let entries = directory.entries()?;
    let open = OpenDirectory { directory, entries };
    let inventory = Inventory::of_directory(&open, None);
    let mut descent = Descent::new(&open.directory);
    for entry in &inventory.entries {
        let Some(name) = entry.path.file_name() else { continue };
        descent.directory(entry.path.parent().unwrap_or(Path::new("")))?.clear_set_id(name)?;
    }
    new.clear_set_id(name)
}

/// Moves a skill that was brought back to where it was kept.
pub fn put_back(
    kept: &KeptPlace,
    site: &Directory,
    new: &Directory,
    name: &OsStr,
    is_seen: bool,
) -> io::Result<()> {
    let (place, to) = kept.open(site)?;
    unsealed(new, name, || new.rename_new(name, &place, to))?;
    if is_seen { hide(&place, to) } else { Ok(()) }
}

/// Moves a directory to the backups, under a free name. A name can be taken, because neighbouring
/// skills directories share their backups, and clocks can be set back.
pub fn keep_in(backups: &Directory, from: &Directory, operation: &Operation) -> io::Result<String> {
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

/// Renames the `SKILL.md` of a backup, so that no agent takes it for a skill.
pub fn hide(backups: &Directory, name: &OsStr) -> io::Result<()> {
    let kept = backups.child(name)?;
    kept.set_writable(true)?;
    let skill_md = OsStr::new(SKILL_MD);
    kept.rename_new(skill_md, &kept, OsStr::new(HIDDEN_SKILL_MD))
}

/// Whether a directory has an entry of this name.
pub fn exists(directory: &Directory, name: &OsStr) -> io::Result<bool> {
    match directory.kind(name) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The digest of a directory; none if it contains anything but files and directories.
pub fn digest_of(directory: &Directory, name: &OsStr) -> io::Result<Option<Digest>> {
    if directory.kind(name)? != FileKind::Directory {
        return Ok(None);
    }
    let child = match directory.child(name) {
        // Removing read permission counts as an edit.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
        other => other?,
    };
    let entries = child.entries()?;
    let tree = Tree::of_directory(&OpenDirectory { directory: child, entries }, &everything);
    Ok(tree.ok().filter(|tree| tree.foreign.is_empty()).and_then(|tree| tree.digest()))
}
