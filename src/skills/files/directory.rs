//! An open directory with a list of its entries.

use std::io;
use std::path::Path;

use crate::skills::files::platform::{Directory, DirectoryEntry};

/// An open directory and its entries.
#[derive(Debug)]
pub struct OpenDirectory {
    /// Opens entries.
    pub directory: Directory,
    /// All names, sorted.
    pub entries: Vec<DirectoryEntry>,
}

impl OpenDirectory {
    /// Opens and lists the directory at `path`, which may be a link.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::list(Directory::open(path)?)
    }

    /// Opens and lists the directory at a real path. A link that was put there since is an error.
    pub fn open_real(path: &Path) -> io::Result<Self> {
        Self::list(Directory::open_real(path)?)
    }

    /// Lists a directory that is open.
    pub fn list(directory: Directory) -> io::Result<Self> {
        let entries = directory.entries()?;
        Ok(Self { directory, entries })
    }
}
