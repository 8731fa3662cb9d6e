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
