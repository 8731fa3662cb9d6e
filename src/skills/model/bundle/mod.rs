//! The files of an archive, a commit or a download, read and checked. Skills in a bundle are
//! handled as if they were on disk.

pub mod fetched;
pub mod links;
pub mod packed;
pub mod store;
pub mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::skills::files::FileKind;
use crate::skills::files::inflate::Inflate;
use crate::skills::files::inventory::{CACHE_TAG, FileEntry, Inventory, is_skipped};
use crate::skills::model::address::Address;
pub use crate::skills::model::bundle::fetched::{Artifact, Fetched};
pub use crate::skills::model::bundle::packed::PackedSkill;
use crate::skills::model::bundle::store::ByteStore;
use crate::skills::model::location::Commit;
use crate::skills::text::document::{SKILL_MD, is_skill_md};

/// The maximum size of all files together.
pub const CONTENT_BYTES: usize = 256 * 1024 * 1024;

/// The most files and directories, including those that only paths of others name.
pub const ENTRIES: usize = 50_000;

/// The maximum length of the paths of all of them together.
pub const PATH_BYTES: usize = 16 * 1024 * 1024;

/// Files that were read from one place.
#[derive(Debug)]
pub struct Bundle {
    /// The path of the archive, or the commit as people write it.
    pub path: PathBuf,
    /// What it was read from.
    pub origin: BundleOrigin,
    bytes: ByteStore,
    files: BTreeMap<String, BundledFile>,
    directories: BTreeSet<String>,
    /// The length of all paths together.
    path_bytes: usize,
    /// The requested directory of an archive.
    inner: String,
}

/// What a bundle was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BundleOrigin {
    /// A `.skill` or `.zip`.
    Archive,
    /// A commit of a repository.
    Commit(Commit),
    /// An address, from which one or more artifacts came.
    Network(Fetched),
}

/// A file, or a link or special file in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundledFile {
    /// What it is.
    pub kind: FileKind,
    /// Whether it can be executed.
    pub executable: bool,
    /// Its bytes.
    pub size: usize,
    /// Where they are.
    pub data: StoredBytes,
}

/// Where the bytes of a file are, in those of its bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredBytes {
    /// As they are.
    Plain(Range<usize>),
    /// Compressed, with the checksum of the original.
    Deflated(Range<usize>, u32),
}

impl Bundle {
    /// Nothing yet.
    pub fn new(path: PathBuf, origin: BundleOrigin, bytes: Vec<u8>) -> Self {
        let bytes = ByteStore::of(bytes);
        let (files, directories) = (BTreeMap::new(), BTreeSet::new());
        Self { path, origin, bytes, files, directories, path_bytes: 0, inner: String::new() }
    }

    /// An empty bundle whose bytes are in a file that nobody changes.
    pub fn of_file(path: PathBuf, origin: BundleOrigin, file: File, length: u64) -> Self {
        let bytes = ByteStore::of_file(file, usize::try_from(length).unwrap_or(usize::MAX));
        Self { bytes, ..Self::new(path, origin, Vec::new()) }
    }

    /// The commit it was read from, if any.
    pub const fn commit(&self) -> Option<&Commit> {
        match &self.origin {
            BundleOrigin::Commit(commit) => Some(commit),
            BundleOrigin::Archive | BundleOrigin::Network(_) => None,
        }
    }

    /// The address it came from, if any.
    pub const fn address(&self) -> Option<&Address> {
        match &self.origin {
            BundleOrigin::Network(fetched) => Some(&fetched.address),
            BundleOrigin::Archive | BundleOrigin::Commit(_) => None,
        }
    }

    /// The artifact that a directory of it came with.
    pub fn artifact(&self, directory: &str) -> Option<&Artifact> {
        match &self.origin {
            BundleOrigin::Network(fetched) => fetched.artifact(directory),
            BundleOrigin::Archive | BundleOrigin::Commit(_) => None,
        }
    }

    /// The requested path; all skills are there or below.
    pub fn base(&self) -> &str {
        match &self.origin {
            BundleOrigin::Archive | BundleOrigin::Network(_) => &self.inner,
            BundleOrigin::Commit(commit) => {
                let path = commit.location.path.as_str();
                // The path of a `SKILL.md` stands for its directory.
                if self.files.contains_key(path) { above(path).unwrap_or_default() } else { path }
            }
        }
    }

    /// Adds bytes, and returns their place.
    pub fn store(&mut self, bytes: &[u8]) -> io::Result<Range<usize>> {
        self.bytes.add(bytes)
    }

    pub fn add_file(&mut self, path: String, file: BundledFile) -> Result<(), String> {
        self.path_bytes += path.len();
        self.check_room(0)?;
        match self.files.insert(path.clone(), file) {
            Some(_) => Err(format!("`{path}` appears twice")),
            None => Ok(()),
        }
    }

    /// Adds another name for an existing file.
    pub fn add_again(&mut self, path: String, first: &str) -> Result<(), String> {
        match self.files.get(first).filter(|file| file.kind == FileKind::Regular).cloned() {
            Some(file) => self.add_file(path, file),
            None => Err(format!("`{path}` is a hard link to no file before it")),
        }
    }

    pub fn add_directory(&mut self, path: String) -> Result<(), String> {
        self.path_bytes += path.len();
        self.check_room(0)?;
        if self.directories.contains(&path) {
            return Err(format!("`{path}` appears twice"));
        }
        self.directories.insert(path);
        Ok(())
    }

    /// Adds the directories of all files.
    pub fn finish(mut self) -> Result<Self, String> {
        // A short archive can name directories without end: sixty for every file.
        let mut implied = BTreeSet::new();
        for path in self.files.keys().chain(&self.directories) {
            for parent in ancestors(path) {
                if self.directories.contains(parent) || !implied.insert(parent.to_owned()) {
                    break;
                }
                self.path_bytes += parent.len();
                self.check_room(implied.len())?;
            }
        }
        self.directories.extend(implied);
        match self.directories.iter().find(|path| self.files.contains_key(*path)) {
            Some(path) => Err(format!("`{path}` is both a file and a directory")),
            None => Ok(self),
        }
    }

    /// Refuses more entries than are kept, with this many that were not added yet.
    fn check_room(&self, more: usize) -> Result<(), String> {
        let entries = self.files.len() + self.directories.len() + more;
        match entries > ENTRIES || self.path_bytes > PATH_BYTES {
            true => Err(format!(
                "it has more than {ENTRIES} files and directories, or paths of more than {} MiB",
                PATH_BYTES / 1024 / 1024
            )),
            false => Ok(()),
        }
    }

    /// The bytes of a file.
    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        let file = self.files.get(path).filter(|file| file.kind == FileKind::Regular)?;
        self.content(file).ok()
    }

    /// The bytes of a file, given by its entry.
    pub fn content(&self, file: &BundledFile) -> Result<Vec<u8>, String> {
        let mut content = Vec::with_capacity(file.size);
        let read = self.reader(file).read_to_end(&mut content);
        read.map(|_| content).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => error.to_string(),
            _ => format!("cannot be read: {error}"),
        })
    }

    /// Reads a file, given by its entry; bytes that are not what they should be are an error.
    fn reader<'a>(&'a self, file: &BundledFile) -> Box<dyn Read + 'a> {
        match &file.data {
            StoredBytes::Plain(range) => Box::new(self.bytes.reader(range.clone())),
            StoredBytes::Deflated(range, crc) => {
                Box::new(Inflate::new(self.bytes.parts(range.clone()), file.size, *crc))
            }
        }
    }

    /// The skills in it: directories with a `SKILL.md`, or the bundle itself. The search follows
    /// the same rules as on disk.
    pub fn skills(self: &Arc<Self>) -> Vec<PackedSkill> {
        let mut found: BTreeMap<&str, &str> = BTreeMap::new();
        for path in self.files.keys().chain(&self.directories) {
            let (root, name) = path.rsplit_once('/').unwrap_or(("", path));
            if is_skill_md(name.as_ref()) && self.is_searched(root) {
                let first = found.entry(root).or_insert(name);
                if name == SKILL_MD {
                    *first = name;
                }
            }
        }
        let is_inside = |root: &str| {
            let is_found = ancestors(root).any(|parent| found.contains_key(parent));
            is_found || (!root.is_empty() && found.contains_key(""))
        };
        let skill = |(root, name): (&&str, &&str)| PackedSkill {
            bundle: Arc::clone(self),
            root: (*root).to_owned(),
            skill_md: (*name).to_owned(),
            is_nested: is_inside(root),
        };
        found.iter().map(skill).collect()
    }

    /// Whether a search comes to this directory: neither it nor one above it is passed over.
    pub fn is_searched(&self, directory: &str) -> bool {
        let base = self.base();
        let Ok(inner) = Path::new(directory).strip_prefix(base) else { return false };
        let is_cache = |parent: &str| {
            parent.len() > base.len() && self.files.contains_key(&format!("{parent}/{CACHE_TAG}"))
        };
        !inner.iter().any(is_skipped) && !ancestors(directory).any(is_cache)
    }

    /// The files of a skill, as on disk, without entries that `skip` accepts by their path below
    /// the skill.
    pub fn inventory(&self, root: &str, skip: &dyn Fn(&Path, FileKind) -> bool) -> Inventory {
        let mut inventory = Inventory::default();
        let is_kept = |entry: &FileEntry| !skip(&entry.path, entry.kind);
        let mut entries = self.listed(root);
        entries.retain(is_kept);
        if entries.iter().any(|entry| entry.kind == FileKind::Symlink) {
            entries = links::through_links(self, root, entries, &is_kept);
            entries.retain(is_kept);
        }
        entries.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        for entry in entries {
            let depth = entry.path.components().count();
            if let ControlFlow::Break(excess) = inventory.within_bounds(&entry.path, depth) {
                inventory.excess = Some(excess);
                break;
            }
            inventory.bytes = inventory.bytes.saturating_add(entry.bytes);
            inventory.entries.push(entry);
        }
        inventory
    }
}

impl Bundle {
    /// The file at this path.
    pub fn file(&self, path: &str) -> Option<&BundledFile> {
        self.files.get(path)
    }

    /// Whether there is a directory at this path.
    pub fn has_directory(&self, path: &str) -> bool {
        path.is_empty() || self.directories.contains(path)
    }

    /// Everything below a directory, by its path there.
    pub fn listed(&self, directory: &str) -> Vec<FileEntry> {
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let inner = |path: &str| PathBuf::from(&path[prefix.len()..]);
        let directories = self.directories.range(prefix.clone()..);
        let directories = directories.take_while(|path| path.starts_with(&prefix));
        let directories =
            directories.map(|path| FileEntry::new(inner(path), FileKind::Directory, 0, false));
        let files = self.files.range(prefix.clone()..);
        let files = files.take_while(|(path, _)| path.starts_with(&prefix));
        let files = files.map(|(path, file)| {
            FileEntry::new(inner(path), file.kind, file.size as u64, file.executable)
        });
        directories.chain(files).collect()
    }
}

/// The parent directory of a path, unless that is the root.
fn above(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(parent, _)| parent)
}

/// The directories above a path, the nearest first, without the root.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(above(path), |parent| above(parent))
}
