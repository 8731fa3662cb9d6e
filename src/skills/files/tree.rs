//! The files of an installed skill with their hashes.

use std::io::{self, Read};
use std::path::Path;

use crate::skills::files::descent::Descent;
use crate::skills::files::digest::{self, Digest, DigestBuilder, FileHash, portable};
use crate::skills::files::directory::OpenDirectory;
use crate::skills::files::inventory::{Inventory, is_part_of_skill};
use crate::skills::files::platform::FileKind;

/// One regular file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Path below the skill, with `/` between its parts.
    pub path: String,
    /// Whether it has an execute bit.
    pub executable: bool,
    pub bytes: u64,
    /// The SHA-256 of its bytes; none when it was not read.
    pub sha256: Option<FileHash>,
}

/// Chooses the files to read, by path and size. A file whose size differs from its record has
/// changed, and need not be read.
pub type FileFilter<'a> = dyn Fn(&str, u64) -> bool + Sync + 'a;

/// All files are read.
pub fn everything(_: &str, _: u64) -> bool {
    true
}

/// The files of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tree {
    /// Sorted by path.
    pub files: Vec<TreeFile>,
    /// Entries that installing never creates: links, pipes, version control, paths without a
    /// digest.
    pub foreign: Vec<String>,
}

/// How one tree differs from another: paths, sorted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Differences {
    /// In both, but not the same.
    pub changed: Vec<String>,
    /// Only in the other.
    pub added: Vec<String>,
    /// Only in this one.
    pub removed: Vec<String>,
}

impl Tree {
    /// Lists everything below an open directory, and reads the wanted files. Does not follow links.
    pub fn of_directory(open: &OpenDirectory, wanted: &FileFilter<'_>) -> io::Result<Self> {
        let inventory = Inventory::of_directory(open, None);
        let mut descent = Descent::new(&open.directory);
        let mut tree = Self::default();
        for entry in &inventory.entries {
            match entry.kind {
                _ if !is_part_of_skill(&entry.path) || !digest::can_name(&entry.path) => {
                    tree.foreign.push(portable(&entry.path));
                }
                FileKind::Directory => {}
                FileKind::Regular => {
                    let path = portable(&entry.path);
                    let sha256 = if wanted(&path, entry.bytes) {
                        let file = descent.file(&entry.path)?;
                        // A growing file must not keep us reading forever.
                        Some(digest::of_reader(file.take(entry.bytes))?)
                    } else {
                        None
                    };
                    tree.files.push(TreeFile {
                        path,
                        executable: entry.executable,
                        bytes: entry.bytes,
                        sha256,
                    });
                }
                FileKind::Symlink | FileKind::Special(_) => {
                    tree.foreign.push(portable(&entry.path));
                }
            }
        }
        tree.foreign.extend(inventory.unreadable.iter().map(|(path, _)| portable(path)));
        if inventory.excess.is_some() {
            tree.foreign.push("…".to_owned());
        }
        tree.sort();
        Ok(tree)
    }

    /// Puts the files in order.
    pub fn sort(&mut self) {
        self.files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    }

    /// The digest of these files; none if one was not read, or has a path that no digest allows.
    pub fn digest(&self) -> Option<Digest> {
        let mut digest = DigestBuilder::default();
        for file in &self.files {
            digest.add(Path::new(&file.path), file.executable, file.sha256?);
        }
        digest.finish()
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.bytes))
    }

    /// Whether it has a file of this path and size.
    pub fn has(&self, path: &str, bytes: u64) -> bool {
        self.find(path).is_some_and(|file| file.bytes == bytes)
    }

    fn find(&self, path: &str) -> Option<&TreeFile> {
        let at = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        self.files.get(at)
    }

    /// The changes that turn this tree into the other.
    pub fn differences(&self, other: &Self) -> Differences {
        let mut differences = Differences::default();
        for file in &self.files {
            match other.find(&file.path) {
                None => differences.removed.push(file.path.clone()),
                Some(there)
                    if (there.executable, there.sha256) != (file.executable, file.sha256) =>
                {
                    differences.changed.push(file.path.clone());
                }
                Some(_) => {}
            }
        }
        let added = other.files.iter().filter(|file| self.find(&file.path).is_none());
        differences.added = added.map(|file| file.path.clone()).collect();
        differences.removed.extend(self.foreign.iter().cloned());
        differences
    }
}

impl Differences {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.added.is_empty() && self.removed.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, bool, &str)]) -> Tree {
        let file = |(path, executable, sha256): &(&str, bool, &str)| TreeFile {
            path: (*path).to_owned(),
            executable: *executable,
            bytes: 1,
            sha256: Some(digest::of_bytes(sha256.as_bytes())),
        };
        Tree { files: files.iter().map(file).collect(), foreign: Vec::new() }
    }

    #[test]
    fn differences_name_what_is_changed_added_and_removed() {
        let one = tree(&[("a", false, "1"), ("b", false, "2"), ("c", false, "3")]);
        let other = tree(&[("a", false, "1"), ("b", true, "2"), ("d", false, "3")]);
        let differences = one.differences(&other);
        assert_eq!(differences.changed, ["b"]);
        assert_eq!(differences.added, ["d"]);
        assert_eq!(differences.removed, ["c"]);
        assert!(one.differences(&one).is_empty());
    }
}
