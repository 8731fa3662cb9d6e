//! The files of one skill, judged by name, type, mode and size. Nothing is opened here.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::skills::limits::{RELATIVE_PATH_BYTES, SKILL_BYTES, SKILL_DEPTH, SKILL_ENTRIES};
use crate::skills::platform::{self, FileKind};

/// Directories of version control systems: named, never looked into.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// One entry below a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Path relative to the skill.
    pub path: PathBuf,
    /// What it is.
    pub kind: FileKind,
    /// Bytes, for regular files.
    pub bytes: u64,
    /// Whether it has an execute bit.
    pub executable: bool,
}

/// A bound that the skill passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Excess {
    /// Bytes of all files together.
    Bytes,
    /// Number of entries.
    Entries,
    /// Levels of directories, with the path that is too deep.
    Depth(PathBuf),
    /// A relative path that is too long.
    Path(PathBuf),
}

/// What lies in a skill, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inventory {
    /// Every entry up to the bounds.
    pub entries: Vec<FileEntry>,
    /// Bytes of all regular files seen.
    pub bytes: u64,
    /// The bounds that were passed, each once. The walk ends at the first but bytes.
    pub excess: Vec<Excess>,
    /// Entries the system would not show, in its words.
    pub unreadable: Vec<(PathBuf, String)>,
}

impl Inventory {
    /// Walks `directory` without following links.
    #[must_use]
    pub fn of_directory(directory: &Path) -> Self {
        let mut inventory = Self::default();
        let walk = WalkDir::new(directory)
            .min_depth(1)
            .max_depth(SKILL_DEPTH + 1)
            .sort_by(|a, b| a.file_name().cmp(b.file_name()))
            .into_iter()
            .filter_entry(|entry| !inside_version_control(entry));
        for entry in walk {
            let goes_on = match entry {
                Ok(entry) => inventory.add(directory, &entry),
                Err(error) => {
                    let path = error.path().unwrap_or(directory);
                    let path = path.strip_prefix(directory).unwrap_or(path).to_owned();
                    let message = error.io_error().map_or_else(
                        || "cannot be read".to_owned(),
                        crate::skills::content::system_message,
                    );
                    inventory.unreadable.push((path, message));
                    true
                }
            };
            if !goes_on {
                break;
            }
        }
        if inventory.bytes > SKILL_BYTES {
            inventory.excess.push(Excess::Bytes);
        }
        inventory
    }

    /// Adds one entry; false when a bound ends the walk.
    fn add(&mut self, directory: &Path, entry: &DirEntry) -> bool {
        let path = entry.path().strip_prefix(directory).unwrap_or(entry.path()).to_owned();
        if self.entries.len() == SKILL_ENTRIES {
            self.excess.push(Excess::Entries);
            return false;
        }
        if entry.depth() > SKILL_DEPTH {
            self.excess.push(Excess::Depth(path));
            return false;
        }
        if path.as_os_str().len() > RELATIVE_PATH_BYTES {
            self.excess.push(Excess::Path(path));
            return false;
        }
        let kind = FileKind::from(entry.file_type());
        let metadata = match kind {
            FileKind::Regular => entry.metadata().ok(),
            _ => None,
        };
        let bytes = metadata.as_ref().map_or(0, std::fs::Metadata::len);
        let executable = metadata.as_ref().is_some_and(platform::is_executable);
        self.bytes = self.bytes.saturating_add(bytes);
        self.entries.push(FileEntry { path, kind, bytes, executable });
        true
    }

    /// The regular files.
    pub fn files(&self) -> impl Iterator<Item = &FileEntry> {
        self.entries.iter().filter(|entry| entry.kind == FileKind::Regular)
    }

    /// Whether every entry was seen, so that absence means absence.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.unreadable.is_empty() && self.excess.iter().all(|excess| *excess == Excess::Bytes)
    }

    /// The paths of all entries, for looking them up.
    #[must_use]
    pub fn paths(&self) -> HashSet<&Path> {
        self.entries.iter().map(|entry| entry.path.as_path()).collect()
    }
}

/// Whether this is the name of a version control directory.
#[must_use]
pub fn is_version_control(name: &OsStr) -> bool {
    VERSION_CONTROL.iter().any(|known| name == *known)
}

fn inside_version_control(entry: &DirEntry) -> bool {
    entry.depth() > 1
        && entry.path().parent().and_then(Path::file_name).is_some_and(is_version_control)
}
