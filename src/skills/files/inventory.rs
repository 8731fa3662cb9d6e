//! The files of one skill, judged by name, type, mode and size: what belongs to it, and what is skipped.
//! Nothing is opened here.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};

use crate::skills::files::content::{OpenDirectory, system_message};
use crate::skills::files::{Directory, DirectoryEntry, FileKind, FileStat, atomic};
use crate::skills::text::document::{
    RELATIVE_PATH_BYTES, SKILL_DEPTH, SKILL_ENTRIES, SKILL_MD, is_skill_md,
};

/// Directories of version control systems: listed, but never searched.
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

impl FileEntry {
    /// An entry at a path relative to the skill.
    pub fn new(path: PathBuf, kind: FileKind, bytes: u64, executable: bool) -> Self {
        Self { path, kind, bytes, executable }
    }

    /// The same entry at another path.
    pub fn moved(self, path: PathBuf) -> Self {
        Self::new(path, self.kind, self.bytes, self.executable)
    }

    /// The last part of its path.
    pub fn name(&self) -> &[u8] {
        last_part(&self.path)
    }

    /// Whether its name consists of letters, digits, `-`, `_` and `.` of ASCII, as almost all do.
    pub fn has_plain_name(&self) -> bool {
        let is_plain =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        self.name().iter().all(is_plain)
    }
}

/// A limit that the skill exceeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Excess {
    /// Number of entries.
    Entries,
    /// Levels of directories, with the path that is too deep.
    Depth(PathBuf),
    /// A relative path that is too long.
    Path(PathBuf),
}

/// How much of a skill to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InventoryDepth {
    /// Every file, with its size and mode.
    #[default]
    Through,
    /// Only the names in its own directory, which are known already.
    Glance,
}

/// The files of a skill, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inventory {
    /// Every entry up to the bounds.
    pub entries: Vec<FileEntry>,
    /// Bytes of all regular files seen.
    pub bytes: u64,
    /// The bound that ended the walk, if one did.
    pub excess: Option<Excess>,
    /// Entries that cannot be read, with the system's message.
    pub unreadable: Vec<(PathBuf, String)>,
    /// Whether nothing below the skill's own directory was looked at, nor any size.
    pub glanced: bool,
}

/// The settings of a walk.
struct InventoryWalk<'a> {
    /// Entries that are left out, by their path below the skill.
    skip: &'a dyn Fn(&Path, FileKind) -> bool,
    /// A file of the skill's own directory whose size and mode are known.
    known: Option<(&'a OsStr, FileStat)>,
}

impl Inventory {
    /// Walks an open directory without following links. One of its files may be known already.
    pub fn of_directory(open: &OpenDirectory, known: Option<(&OsStr, FileStat)>) -> Self {
        Self::walked(open, &InventoryWalk { skip: &|_, _| false, known })
    }

    /// The names in an open directory and nothing more: a [`InventoryDepth::Glance`].
    pub fn glance(open: &OpenDirectory) -> Self {
        let entry =
            |(name, kind): &DirectoryEntry| FileEntry::new(PathBuf::from(name), *kind, 0, false);
        let entries = open.entries.iter().take(SKILL_ENTRIES).map(entry).collect();
        Self { entries, glanced: true, ..Self::default() }
    }

    /// Walks it without entries that `skip` accepts by their path below the skill.
    pub fn without(open: &OpenDirectory, skip: &dyn Fn(&Path, FileKind) -> bool) -> Self {
        Self::walked(open, &InventoryWalk { skip, known: None })
    }

    fn walked(open: &OpenDirectory, walk: &InventoryWalk<'_>) -> Self {
        // Most skills have fewer, and growing moves them.
        let mut inventory = Self { entries: Vec::with_capacity(16), ..Self::default() };
        let walked = inventory.walk(&open.directory, &open.entries, Path::new(""), 1, walk);
        inventory.excess = walked.break_value();
        inventory
    }

    /// Adds the entries below `directory`, at most [`SKILL_DEPTH`] levels deep. Exceeding a limit
    /// ends the walk.
    fn walk(
        &mut self,
        directory: &Directory,
        entries: &[DirectoryEntry],
        prefix: &Path,
        depth: usize,
        walk: &InventoryWalk<'_>,
    ) -> ControlFlow<Excess> {
        for (name, kind) in entries {
            let kind = *kind;
            // Allocate once.
            let mut path = PathBuf::with_capacity(prefix.as_os_str().len() + 1 + name.len());
            path.push(prefix);
            path.push(name);
            if (walk.skip)(&path, kind) {
                continue;
            }
            self.within_bounds(&path, depth)?;
            let stat = match kind {
                FileKind::Regular => {
                    let known = walk.known.filter(|known| depth == 1 && known.0 == name);
                    known.map(|(_, stat)| stat).or_else(|| directory.stat(name).ok())
                }
                _ => None,
            };
            let bytes = stat.map_or(0, |stat| stat.bytes);
            self.bytes = self.bytes.saturating_add(bytes);
            let executable = stat.is_some_and(|stat| stat.executable);
            if kind != FileKind::Directory {
                self.entries.push(FileEntry::new(path, kind, bytes, executable));
                continue;
            }
            self.entries.push(FileEntry::new(path.clone(), kind, bytes, executable));
            if !is_version_control(name) {
                let listed = directory.child(name).and_then(|child| {
                    let entries = child.entries()?;
                    Ok((child, entries))
                });
                match listed {
                    Ok((child, entries)) => {
                        self.walk(&child, &entries, &path, depth + 1, walk)?;
                    }
                    Err(error) => self.unreadable.push((path, system_message(&error))),
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Breaks with the limit that one more entry would exceed.
    pub fn within_bounds(&self, path: &Path, depth: usize) -> ControlFlow<Excess> {
        if self.entries.len() == SKILL_ENTRIES {
            ControlFlow::Break(Excess::Entries)
        } else if depth > SKILL_DEPTH {
            ControlFlow::Break(Excess::Depth(path.to_owned()))
        } else if path.as_os_str().len() > RELATIVE_PATH_BYTES {
            ControlFlow::Break(Excess::Path(path.to_owned()))
        } else {
            ControlFlow::Continue(())
        }
    }

    /// The regular files.
    pub fn files(&self) -> impl Iterator<Item = &FileEntry> {
        self.entries.iter().filter(|entry| entry.kind == FileKind::Regular)
    }

    /// Whether every entry was seen. Only then is a file that is not listed really missing.
    pub fn is_complete(&self) -> bool {
        !self.glanced && self.unreadable.is_empty() && self.excess.is_none()
    }

    /// The paths of all entries, for looking them up.
    pub fn paths(&self) -> HashSet<&OsStr> {
        self.entries.iter().map(|entry| entry.path.as_os_str()).collect()
    }
}

/// What follows the last separator. It is asked for so often that taking paths apart would show.
pub fn last_part(path: &Path) -> &[u8] {
    let path = path.as_os_str().as_encoded_bytes();
    let is_separator = |byte: &u8| std::path::is_separator(char::from(*byte));
    let separator = path.iter().rposition(is_separator);
    let start = separator.map_or(0, |separator| separator + 1);
    &path[start..]
}

/// Whether a path below a skill belongs to it. Version control (a directory, or a file in a
/// submodule) and temporary files of this program do not: they are neither copied nor digested.
pub fn is_part_of_skill(path: &Path) -> bool {
    !path.iter().any(|part| is_version_control(part) || atomic::is_reserved(part))
}

/// Whether this is the name of a version control directory.
pub fn is_version_control(name: &OsStr) -> bool {
    is_version_control_name(name.as_encoded_bytes())
}

/// The same for a name as bytes.
pub fn is_version_control_name(name: &[u8]) -> bool {
    // Some file systems ignore case.
    name.starts_with(b".")
        && VERSION_CONTROL.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

// Opens paths below a directory component by component, so that no link on the way is followed.

/// Remembers the last directory, so that each further file in it costs one call.
#[derive(Debug)]
pub struct Descent<'a> {
    root: &'a Directory,
    last: Option<(PathBuf, Directory)>,
}

impl<'a> Descent<'a> {
    /// Everything below `root`.
    pub const fn new(root: &'a Directory) -> Self {
        Self { root, last: None }
    }

    /// Opens the file at this relative path, never waiting for a writer.
    pub fn file(&mut self, path: &Path) -> io::Result<File> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        self.directory(path.parent().unwrap_or(Path::new("")))?.file(name)
    }

    /// Opens the directory at this relative path; the empty path is the root.
    pub fn directory(&mut self, path: &Path) -> io::Result<&Directory> {
        if path.as_os_str().is_empty() {
            return Ok(self.root);
        }
        if self.last.as_ref().is_none_or(|(last, _)| last != path) {
            let mut parts = path.components().map(|part| match part {
                Component::Normal(name) => Ok(name),
                _ => Err(io::Error::from(io::ErrorKind::InvalidInput)),
            });
            let first: io::Result<&OsStr> = parts.next().unwrap_or(Ok(OsStr::new("")));
            let mut directory = self.root.child(first?)?;
            for name in parts {
                directory = directory.child(name?)?;
            }
            self.last = Some((path.to_owned(), directory));
        }
        Ok(self.last.as_ref().map_or(self.root, |(_, directory)| directory))
    }
}

// Finds nested skills in the list of a skill's files.

/// The directories below a skill with a `SKILL.md` of their own, as a scan would find them.
pub fn nested_skills(inventory: &Inventory) -> Vec<PathBuf> {
    let mut nested: Vec<PathBuf> = Vec::new();
    for entry in &inventory.entries {
        // Most files lie beside the `SKILL.md` or have another name.
        if entry.name().len() != SKILL_MD.len() || !entry.path.file_name().is_some_and(is_skill_md)
        {
            continue;
        }
        let parent = entry.path.parent().unwrap_or(Path::new(""));
        let is_below = !parent.as_os_str().is_empty() && !parent.iter().any(is_skipped);
        if is_below && nested.last().is_none_or(|last| last != parent) {
            nested.push(parent.to_owned());
        }
    }
    let is_cache = |path: &Path| {
        let tag = path.join(CACHE_TAG);
        inventory.entries.binary_search_by(|entry| entry.path.as_path().cmp(&tag)).is_ok()
    };
    let lies_in_cache =
        |path: &Path| path.ancestors().filter(|above| !above.as_os_str().is_empty()).any(is_cache);
    nested.retain(|path| !lies_in_cache(path));
    nested
}

// Directories that a search for skills skips.

/// The file that marks a directory as a cache.
pub const CACHE_TAG: &str = "CACHEDIR.TAG";

/// Whether a directory of this name is never searched for skills.
pub fn is_skipped(name: &OsStr) -> bool {
    is_version_control(name) || name == "node_modules" || atomic::is_beside_skills(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn no_link_is_followed_and_nothing_above_is_reached() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(temp.path().join("root/a/b")).unwrap();
        std::fs::write(temp.path().join("root/a/b/file"), "x").unwrap();
        std::fs::write(temp.path().join("secret"), "s").unwrap();
        std::os::unix::fs::symlink("a", temp.path().join("root/link")).unwrap();
        let root = Directory::open(&temp.path().join("root")).unwrap();
        let mut descent = Descent::new(&root);
        assert!(descent.file(Path::new("a/b/file")).is_ok());
        assert!(descent.directory(Path::new("a")).is_ok());
        for path in ["link/b/file", "link", "../secret", "a/../../secret", "/etc/passwd", ""] {
            assert!(descent.file(Path::new(path)).is_err(), "{path}");
        }
    }
}
