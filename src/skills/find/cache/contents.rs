//! What is in the cache, and how to make it smaller without disturbing other runs.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use walkdir::WalkDir;

use super::answers::ANSWERS;
use super::blobs::BLOBS;
use super::{GIT, Shelf};
use crate::skills::files::atomic;
use crate::skills::files::own_names;
use crate::skills::files::platform::Directory;
use crate::skills::model::error::{Error, Result};

/// How a repository is called that is being removed.
const REMOVED: &str = "removed";

/// Something in the cache that is removed as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheEntry {
    /// The directory it is in: `git`, `archives` or `registries`.
    pub shelf: &'static str,
    /// Its size.
    pub bytes: u64,
    /// When it was used last.
    pub used: SystemTime,
    /// Its files and directories.
    paths: Vec<PathBuf>,
    /// What must be locked before it is removed.
    lock: Option<PathBuf>,
}

/// What should go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CleaningRules {
    /// What was not used for so long; all of it if neither this nor a size is given.
    pub older_than: Option<Duration>,
    /// What was used least recently, until this is left.
    pub max_bytes: Option<u64>,
}

/// What a cleaning did.
#[derive(Debug, Clone, Default)]
pub struct Cleaned {
    /// What is gone.
    pub removed: Vec<CacheEntry>,
    /// What other runs are using.
    pub kept: Vec<CacheEntry>,
    /// What cannot be removed, and why.
    pub failed: Vec<(CacheEntry, Error)>,
}

/// The parts of a cache directory, in the order in which they are shown.
pub fn shelves() -> [&'static str; 3] {
    let [archives, registries] = Shelf::ALL.map(Shelf::as_str);
    [GIT, archives, registries]
}

/// Everything in a cache directory, least recently used first.
pub fn contents(root: &Path) -> Vec<CacheEntry> {
    let mut entries = repositories(&root.join(GIT));
    for shelf in Shelf::ALL {
        let path = root.join(shelf.as_str());
        for directory in [path.join(BLOBS), path.join(ANSWERS)] {
            entries.extend(files(&directory, shelf.as_str()));
        }
    }
    entries.sort_by_key(|entry| entry.used);
    entries
}

/// Removes what the rules say. What others are using stays.
pub fn clean(root: &Path, rules: CleaningRules, now: SystemTime) -> Cleaned {
    for shelf in Shelf::ALL {
        // Unfinished downloads of runs that were killed.
        if let Ok(directory) = Directory::open(&root.join(shelf.as_str()).join(BLOBS)) {
            atomic::reap(&directory);
        }
    }
    let entries = contents(root);
    let mut left: u64 = entries.iter().map(|entry| entry.bytes).sum();
    let mut cleaned = Cleaned::default();
    for entry in entries {
        let age = now.duration_since(entry.used).unwrap_or_default();
        let goes = match rules {
            CleaningRules { older_than: None, max_bytes: None } => true,
            CleaningRules { older_than, max_bytes } => {
                older_than.is_some_and(|limit| age > limit)
                    || max_bytes.is_some_and(|limit| left > limit)
            }
        };
        if !goes {
            continue;
        }
        match remove(&entry) {
            Ok(true) => {
                left -= entry.bytes.min(left);
                cleaned.removed.push(entry);
            }
            Ok(false) => cleaned.kept.push(entry),
            Err(error) => cleaned.failed.push((entry, error)),
        }
    }
    cleaned
}

/// Repositories with everything that has their name.
fn repositories(directory: &Path) -> Vec<CacheEntry> {
    let mut named: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_lock = path.extension().is_some_and(|extension| extension == "lock");
        if !is_lock {
            named.entry(path.with_extension("lock")).or_default().push(path);
        }
    }
    let entry = |(lock, paths): (PathBuf, Vec<PathBuf>)| {
        let bytes = paths.iter().map(|path| size(path)).sum();
        let used = paths.iter().chain([&lock]).filter_map(|path| used(path)).max();
        let used = used.unwrap_or(SystemTime::UNIX_EPOCH);
        CacheEntry { shelf: GIT, bytes, used, paths, lock: Some(lock) }
    };
    named.into_iter().map(entry).collect()
}

/// The files below a directory, but for unfinished ones.
fn files(directory: &Path, shelf: &'static str) -> Vec<CacheEntry> {
    let files = WalkDir::new(directory).min_depth(1).max_depth(2).into_iter().flatten();
    let files = files
        .filter(|entry| entry.file_type().is_file() && !own_names::is_temporary(entry.file_name()));
    let entry = |file: walkdir::DirEntry| {
        let metadata = file.metadata().ok()?;
        Some(CacheEntry {
            shelf,
            bytes: metadata.len(),
            used: metadata.modified().ok()?,
            paths: vec![file.into_path()],
            lock: None,
        })
    };
    files.filter_map(entry).collect()
}

fn used(path: &Path) -> Option<SystemTime> {
    path.symlink_metadata().ok()?.modified().ok()
}

fn size(path: &Path) -> u64 {
    let files =
        WalkDir::new(path).into_iter().flatten().filter(|entry| !entry.file_type().is_dir());
    files.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
}

/// Removes an entry, unless another run is using it.
fn remove(entry: &CacheEntry) -> Result<bool> {
    let _lock = match &entry.lock {
        None => None,
        Some(lock) => {
            let open = File::options().create(true).append(true).open(lock);
            let file = open.map_err(|error| Error::writing("lock", lock, &error))?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Ok(false),
                Err(TryLockError::Error(error)) => {
                    return Err(Error::writing("lock", lock, &error));
                }
                Ok(()) => Some(file),
            }
        }
    };
    for path in &entry.paths {
        let failed = |error: std::io::Error| Error::writing("remove", path, &error);
        let is_directory = path.symlink_metadata().is_ok_and(|data| data.is_dir());
        if !is_directory {
            fs::remove_file(path).map_err(failed)?;
            continue;
        }
        // Half a repository must not be taken for a whole one.
        let aside = path.with_extension(REMOVED);
        if *path != aside {
            if aside.exists() {
                fs::remove_dir_all(&aside).map_err(failed)?;
            }
            fs::rename(path, &aside).map_err(failed)?;
        }
        fs::remove_dir_all(&aside).map_err(failed)?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: &Path, bytes: usize, days: u64) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, vec![b'x'; bytes]).unwrap();
        let used = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
        File::options().append(true).open(path).unwrap().set_modified(used).unwrap();
    }

    fn sizes(entries: &[CacheEntry]) -> Vec<u64> {
        entries.iter().map(|entry| entry.bytes).collect()
    }

    fn root() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        put(&at("archives/sha256/aa/aa1"), 10, 40);
        put(&at("archives/sha256/ab/ab1"), 20, 3);
        put(&at("archives/answers/b"), 5, 20);
        put(&at("registries/sha256/cc/cc1"), 40, 1);
        put(&at("git/r-1.git/HEAD"), 100, 60);
        put(&at("git/r-1.refs"), 1, 60);
        put(&at("git/r-1.lock"), 0, 60);
        put(&at("git/r-2.lock"), 0, 60);
        put(&at("archives/sha256/.skills-temporary-0123456789abcdef"), 7, 0);
        root
    }

    #[test]
    fn everything_is_counted_and_the_oldest_goes_first() {
        let root = root();
        let all = contents(root.path());
        assert_eq!(all.iter().map(|entry| entry.bytes).sum::<u64>(), 176);
        assert_eq!(all.len(), 5);
        let day = Duration::from_secs(24 * 60 * 60);
        let old = CleaningRules { older_than: Some(day * 30), max_bytes: None };
        let cleaned = clean(root.path(), old, SystemTime::now());
        assert_eq!(sizes(&cleaned.removed), [10]);
        let small = CleaningRules { older_than: None, max_bytes: Some(142) };
        let cleaned = clean(root.path(), small, SystemTime::now());
        assert_eq!(sizes(&cleaned.removed), [5, 20]);
        let all = clean(root.path(), CleaningRules::default(), SystemTime::now());
        assert_eq!(all.removed.len(), 2);
        assert!(contents(root.path()).is_empty());
        assert!(!root.path().join("archives/sha256/.skills-temporary-0123456789abcdef").exists());
    }

    #[test]
    fn what_another_run_uses_stays() {
        let root = root();
        let lock = File::open(root.path().join("git/r-1.lock")).unwrap();
        lock.lock().unwrap();
        let cleaned = clean(root.path(), CleaningRules::default(), SystemTime::now());
        assert_eq!(sizes(&cleaned.kept), [101]);
        assert!(cleaned.failed.is_empty());
        assert!(root.path().join("git/r-1.git/HEAD").exists());
    }

    #[test]
    fn what_cannot_be_removed_stays_with_its_reason() {
        let root = root();
        let lock = root.path().join("git/r-1.lock");
        fs::remove_file(&lock).unwrap();
        fs::create_dir(&lock).unwrap();
        let cleaned = clean(root.path(), CleaningRules::default(), SystemTime::now());
        assert_eq!((cleaned.removed.len(), cleaned.kept.len()), (4, 0));
        let [(entry, error)] = cleaned.failed.as_slice() else { panic!("{cleaned:?}") };
        assert_eq!(entry.bytes, 101);
        assert!(error.message.contains("r-1.lock"), "{}", error.message);
        assert!(root.path().join("git/r-1.git/HEAD").exists());
    }
}
