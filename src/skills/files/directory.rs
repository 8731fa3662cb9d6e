//! A directory that is open together with the names in it.

use std::io;
use std::path::Path;

use crate::skills::files::platform::{Directory, DirectoryEntry};

/// A directory that is open, and what lies in it.
#[derive(Debug)]
pub struct OpenDirectory {
    /// For reaching what is inside.
    pub directory: Directory,
    /// All names, sorted.
    pub entries: Vec<DirectoryEntry>,
}

impl OpenDirectory {
    /// Opens and lists the directory at `path`, which may be a link.
    ///
    /// # Errors
    /// Those of the system.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::list(Directory::open(path)?)
    }

    /// Opens and lists the directory at a real path. A link that was put there since is an error.
    ///
    /// # Errors
    /// Those of the system.
    pub fn open_real(path: &Path) -> io::Result<Self> {
        Self::list(Directory::open_real(path)?)
    }

    /// Lists a directory that is open.
    ///
    /// # Errors
    /// Those of the system.
    pub fn list(directory: Directory) -> io::Result<Self> {
        let entries = directory.entries()?;
        Ok(Self { directory, entries })
    }
}
