//! Directories on Unix, as descriptors. Entries are opened relative to the descriptor, so a
//! directory swapped for a link leads nowhere, and paths are resolved only once.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, SeekFrom, fstat, mkdirat, openat, renameat, statat,
    unlinkat,
};
use rustix::io::Errno;

use super::{DirectoryEntry, FileIdentity, FileKind, FileStat, about_to_open, straight};

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
        Ok(Self::new(straight::open(CWD, path, flags)?))
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
        Ok(straight::open_below(self.descriptor.as_fd(), path, flags)?.into())
    }

    /// Opens a directory somewhere below this one, through no link.
    pub fn directory_below(&self, path: &Path) -> io::Result<Self> {
        about_to_open(path);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        Ok(Self::new(straight::open_below(self.descriptor.as_fd(), path, flags)?))
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
