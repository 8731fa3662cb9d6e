//! Finds the skills of a commit and reads them directly from its objects. Nothing is checked out,
//! so attributes, filters and links have no effect.

use std::path::PathBuf;

use crate::skills::fetch::git::objects::{self, ObjectFault, ObjectKind, Objects, TreeEntry};
use crate::skills::fetch::git::{Commit, Repositories};
use crate::skills::files::FileKind;
use crate::skills::files::inventory::{CACHE_TAG, is_skipped};
use crate::skills::model::bundle::{
    Bundle, BundleOrigin, BundledFile, CONTENT_BYTES, ENTRIES, PATH_BYTES, StoredBytes,
};
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::location::Location;
use crate::skills::model::plugin::ManifestFormat;
use crate::skills::text::document::is_skill_md;
use crate::skills::text::suggest;

/// How many directories are searched. A few hundred bytes can describe a tree of millions.
const DIRECTORIES: usize = 100_000;

/// Maximum depth.
const DEPTH: usize = 100;

/// The largest tree or commit. A tree of this size lists more files than any directory should have.
const TREE_BYTES: usize = 8 * 1024 * 1024;

/// The longest path; no system that checks it out allows more.
const LONGEST_PATH: usize = 4_096;

/// Maximum number of tags that point to tags.
const TAGS: usize = 8;

pub const DIRECTORY: u32 = 0o040_000;

pub const LINK: u32 = 0o120_000;

pub const MODULE: u32 = 0o160_000;

/// Why a commit could not be read.
#[derive(Debug)]
pub enum LoadFault {
    /// The commit or one of its trees is not in the cache.
    Missing,
    /// Only these files are not in the cache.
    MissingFiles(Vec<String>),
    /// The cache is broken.
    Damaged,
    /// It exceeds the limits.
    TooLarge,
    /// Fetching again would not help.
    Failed(Error),
}

impl From<ObjectFault> for LoadFault {
    fn from(fault: ObjectFault) -> Self {
        match fault {
            ObjectFault::Missing => Self::Missing,
            ObjectFault::Damaged => Self::Damaged,
            ObjectFault::TooLarge(_) => Self::TooLarge,
            ObjectFault::Kept(error) => Self::Failed(Error::spooling(&error)),
        }
    }
}

/// The error for a commit that exceeds the limits.
pub fn too_large(commit: &Commit) -> Error {
    let [mebibytes, paths] = [CONTENT_BYTES, PATH_BYTES].map(|bytes| bytes / 1024 / 1024);
    err!(TooLarge, "`{commit}` is too large: at most {DIRECTORIES} directories are searched, {mebibytes} MiB and \
         {ENTRIES} files of skills are read, and paths have at most {LONGEST_PATH} bytes, {paths} MiB in all").help("name a path in the repository")
}

/// Reads every skill at the commit's path or below it.
pub fn load(objects: &mut Objects, commit: &Commit) -> Result<Bundle, LoadFault> {
    let mut walk = TreeWalk::new(objects, commit);
    let root = walk.root()?;
    let (path, tree) = walk.descend(root)?;
    walk.search(path, tree)?;
    let found = std::mem::take(&mut walk.found);
    let manifests = std::mem::take(&mut walk.manifests);
    bundle(walk.objects, commit, found, manifests)
}

/// Whether a cached commit lacks the requested path.
pub fn lacks_path(objects: &mut Objects, commit: &Commit) -> bool {
    let mut walk = TreeWalk::new(objects, commit);
    let Ok(root) = walk.root() else { return false };
    let is_absent = |error: &Error| error.kind == ErrorKind::NotFound;
    matches!(walk.descend(root), Err(LoadFault::Failed(error)) if is_absent(&error))
}

/// A walk through the trees of a commit.
pub struct TreeWalk<'a> {
    pub objects: &'a mut Objects,
    commit: &'a Commit,
    id_length: usize,
    /// The directories that were read.
    directories: usize,
    /// The length of all paths that were kept.
    path_bytes: usize,
    /// The entries of skills that were or will be found.
    expected: usize,
    /// The entries of skills, with their paths.
    found: Vec<(String, TreeEntry)>,
    /// Files that may describe plugins.
    manifests: Vec<(String, TreeEntry)>,
}

impl<'a> TreeWalk<'a> {
    pub const fn new(objects: &'a mut Objects, commit: &'a Commit) -> Self {
        let id_length = commit.id.len();
        Self {
            objects,
            commit,
            id_length,
            directories: 0,
            path_bytes: 0,
            expected: 0,
            found: Vec::new(),
            manifests: Vec::new(),
        }
    }

    /// The directory and the name of the requested file: the path itself, or the file of this name
    /// in the directory at the path. Also returns the other entries there.
    pub fn find(&mut self, name: &str) -> Result<(String, Vec<TreeEntry>, String), LoadFault> {
        let (mut path, mut tree) = (String::new(), self.root()?);
        let commit = self.commit;
        let mut parts = commit.location.path.split('/').filter(|part| !part.is_empty()).peekable();
        while let Some(part) = parts.next() {
            let entries = self.tree(&tree)?;
            match entries.iter().find(|entry| entry.name == part.as_bytes()) {
                Some(entry) if entry.is_directory() => {
                    path = join(&path, part);
                    tree = entry.id.clone();
                }
                Some(_) if parts.peek().is_none() => return Ok((path, entries, part.to_owned())),
                Some(entry) => return Err(self.not_a_directory(part, entry)),
                None => return Err(LoadFault::Failed(self.not_there(&path, part, &entries))),
            }
        }
        let entries = self.tree(&tree)?;
        Ok((path, entries, name.to_owned()))
    }

    /// The tree of the commit.
    fn root(&mut self) -> Result<String, LoadFault> {
        let mut id = self.commit.id.clone();
        for _ in 0..TAGS {
            let object = self.objects.read(&id, TREE_BYTES)?;
            let first = object.bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let line = String::from_utf8_lossy(first);
            match (object.kind, line.split_once(' ')) {
                (ObjectKind::Tree, _) => return Ok(id),
                (ObjectKind::Commit, Some(("tree", tree))) => return Ok(tree.to_owned()),
                (ObjectKind::Tag, Some(("object", object))) => object.clone_into(&mut id),
                _ => break,
            }
        }
        Err(self.refused("it is not a commit"))
    }

    fn tree(&mut self, id: &str) -> Result<Vec<TreeEntry>, LoadFault> {
        self.directories += 1;
        if self.directories > DIRECTORIES {
            return Err(LoadFault::TooLarge);
        }
        let object = self.objects.read(id, TREE_BYTES)?;
        let entries = if object.kind == ObjectKind::Tree {
            objects::tree(&object.bytes, self.id_length)
        } else {
            None
        };
        entries.ok_or(LoadFault::Damaged)
    }

    /// Follows the path in the location.
    fn descend(&mut self, root: String) -> Result<(String, String), LoadFault> {
        let (mut path, mut tree) = (String::new(), root);
        let commit = self.commit;
        for part in commit.location.path.split('/').filter(|part| !part.is_empty()) {
            let entries = self.tree(&tree)?;
            match entries.iter().find(|entry| entry.name == part.as_bytes()) {
                Some(entry) if entry.is_directory() => {
                    path = join(&path, part);
                    tree = entry.id.clone();
                }
                // A path to `SKILL.md` means its directory.
                Some(_) if is_skill_md(part.as_ref()) => return Ok((path, tree)),
                Some(entry) => return Err(self.not_a_directory(part, entry)),
                None => return Err(LoadFault::Failed(self.not_there(&path, part, &entries))),
            }
        }
        Ok((path, tree))
    }

    fn not_a_directory(&self, part: &str, entry: &TreeEntry) -> LoadFault {
        let what = if entry.mode == LINK { "a symbolic link" } else { "not a directory" };
        LoadFault::Failed(err!(NotDirectory, "`{part}` is {what} in `{}`", self.commit))
    }

    fn not_there(&self, path: &str, part: &str, entries: &[TreeEntry]) -> Error {
        let wanted = join(path, part);
        let names: Vec<&str> = entries
            .iter()
            .filter(|entry| entry.is_directory())
            .filter_map(|entry| std::str::from_utf8(&entry.name).ok())
            .collect();
        let error = err!(NotFound, "there is no `{wanted}` in `{}`", self.commit);
        match suggest::nearest(part, names.iter().copied()) {
            Some(near) => error.help(format!("did you mean `{}`?", join(path, near))),
            None if names.is_empty() => error,
            None => error.help(format!("directories there: {}", suggest::some(&names))),
        }
    }

    /// Looks for skills, level by level.
    fn search(&mut self, path: String, tree: String) -> Result<(), LoadFault> {
        let mut level = vec![(path, tree)];
        let mut depth = 0;
        while !level.is_empty() {
            let mut next = Vec::new();
            let mut waiting = level.len();
            for (path, tree) in level {
                waiting -= 1;
                let entries = self.tree(&tree)?;
                let has = |name: &dyn Fn(&str) -> bool| {
                    entries.iter().any(|one| std::str::from_utf8(&one.name).is_ok_and(name))
                };
                if has(&|name| is_skill_md(name.as_ref())) {
                    self.collect(&path, entries, 0)?;
                } else if depth == 0 || !has(&|name| name == CACHE_TAG) {
                    self.collect_manifests(&path, &entries)?;
                    self.queue(&path, &entries, waiting, &mut next)?;
                }
            }
            depth += 1;
            if depth > DEPTH && !next.is_empty() {
                return Err(LoadFault::TooLarge);
            }
            level = next;
        }
        Ok(())
    }

    /// Collects files of a directory that may describe plugins.
    fn collect_manifests(&mut self, path: &str, entries: &[TreeEntry]) -> Result<(), LoadFault> {
        for entry in entries.iter().filter(|entry| entry.instead_of_file().is_none()) {
            let Some(name) = self.name(entry)? else { continue };
            let inner = join(path, name);
            if ManifestFormat::of_path(&inner).is_some() {
                if self.manifests.len() >= ENTRIES {
                    return Err(LoadFault::TooLarge);
                }
                let inner = self.kept(inner)?;
                self.manifests.push((inner, entry.clone()));
            }
        }
        Ok(())
    }

    /// Collects all entries of a skill.
    fn collect(
        &mut self,
        path: &str,
        entries: Vec<TreeEntry>,
        depth: usize,
    ) -> Result<(), LoadFault> {
        // Those above wait in memory until those below were collected.
        self.expected += entries.len();
        if self.expected > ENTRIES {
            return Err(LoadFault::TooLarge);
        }
        for entry in entries {
            let Some(name) = self.name(&entry)? else {
                return Err(self.refused(&format!("a name in `{path}` is not UTF-8")));
            };
            let inner = self.kept(join(path, name))?;
            let is_directory = entry.is_directory();
            let id = entry.id.clone();
            self.found.push((inner.clone(), entry));
            if is_directory && depth < DEPTH {
                let below = self.tree(&id)?;
                self.collect(&inner, below, depth + 1)?;
            }
        }
        Ok(())
    }

    /// The name of an entry, one plain path component; none if it is not UTF-8.
    fn name<'e>(&self, entry: &'e TreeEntry) -> Result<Option<&'e str>, LoadFault> {
        match std::str::from_utf8(&entry.name) {
            Ok(name) if matches!(name, "" | "." | "..") || name.contains('/') => {
                Err(self.refused("a name in it is not a plain file name"))
            }
            other => Ok(other.ok()),
        }
    }

    /// Adds the directories to search next, behind this many that wait. All of them will be read, so
    /// too many are known before they fill the memory.
    fn queue(
        &mut self,
        path: &str,
        entries: &[TreeEntry],
        waiting: usize,
        next: &mut Vec<(String, String)>,
    ) -> Result<(), LoadFault> {
        for entry in entries.iter().filter(|entry| entry.is_directory()) {
            if let Some(name) = self.name(entry)?.filter(|name| !is_skipped(name.as_ref())) {
                if self.directories + waiting + next.len() >= DIRECTORIES {
                    return Err(LoadFault::TooLarge);
                }
                next.push((self.kept(join(path, name))?, entry.id.clone()));
            }
        }
        Ok(())
    }

    /// A path that is kept, if it is not too long and there is room for it.
    fn kept(&mut self, path: String) -> Result<String, LoadFault> {
        self.path_bytes += path.len();
        match path.len() > LONGEST_PATH || self.path_bytes > PATH_BYTES {
            true => Err(LoadFault::TooLarge),
            false => Ok(path),
        }
    }

    fn refused(&self, reason: &str) -> LoadFault {
        LoadFault::Failed(err!(Validation, "`{}` is refused: {reason}", self.commit))
    }
}

impl TreeEntry {
    fn is_directory(&self) -> bool {
        self.mode == DIRECTORY
    }

    /// Its kind, if it is not a regular file.
    pub const fn instead_of_file(&self) -> Option<&'static str> {
        match self.mode {
            DIRECTORY => Some("a directory"),
            LINK => Some("a symbolic link"),
            MODULE => Some("a submodule"),
            mode if is_known(mode) => None,
            _ => Some("something else"),
        }
    }
}

/// The modes of files and links; old versions of git wrote the last one.
pub const fn is_known(mode: u32) -> bool {
    matches!(mode, LINK | 0o100_644 | 0o100_755 | 0o100_664)
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}

// Reads the files of a commit that were found.

/// The largest manifest of a plugin.
const MANIFEST_BYTES: usize = 1024 * 1024;

/// The start of a file whose content is not in the repository.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Reads the files that were found.
pub fn bundle(
    objects: &mut Objects,
    commit: &Commit,
    found: Vec<(String, TreeEntry)>,
    manifests: Vec<(String, TreeEntry)>,
) -> Result<Bundle, LoadFault> {
    let refused =
        |reason: String| LoadFault::Failed(err!(Validation, "`{commit}` is refused: {reason}"));
    let origin = BundleOrigin::Commit(commit.clone());
    let mut bundle = Bundle::new(PathBuf::from(commit.to_string()), origin, Vec::new());
    let mut missing = Vec::new();
    let mut left = CONTENT_BYTES;
    let found = found.into_iter().map(|found| (found, false));
    let manifests = manifests.into_iter().map(|found| (found, true));
    for ((path, entry), is_manifest) in found.chain(manifests) {
        let added = match entry.mode {
            DIRECTORY => bundle.add_directory(path),
            MODULE => bundle.add_file(path, nothing("a submodule, which is not fetched")),
            mode => {
                let most = if is_manifest { left.min(MANIFEST_BYTES) } else { left };
                let file = match read(objects, &entry, most, &mut bundle) {
                    Ok((ObjectKind::Blob, file)) if is_known(mode) => file,
                    Ok(_) => return Err(refused(format!("`{path}` is not a file"))),
                    Err(ObjectFault::Missing) => {
                        missing.push(entry.id);
                        continue;
                    }
                    // It is not part of a skill, so it does not spoil the skills. Its bytes count,
                    // because git sends them.
                    Err(ObjectFault::TooLarge(size)) if is_manifest && size <= left => {
                        left -= size;
                        let _ = bundle.add_file(path, nothing("larger than a manifest may be"));
                        continue;
                    }
                    Err(fault) => return Err(fault.into()),
                };
                left -= file.size;
                bundle.add_file(path, file)
            }
        };
        added.map_err(refused)?;
    }
    if !missing.is_empty() {
        missing.sort_unstable();
        missing.dedup();
        return Err(LoadFault::MissingFiles(missing));
    }
    bundle.finish().map_err(refused)
}

/// Reads one file into the bundle, part by part: it may be larger than all memory.
fn read(
    objects: &mut Objects,
    entry: &TreeEntry,
    most: usize,
    bundle: &mut Bundle,
) -> Result<(ObjectKind, BundledFile), ObjectFault> {
    let mut place = bundle.store(&[]).map_err(ObjectFault::Kept)?;
    let mut is_pointer = false;
    let object = objects.read_parts(&entry.id, most, &mut |part| {
        is_pointer |= place.is_empty() && part.starts_with(LFS_POINTER);
        place.end = bundle.store(part)?.end;
        Ok(())
    })?;
    if is_pointer {
        return Ok((object, nothing("a Git LFS pointer without its content")));
    }
    let kind = if entry.mode == LINK { FileKind::Symlink } else { FileKind::Regular };
    let (executable, size) = (entry.mode & 0o111 != 0, place.len());
    let data = StoredBytes::Plain(place);
    Ok((object, BundledFile { kind, executable, size, data }))
}

/// An entry without content.
fn nothing(what: &'static str) -> BundledFile {
    BundledFile {
        kind: FileKind::Special(what),
        executable: false,
        size: 0,
        data: StoredBytes::Plain(0..0),
    }
}

// Reads single files of a commit: a requested one, and one beside it.

/// Which files are wanted, and how large they may be.
#[derive(Debug, Clone, Copy)]
pub struct WantedFiles<'a> {
    /// The file to read if the location is a directory.
    pub name: &'a str,
    /// The maximum size of that file.
    pub bytes: usize,
    /// Returns the name of the second file for that of the first.
    pub beside: fn(&str) -> String,
    /// The maximum size of the second file.
    pub beside_bytes: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitFiles {
    /// The commit, and the directory of the files.
    pub commit: Commit,
    /// The name of the file.
    pub name: String,
    pub bytes: Vec<u8>,
    /// The bytes of the file beside it, if there is one.
    pub beside: Option<Vec<u8>>,
}

impl Repositories {
    /// Reads a file at a location, or in the directory there, and the file beside it.
    ///
    /// # Errors
    /// Fails like [`Self::open`], and for a file that is missing, too large, or not regular.
    pub fn open_files(&self, location: &Location, wanted: WantedFiles<'_>) -> Result<CommitFiles> {
        self.read(location, None, &|objects, commit| read_files(objects, commit, wanted))
    }
}

fn read_files(
    objects: &mut Objects,
    commit: &Commit,
    wanted: WantedFiles<'_>,
) -> Result<CommitFiles, LoadFault> {
    let mut walk = TreeWalk::new(objects, commit);
    let (directory, entries, name) = walk.find(wanted.name)?;
    let beside = (wanted.beside)(&name);
    let id_of = |name: &str| entries.iter().find(|entry| entry.name == name.as_bytes());
    let place = |name: &str| match directory.as_str() {
        "" => format!("{commit}/{name}"),
        directory => format!("{commit}/{directory}/{name}"),
    };
    let Some(file) = id_of(&name) else {
        return Err(LoadFault::Failed(err!(NotFound, "there is no `{}`", place(&name))));
    };
    let files = [
        Some((file, name.as_str(), wanted.bytes)),
        id_of(&beside).map(|file| (file, beside.as_str(), wanted.beside_bytes)),
    ];
    let (mut contents, mut missing) = (Vec::new(), Vec::new());
    for (entry, name, most) in files.into_iter().flatten() {
        if let Some(what) = entry.instead_of_file() {
            return Err(LoadFault::Failed(err!(
                Manifest,
                "`{}` is {what}, not a regular file",
                place(name)
            )));
        }
        match walk.objects.read(&entry.id, most) {
            Ok(object) if object.kind == ObjectKind::Blob => contents.push(object.bytes),
            Ok(_) => return Err(LoadFault::Damaged),
            Err(ObjectFault::Missing) => missing.push(entry.id.clone()),
            Err(ObjectFault::TooLarge(_)) => {
                return Err(LoadFault::Failed(err!(
                    Manifest,
                    "`{}` is larger than {most} bytes",
                    place(name)
                )));
            }
            Err(fault) => return Err(fault.into()),
        }
    }
    if !missing.is_empty() {
        missing.sort_unstable();
        missing.dedup();
        return Err(LoadFault::MissingFiles(missing));
    }
    let mut contents = contents.into_iter();
    let location = Location { path: directory, ..commit.location.clone() };
    Ok(CommitFiles {
        commit: Commit { location, id: commit.id.clone() },
        name,
        bytes: contents.next().unwrap_or_default(),
        beside: contents.next(),
    })
}
