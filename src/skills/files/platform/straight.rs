//! Opens a path that must not contain links: in one system call if possible, else component by
//! component.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{Mode, OFlags, openat};
#[cfg(target_os = "linux")]
use rustix::io::Errno;

/// Enough to pass through a directory; needs no permission to list it.
#[cfg(target_os = "linux")]
const WAY: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const WAY: OFlags = OFlags::RDONLY;

/// Opens `path`, relative to `at`. A link anywhere in it is an error, and so is `..`.
pub(super) fn open(at: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match at_once(at, path, flags) {
        Some(opened) => opened,
        None => part_by_part(at, path, flags),
    }
}

/// Opens a path below `directory` the same way.
pub(super) fn open_below(
    directory: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
) -> io::Result<OwnedFd> {
    if path.is_absolute() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    open(directory, path, flags)
}

/// In one call; none where the system or a sandbox does not support that call.
#[cfg(target_os = "linux")]
fn at_once(at: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Option<io::Result<OwnedFd>> {
    use rustix::fs::{ResolveFlags, openat2};
    if path.components().any(|part| part == Component::ParentDir) {
        return None;
    }
    match openat2(at, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Err(Errno::NOSYS | Errno::PERM) => None,
        opened => Some(opened.map_err(Into::into)),
    }
}

#[cfg(not(target_os = "linux"))]
fn at_once(_: BorrowedFd<'_>, _: &Path, _: OFlags) -> Option<io::Result<OwnedFd>> {
    None
}

fn part_by_part(at: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let pass = WAY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut parts = path.components().peekable();
    let mut here: Option<OwnedFd> = None;
    while let Some(part) = parts.next() {
        let name = match part {
            Component::Normal(name) => name,
            Component::RootDir => OsStr::new("/"),
            _ => return Err(io::ErrorKind::InvalidInput.into()),
        };
        let from = here.as_ref().map_or(at, AsFd::as_fd);
        let is_last = parts.peek().is_none();
        let opened = openat(from, name, if is_last { flags } else { pass }, Mode::empty())?;
        here = Some(opened);
    }
    here.ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn both_ways_follow_no_link_and_never_lead_up() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b/file"), "x").unwrap();
        symlink("a", root.join("link")).unwrap();
        symlink("file", root.join("a/b/link")).unwrap();
        let directory = std::fs::File::open(&root).unwrap();
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open_both = |path: &Path| {
            let apart = part_by_part(directory.as_fd(), path, flags).is_ok();
            assert_eq!(open(directory.as_fd(), path, flags).is_ok(), apart, "{path:?}");
            apart
        };
        for path in ["a", "a/b", "a/b/file"] {
            assert!(open_both(Path::new(path)), "{path}");
            assert!(open_both(&root.join(path)), "{path}");
        }
        for path in ["link", "link/b", "link/b/file", "a/b/link", "a/../a", "..", "", "none"] {
            assert!(!open_both(Path::new(path)), "{path}");
        }
        assert!(!open_both(&root.join("link/b/file")));
        assert!(open_below(directory.as_fd(), &root.join("a"), flags).is_err());
    }
}
