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
