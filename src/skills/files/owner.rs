//! Who owns files, who uses them, and who could swap them, on Unix.

use std::fs::{File, Metadata, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Gid, Mode, Uid, fstat, stat};

use crate::skills::files::Directory;

fn own_id() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Whether a file belongs to this user.
pub fn is_own(metadata: &Metadata) -> bool {
    metadata.uid() == own_id()
}

/// Whether only the owner may read or change a file.
pub fn is_private(metadata: &Metadata) -> bool {
    metadata.mode() & 0o077 == 0
}

/// Gives a new file the owner of another one.
pub fn give_like(file: &File, like: &Metadata) -> io::Result<()> {
    let own = file.metadata()?;
    if (own.uid(), own.gid()) == (like.uid(), like.gid()) {
        return Ok(());
    }
    let given = rustix::fs::fchown(
        file,
        (own.uid() != like.uid()).then(|| Uid::from_raw(like.uid())),
        Some(Gid::from_raw(like.gid())),
    );
    // The group of a file does not matter if only its owner may read it.
    if own.uid() == like.uid() { Ok(()) } else { Ok(given?) }
}

/// The first directory in which somebody else could swap this user's files, from a real path
/// upwards.
pub fn swappable(path: &Path) -> io::Result<Option<PathBuf>> {
    for directory in path.ancestors() {
        let stat = stat(directory)?;
        let mode = Mode::from_raw_mode(stat.st_mode);
        let is_shared = mode.contains(Mode::WOTH)
            || mode.contains(Mode::WGRP) && !is_alone_in_group(stat.st_gid);
        let is_trusted = [0, own_id()].contains(&stat.st_uid);
        if !is_trusted || is_shared && !mode.contains(Mode::SVTX) {
            return Ok(Some(directory.to_owned()));
        }
    }
    Ok(None)
}

/// Whether a group is the private group that many systems create for each user: it has the user's
/// number and no other members.
fn is_alone_in_group(group: u32) -> bool {
    let list = std::fs::read_to_string("/etc/group").unwrap_or_default();
    group == own_id() && !has_members(&list, group)
}

/// Whether a list of groups (name, password, number, members) gives a group other members than its
/// namesake.
fn has_members(list: &str, group: u32) -> bool {
    list.lines().any(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        let [name, _, number, members] = fields.as_slice() else { return false };
        number.parse() == Ok(group)
            && members.split(',').any(|member| !member.trim().is_empty() && member != *name)
    })
}

/// Whether output to a stream is lost: it is closed or discarded.
pub fn leads_nowhere(stream: &impl std::os::fd::AsFd) -> bool {
    match (fstat(stream), stat("/dev/null")) {
        (Ok(stream), Ok(nowhere)) => {
            let is_device = |mode| mode & 0o170_000 == 0o020_000;
            is_device(stream.st_mode) && stream.st_rdev == nowhere.st_rdev
        }
        (Err(_), _) => true,
        (Ok(_), Err(_)) => false,
    }
}

/// Marks a file as in use; other processes may do so, too.
pub fn hold(file: &File) -> Result<(), TryLockError> {
    file.try_lock_shared()
}

/// Turns the shared lock of this process into an exclusive one.
///
/// # Errors
/// System errors, and a lock of another process. This process may then have lost its own.
pub fn take(file: &File) -> Result<(), TryLockError> {
    file.try_lock()
}

/// Lets children share the lock on a file as long as they run. They can read it, but not change it.
pub fn share(directory: &Directory, name: &std::ffi::OsStr) -> io::Result<Option<File>> {
    // Open it again: children must not inherit the lock of this process.
    let file = directory.file(name)?;
    file.try_lock_shared()?;
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty())?;
    Ok(Some(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_with_anybody_else_in_it_is_shared() {
        let list = "root:x:0:\nme:x:1000:\nteam:x:1001:me,you\nown:x:1002:own\nodd:x:1003\n";
        let members: Vec<bool> =
            [0, 1000, 1001, 1002, 1003, 1004].map(|group| has_members(list, group)).to_vec();
        assert_eq!(members, [false, false, true, false, false, false]);
    }
}
