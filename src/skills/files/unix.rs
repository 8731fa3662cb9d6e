//! Directories on Unix, as descriptors. Entries are opened relative to the descriptor, so a
//! directory swapped for a link leads nowhere, and paths are resolved only once.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::AsFd;
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, SeekFrom, fstat, mkdirat, openat, renameat, statat,
    unlinkat,
};
use rustix::io::{Errno, read, retry_on_intr};

use crate::skills::files::{DirectoryEntry, FileIdentity, FileKind, FileStat, about_to_open};

/// An open directory.
#[derive(Debug)]
pub struct Directory {
    descriptor: OwnedFd,
    /// Whether its names were listed; the descriptor then stands at their end.
    listed: Mutex<bool>,
}

impl Directory {
    const fn new(descriptor: OwnedFd) -> Self {
        Self { descriptor, listed: Mutex::new(false) }
    }

    /// Opens the directory at `path`, which may be a link.
    pub fn open(path: &Path) -> io::Result<Self> {
        about_to_open(path);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self::new(openat(CWD, path, flags, Mode::empty())?))
    }

    /// Opens the directory at a real path, which must not contain links.
    pub fn open_real(path: &Path) -> io::Result<Self> {
        about_to_open(path);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        Ok(Self::new(open(CWD, path, flags)?))
    }

    /// Opens a directory inside this one, which may not be a link.
    pub fn child(&self, name: &OsStr) -> io::Result<Self> {
        about_to_open(Path::new(name));
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self::new(openat(&self.descriptor, name, flags, Mode::empty())?))
    }

    /// Opens a file inside this directory: never through a link, never waiting for a writer.
    pub fn file(&self, name: &OsStr) -> io::Result<File> {
        about_to_open(Path::new(name));
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(openat(&self.descriptor, name, flags, Mode::empty())?.into())
    }

    /// Opens a file inside this directory for both reading and writing, as [`Self::file`] does.
    pub fn file_to_change(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        self.open_to_write(Path::new(name), flags, 0)
    }

    /// Opens a file somewhere below this directory: through no link, never waiting for a writer.
    pub fn file_below(&self, path: &Path) -> io::Result<File> {
        about_to_open(path);
        let flags = OFlags::RDONLY | OFlags::NONBLOCK;
        Ok(open_below(self.descriptor.as_fd(), path, flags)?.into())
    }

    /// Opens a directory somewhere below this one, through no link.
    pub fn directory_below(&self, path: &Path) -> io::Result<Self> {
        about_to_open(path);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        Ok(Self::new(open_below(self.descriptor.as_fd(), path, flags)?))
    }

    /// What a link in this directory says.
    pub fn link_target(&self, name: &OsStr) -> io::Result<PathBuf> {
        let target = rustix::fs::readlinkat(&self.descriptor, name, Vec::new())?;
        Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
    }

    /// Whether an entry is a directory, or leads to one.
    pub fn leads_to_directory(&self, name: &OsStr) -> bool {
        statat(&self.descriptor, name, AtFlags::empty())
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
    }

    /// All names, sorted, without `.` and `..`; each call returns all of them.
    pub fn entries(&self) -> io::Result<Vec<DirectoryEntry>> {
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if *listed {
            rustix::fs::seek(&self.descriptor, SeekFrom::Start(0))?;
        }
        *listed = true;
        let mut entries = Vec::new();
        each_entry(&self.descriptor, |name, file_type| {
            if name == b"." || name == b".." {
                return Ok(());
            }
            let name = OsString::from_vec(name.to_vec());
            let kind = match file_type {
                // Some file systems do not say; the entry itself does.
                FileType::Unknown => self.kind(&name)?,
                known => kind(known),
            };
            entries.push((name, kind));
            Ok(())
        })?;
        entries.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Ok(entries)
    }

    /// Size and mode of an entry, which is not followed.
    pub fn stat(&self, name: &OsStr) -> io::Result<FileStat> {
        let stat = statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(FileStat {
            bytes: u64::try_from(stat.st_size).unwrap_or(0),
            executable: stat.st_mode & 0o111 != 0,
        })
    }

    /// What an entry is; links are links.
    pub fn kind(&self, name: &OsStr) -> io::Result<FileKind> {
        let stat = statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(kind(FileType::from_raw_mode(stat.st_mode)))
    }

    /// The mode of an entry that is a regular file.
    pub fn file_mode(&self, name: &OsStr) -> io::Result<Option<u32>> {
        match statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
            Ok(stat) => {
                let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
                Ok(is_file.then_some((stat.st_mode & 0o7777) as _))
            }
        }
    }

    /// Whether an entry is a directory that its owner may not write to.
    pub fn is_sealed(&self, name: &OsStr) -> bool {
        statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|stat| {
            FileType::from_raw_mode(stat.st_mode) == FileType::Directory
                && stat.st_mode & 0o200 == 0
        })
    }

    /// The identity of this directory.
    pub fn identity(&self) -> io::Result<Option<FileIdentity>> {
        Ok(Some(identity(&fstat(&self.descriptor)?)))
    }

    /// When this directory was created, if the file system records it. Needed because inode numbers
    /// are reused.
    pub fn born(&self) -> Option<std::time::SystemTime> {
        File::from(self.descriptor.try_clone().ok()?).metadata().ok()?.created().ok()
    }

    /// The identity of an entry; links are not followed.
    pub fn identity_of(&self, name: &OsStr) -> io::Result<Option<FileIdentity>> {
        Ok(Some(identity(&statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW)?)))
    }

    /// Makes a directory below this one, with this mode less the umask.
    pub fn create_directory(&self, path: &Path, mode: u32) -> io::Result<()> {
        Ok(mkdirat(&self.descriptor, path, Mode::from_raw_mode(mode as _))?)
    }

    /// Makes a file below this directory, with this mode less the umask, and opens it for both
    /// reading and writing.
    pub fn create_file(&self, path: &Path, mode: u32) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        self.open_to_write(path, flags, mode)
    }

    /// Opens or creates a file of this directory for writing; never through a link.
    pub fn open_or_create(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        self.open_to_write(Path::new(name), flags, mode)
    }

    fn open_to_write(&self, path: &Path, flags: OFlags, mode: u32) -> io::Result<File> {
        let mode = Mode::from_raw_mode(mode as _);
        Ok(openat(&self.descriptor, path, flags | OFlags::CLOEXEC, mode)?.into())
    }

    /// Moves an entry to another directory, replacing a file.
    pub fn rename(&self, name: &OsStr, to: &Self, new_name: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.descriptor, name, &to.descriptor, new_name)?)
    }

    /// Moves an entry to an unused name.
    pub fn rename_new(&self, name: &OsStr, to: &Self, new_name: &OsStr) -> io::Result<()> {
        match rename_with(&self.descriptor, name, &to.descriptor, new_name, RenameMode::NoReplace) {
            Err(error) if is_unsupported(error) => {
                // Renaming a directory never replaces a file or a directory with content, so only
                // an empty directory is left to check for.
                match to.kind(new_name) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        self.rename(name, to, new_name)
                    }
                    Err(error) => Err(error),
                    Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                }
            }
            other => Ok(other?),
        }
    }

    /// Swaps two entries at once; false where the file system cannot.
    pub fn exchange(&self, name: &OsStr, other: &Self, other_name: &OsStr) -> io::Result<bool> {
        match rename_with(
            &self.descriptor,
            name,
            &other.descriptor,
            other_name,
            RenameMode::Exchange,
        ) {
            Err(error) if is_unsupported(error) => Ok(false),
            done => Ok(done.map(|()| true)?),
        }
    }

    /// Removes a file or a link.
    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.descriptor, name, AtFlags::empty())?)
    }

    /// Removes an empty directory.
    pub fn remove_directory(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.descriptor, name, AtFlags::REMOVEDIR)?)
    }

    /// Makes the directory writable for its owner, or read-only.
    pub fn set_writable(&self, writable: bool) -> io::Result<()> {
        let mode = fstat(&self.descriptor)?.st_mode & 0o777;
        let mode = if writable { mode | 0o700 } else { mode & !0o222 };
        Ok(rustix::fs::fchmod(&self.descriptor, Mode::from_raw_mode(mode))?)
    }

    /// Gives the owner of a directory entry all rights to it again. The owner must be this user:
    /// others could swap the entry for a link to any file.
    pub fn unlock(&self, name: &OsStr) -> io::Result<()> {
        let mode = Mode::RWXU;
        let stat = statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let is_own = stat.st_uid == rustix::process::geteuid().as_raw();
        if !is_own || FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(rustix::fs::chmodat(&self.descriptor, name, mode, AtFlags::empty())?)
    }

    /// Takes the setuid and setgid bits from an entry that is a file or a directory.
    pub fn clear_set_id(&self, name: &OsStr) -> io::Result<()> {
        let stat = statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        if stat.st_mode & 0o6000 == 0
            || !matches!(kind, FileType::RegularFile | FileType::Directory)
        {
            return Ok(());
        }
        let mode = Mode::from_raw_mode(stat.st_mode & 0o1777);
        Ok(rustix::fs::chmodat(&self.descriptor, name, mode, AtFlags::empty())?)
    }

    /// Whether the directory belongs to this user and only this user may write to it.
    pub fn is_private(&self) -> io::Result<bool> {
        let stat = fstat(&self.descriptor)?;
        Ok(stat.st_uid == rustix::process::geteuid().as_raw() && stat.st_mode & 0o022 == 0)
    }

    /// Whether the directory belongs to this user.
    pub fn is_own(&self) -> io::Result<bool> {
        Ok(fstat(&self.descriptor)?.st_uid == rustix::process::geteuid().as_raw())
    }

    /// Closes the directory to everybody but its owner, who must be this user.
    pub fn make_private(&self) -> io::Result<()> {
        if !self.is_own()? {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(rustix::fs::fchmod(&self.descriptor, Mode::RWXU)?)
    }

    /// Whether entries can be moved between the two directories.
    pub fn shares_mount(&self, other: &Self) -> io::Result<bool> {
        // Two mounts of one file system have the same device, but nothing can be moved between
        // them.
        Ok(mount(&self.descriptor)? == mount(&other.descriptor)?)
    }

    /// Waits until the names in this directory are on the disk.
    pub fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.descriptor)?)
    }

    /// Waits until everything below this directory is on the disk.
    #[cfg(target_os = "linux")]
    pub fn sync_below(&self) -> io::Result<()> {
        Ok(rustix::fs::syncfs(&self.descriptor)?)
    }

    /// Waits until everything below this directory is on the disk.
    #[cfg(not(target_os = "linux"))]
    pub fn sync_below(&self) -> io::Result<()> {
        for (name, kind) in self.entries()? {
            match kind {
                FileKind::Directory => self.child(&name)?.sync_below()?,
                FileKind::Regular => self.file(&name)?.sync_all()?,
                FileKind::Symlink | FileKind::Special(_) => {}
            }
        }
        self.sync()
    }
}

/// Ways to rename that not every file system has.
#[derive(Debug, Clone, Copy)]
enum RenameMode {
    NoReplace,
    Exchange,
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn rename_with(
    from: &OwnedFd,
    name: &OsStr,
    to: &OwnedFd,
    new_name: &OsStr,
    how: RenameMode,
) -> Result<(), Errno> {
    let flags = match how {
        RenameMode::NoReplace => rustix::fs::RenameFlags::NOREPLACE,
        RenameMode::Exchange => rustix::fs::RenameFlags::EXCHANGE,
    };
    rustix::fs::renameat_with(from, name, to, new_name, flags)
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn rename_with(_: &OwnedFd, _: &OsStr, _: &OwnedFd, _: &OsStr, _: RenameMode) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

/// Errors of systems that lack the flag or the whole call.
fn is_unsupported(error: Errno) -> bool {
    matches!(error, Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP)
}

fn identity(stat: &rustix::fs::Stat) -> FileIdentity {
    FileIdentity(stat.st_dev as _, stat.st_ino as _)
}

/// The mount, within which entries can be moved.
#[cfg(target_os = "linux")]
fn mount(directory: &OwnedFd) -> io::Result<(u64, u64)> {
    use rustix::fs::{StatxFlags, makedev, statx};
    let Ok(stat) = statx(directory, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID) else {
        return Ok((fstat(directory)?.st_dev, 0));
    };
    let is_told = stat.stx_mask & StatxFlags::MNT_ID.bits() != 0;
    let device = makedev(stat.stx_dev_major, stat.stx_dev_minor);
    Ok((device, if is_told { stat.stx_mnt_id } else { 0 }))
}

/// The file system, within which entries can be moved.
#[cfg(not(target_os = "linux"))]
fn mount(directory: &OwnedFd) -> io::Result<(u64, u64)> {
    Ok((fstat(directory)?.st_dev as _, 0))
}

/// Calls `visit` with every name and its type.
#[cfg(target_os = "linux")]
fn each_entry(
    directory: &OwnedFd,
    mut visit: impl FnMut(&[u8], FileType) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffer = [std::mem::MaybeUninit::uninit(); 8 * 1024];
    let mut entries = rustix::fs::RawDir::new(directory, &mut buffer);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let next = entry.next_entry_cookie();
        visit(entry.file_name().to_bytes(), entry.file_type())?;
        // ext4 marks the last entry, which saves the call that would return nothing.
        if next == i64::MAX.unsigned_abs() && entries.is_buffer_empty() {
            break;
        }
    }
    Ok(())
}

/// Calls `visit` with every name and its type.
#[cfg(not(target_os = "linux"))]
fn each_entry(
    directory: &OwnedFd,
    mut visit: impl FnMut(&[u8], FileType) -> io::Result<()>,
) -> io::Result<()> {
    for entry in rustix::fs::Dir::read_from(directory)? {
        let entry = entry?;
        visit(entry.file_name().to_bytes(), entry.file_type())?;
    }
    Ok(())
}

fn kind(file_type: FileType) -> FileKind {
    match file_type {
        FileType::RegularFile => FileKind::Regular,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Symlink,
        FileType::Fifo => FileKind::PIPE,
        FileType::Socket => FileKind::SOCKET,
        _ => FileKind::DEVICE,
    }
}

// Properties of files on Unix, and of this process: modes, links, limits, umask.

/// Makes `copy` share the blocks of `file`; false where the file system cannot.
#[cfg(target_os = "linux")]
pub fn share_blocks(file: &File, copy: &File) -> bool {
    rustix::fs::ioctl_ficlone(copy, file).is_ok()
}

/// Makes `copy` share the blocks of `file`; false where the file system cannot.
#[cfg(not(target_os = "linux"))]
pub fn share_blocks(_: &File, _: &File) -> bool {
    false
}

/// Lets writing to a pipe wait for its reader instead of failing.
pub fn wait_for_room(file: &File) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(file)?;
    Ok(rustix::fs::fcntl_setfl(file, flags - OFlags::NONBLOCK)?)
}

/// Makes a symbolic link.
pub fn link(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// Makes a directory that only this user may write to, independent of the umask.
pub fn make_directory(path: &Path) -> io::Result<()> {
    Ok(mkdirat(CWD, path, Mode::from_raw_mode(0o755))?)
}

/// Gives a file this mode, independent of the umask.
pub fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    Ok(rustix::fs::fchmod(file, Mode::from_raw_mode(mode as _))?)
}

/// Whether a file has only the one name it was opened by.
pub fn has_one_name(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.nlink() == 1
}

/// When a file was renamed or last written.
pub fn last_change(metadata: &std::fs::Metadata) -> Option<std::time::SystemTime> {
    use std::os::unix::fs::MetadataExt;
    let placed = std::time::Duration::new(
        u64::try_from(metadata.ctime()).ok()?,
        u32::try_from(metadata.ctime_nsec()).ok()?,
    );
    let placed = std::time::UNIX_EPOCH.checked_add(placed)?;
    Some(metadata.modified().map_or(placed, |written| written.max(placed)))
}

/// The number of the user.
pub fn user_id() -> Option<u32> {
    Some(rustix::process::getuid().as_raw())
}

/// Whether opening failed because of a link.
pub fn met_link(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::LOOP)
}

/// Whether whoever writes to this pipe or socket has closed it, though there may be more to read.
pub fn has_hung_up(input: &impl AsFd) -> bool {
    #[cfg(target_os = "linux")]
    let asked = PollFlags::RDHUP;
    #[cfg(not(target_os = "linux"))]
    let asked = PollFlags::empty();
    let mut polled = [PollFd::new(input, asked)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let gone = asked | PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    poll(&mut polled, Some(&at_once)).is_ok() && polled[0].revents().intersects(gone)
}

/// The mode bits that new files do not get.
pub fn umask() -> u32 {
    // The umask can only be read by setting it.
    let mask = rustix::process::umask(Mode::from_raw_mode(0o077));
    rustix::process::umask(mask);
    mask.bits() as _
}

/// How many files may be open at once.
pub fn open_files() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Fills the buffer from this offset, independent of the file's position.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

/// Reads once, as many bytes as there is room for, without clearing the buffer first.
pub fn read_once(file: &File, bytes: &mut Vec<u8>) -> io::Result<()> {
    retry_on_intr(|| read(file, spare_capacity(bytes)))?;
    Ok(())
}

// Opens a path that must not contain links: in one system call if possible, else component by
// component.

/// Enough to pass through a directory; needs no permission to list it.
#[cfg(target_os = "linux")]
const WAY: OFlags = OFlags::PATH;

#[cfg(not(target_os = "linux"))]
const WAY: OFlags = OFlags::RDONLY;

/// Opens `path`, relative to `at`. A link anywhere in it is an error, and so is `..`.
pub fn open(at: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match at_once(at, path, flags) {
        Some(opened) => opened,
        None => part_by_part(at, path, flags),
    }
}

/// Opens a path below `directory` the same way.
pub fn open_below(directory: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
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
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_real_path_has_no_link_in_it() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/closed/b")).unwrap();
        symlink("closed", root.join("a/link")).unwrap();
        // Passing through a directory needs no permission to list it.
        let closed = root.join("a/closed");
        std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o311)).unwrap();
        let passed = Directory::open_real(&closed.join("b"));
        std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o755)).unwrap();
        let identity = |directory: io::Result<Directory>| directory.unwrap().identity().unwrap();
        assert_eq!(identity(passed), identity(Directory::open(&root.join("a/link/b"))));
        for path in ["a/link/b", "a/link", "a/closed/../closed", "a/nothing"] {
            assert!(Directory::open_real(&root.join(path)).is_err(), "{path}");
        }
    }

    #[test]
    fn a_directory_that_was_listed_is_listed_again_from_its_beginning() {
        let temp = tempfile::tempdir().unwrap();
        // More than one call returns.
        for number in 0..500 {
            std::fs::write(temp.path().join(format!("file-{number}")), "x").unwrap();
        }
        let directory = Directory::open(temp.path()).unwrap();
        for _ in 0..3 {
            assert_eq!(directory.entries().unwrap().len(), 500);
        }
        std::thread::scope(|scope| {
            let threads = [0; 4].map(|_| {
                let count = || directory.entries().unwrap().len();
                std::thread::Builder::new().spawn_scoped(scope, count).unwrap()
            });
            assert_eq!(threads.map(|thread| thread.join().unwrap()), [500; 4]);
        });
        std::fs::write(temp.path().join("later"), "x").unwrap();
        assert_eq!(directory.entries().unwrap().len(), 501);
    }

    #[test]
    fn only_directories_are_opened_to_their_owner() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("file");
        std::fs::write(&file, "x").unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
        symlink(&file, temp.path().join("link")).unwrap();
        let closed = temp.path().join("closed");
        std::fs::create_dir(&closed).unwrap();
        std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o000)).unwrap();
        let directory = Directory::open(temp.path()).unwrap();
        for name in ["file", "link"] {
            assert!(directory.unlock(OsStr::new(name)).is_err(), "{name}");
        }
        directory.unlock(OsStr::new("closed")).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(&closed)), (0o644, 0o700));
    }
}

#[cfg(test)]
mod straight_tests {
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
