//! What differs between operating systems: opening without following links, and modes.
//! Every `cfg` of the domain is in this file.

use std::ffi::OsString;
use std::fs::{File, FileType, Metadata, OpenOptions, Permissions};
use std::io;
use std::path::Path;

pub use directory::Directory;

/// What a directory entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Bytes.
    Regular,
    /// More entries.
    Directory,
    /// A symbolic link, to whatever.
    Symlink,
    /// A FIFO, socket or device, by its word for messages.
    Special(&'static str),
}

impl From<FileType> for FileKind {
    fn from(file_type: FileType) -> Self {
        if file_type.is_symlink() {
            Self::Symlink
        } else if file_type.is_dir() {
            Self::Directory
        } else if file_type.is_file() {
            Self::Regular
        } else {
            Self::Special(special_kind(file_type))
        }
    }
}

#[cfg(unix)]
fn special_kind(file_type: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if file_type.is_fifo() {
        "a named pipe"
    } else if file_type.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn special_kind(_: FileType) -> &'static str {
    "not a regular file"
}

/// Size and mode of a regular file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStat {
    /// Bytes.
    pub bytes: u64,
    /// Whether anyone may execute it.
    pub executable: bool,
}

/// What makes two paths lead to the same file or directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileIdentity(u64, u64);

#[cfg(unix)]
impl FileIdentity {
    /// The identity, where the system has one.
    #[must_use]
    pub fn of(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self(metadata.dev(), metadata.ino()))
    }
}

#[cfg(not(unix))]
impl FileIdentity {
    /// The identity, where the system has one.
    #[must_use]
    pub const fn of(_: &Metadata) -> Option<Self> {
        None
    }
}

/// A name in a directory, and what it stands for.
pub type DirectoryEntry = (OsString, FileKind);

#[cfg(unix)]
mod directory {
    //! Everything below a directory is reached through its descriptor, so that a directory
    //! swapped for a link in between leads nowhere, and paths are not resolved again and again.

    use std::ffi::{OsStr, OsString};
    use std::fs::File;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStringExt;
    use std::path::Path;

    use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};

    use super::{DirectoryEntry, FileKind, FileStat};

    /// An open directory.
    #[derive(Debug)]
    pub struct Directory(OwnedFd);

    impl Directory {
        /// Opens the directory at `path`, which may be a link.
        ///
        /// # Errors
        /// Those of the system.
        pub fn open(path: &Path) -> io::Result<Self> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            Ok(Self(openat(CWD, path, flags, Mode::empty())?))
        }

        /// Opens a directory inside this one, which may not be a link.
        ///
        /// # Errors
        /// Those of the system.
        pub fn child(&self, name: &OsStr) -> io::Result<Self> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            Ok(Self(openat(&self.0, name, flags, Mode::empty())?))
        }

        /// Opens a file inside this directory: never through a link, never waiting for a writer.
        ///
        /// # Errors
        /// Those of the system; a link is an error too.
        pub fn file(&self, name: &OsStr) -> io::Result<File> {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            Ok(openat(&self.0, name, flags, Mode::empty())?.into())
        }

        /// All names, sorted, without `.` and `..`.
        ///
        /// # Errors
        /// Those of the system.
        pub fn entries(&mut self) -> io::Result<Vec<DirectoryEntry>> {
            let mut entries = Vec::new();
            each_entry(&self.0, |name, file_type| {
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
        ///
        /// # Errors
        /// Those of the system.
        pub fn stat(&self, name: &OsStr) -> io::Result<FileStat> {
            let stat = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(FileStat {
                bytes: u64::try_from(stat.st_size).unwrap_or(0),
                executable: stat.st_mode & 0o111 != 0,
            })
        }

        /// What an entry is; links are links.
        ///
        /// # Errors
        /// Those of the system.
        pub fn kind(&self, name: &OsStr) -> io::Result<FileKind> {
            let stat = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(kind(FileType::from_raw_mode(stat.st_mode)))
        }
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
            // ext4 marks the last entry; to ask once more would be to hear that there is none.
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
            FileType::Fifo => FileKind::Special("a named pipe"),
            FileType::Socket => FileKind::Special("a socket"),
            _ => FileKind::Special("a device"),
        }
    }
}

#[cfg(not(unix))]
mod directory {
    //! The same by path, for systems without directory descriptors.

    use std::ffi::OsStr;
    use std::fs::{self, File};
    use std::io;
    use std::path::{Path, PathBuf};

    use super::{DirectoryEntry, FileKind, FileStat, is_executable, open_without_following};

    /// A directory, by path.
    #[derive(Debug)]
    pub struct Directory(PathBuf);

    impl Directory {
        /// The directory at `path`, which may be a link.
        ///
        /// # Errors
        /// Those of the system.
        pub fn open(path: &Path) -> io::Result<Self> {
            fs::metadata(path)?;
            Ok(Self(path.to_owned()))
        }

        /// A directory inside this one, which may not be a link.
        ///
        /// # Errors
        /// Those of the system.
        pub fn child(&self, name: &OsStr) -> io::Result<Self> {
            match self.kind(name)? {
                FileKind::Directory => Ok(Self(self.0.join(name))),
                _ => Err(io::Error::from(io::ErrorKind::NotADirectory)),
            }
        }

        /// Opens a file inside this directory, never through a link.
        ///
        /// # Errors
        /// Those of the system; a link is an error too.
        pub fn file(&self, name: &OsStr) -> io::Result<File> {
            open_without_following(&self.0.join(name))
        }

        /// All names, sorted.
        ///
        /// # Errors
        /// Those of the system.
        pub fn entries(&mut self) -> io::Result<Vec<DirectoryEntry>> {
            let mut entries = Vec::new();
            for entry in fs::read_dir(&self.0)? {
                let entry = entry?;
                entries.push((entry.file_name(), entry.file_type()?.into()));
            }
            entries.sort_unstable_by(|one, other| one.0.cmp(&other.0));
            Ok(entries)
        }

        /// Size and mode of an entry, which is not followed.
        ///
        /// # Errors
        /// Those of the system.
        pub fn stat(&self, name: &OsStr) -> io::Result<FileStat> {
            let metadata = fs::symlink_metadata(self.0.join(name))?;
            Ok(FileStat { bytes: metadata.len(), executable: is_executable(&metadata) })
        }

        /// What an entry is; links are links.
        ///
        /// # Errors
        /// Those of the system.
        pub fn kind(&self, name: &OsStr) -> io::Result<FileKind> {
            Ok(fs::symlink_metadata(self.0.join(name))?.file_type().into())
        }
    }
}

/// Opens for reading, never through a final link and never waiting for a writer.
///
/// # Errors
/// Those of the system; a link is an error too.
#[cfg(unix)]
pub fn open_without_following(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// Opens for reading, refusing a final link.
///
/// # Errors
/// Those of the system; a link is an error too.
#[cfg(not(unix))]
pub fn open_without_following(path: &Path) -> io::Result<File> {
    if std::fs::symlink_metadata(path)?.file_type().is_symlink() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is a symbolic link"));
    }
    OpenOptions::new().read(true).open(path)
}

/// Opens a log for appending, made if it is not there, never waiting for a reader.
///
/// # Errors
/// Those of the system.
pub fn open_log(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
        options.custom_flags(flags);
    }
    options.open(path)
}

/// Whether anyone may execute the file; systems without that bit say yes.
#[cfg(unix)]
#[must_use]
pub fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

/// Whether anyone may execute the file; systems without that bit say yes.
#[cfg(not(unix))]
#[must_use]
pub fn is_executable(_: &Metadata) -> bool {
    true
}

/// Sets the execute bit for everyone who may read the file.
///
/// # Errors
/// Those of the system, and anything that is not a regular file.
#[cfg(unix)]
pub fn set_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let file = open_without_following(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut permissions = metadata.permissions();
    let mode = permissions.mode();
    permissions.set_mode(mode | ((mode & 0o444) >> 2));
    file.set_permissions(permissions)
}

/// There is no execute bit to set.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn set_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// What a new file may get; the umask takes its part, as for any other.
#[cfg(unix)]
#[must_use]
pub fn new_file_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

/// The system decides.
#[cfg(not(unix))]
#[must_use]
pub fn new_file_permissions() -> Option<Permissions> {
    None
}
