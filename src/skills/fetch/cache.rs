//! The user's cache directory, `$XDG_CACHE_HOME/skills`: fetched repositories, and what was
//! downloaded, named by the SHA-256 of its bytes. All of it may be deleted at any time.
//!
//! A file takes its place when it is complete, and is checked whenever it is read: a damaged one is
//! removed, and fetched again by whoever wanted it. Runs share the cache without waiting, because a
//! file with one name has one content.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind as IoErrorKind, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use walkdir::WalkDir;

use crate::skills::files::atomic::{self, Temporary};
use crate::skills::files::digest::{self, FileHash};
use crate::skills::files::inventory::CACHE_TAG;
use crate::skills::files::{self, Directory, content};
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, Result, err};

/// See <https://bford.info/cachedir/>: backups leave the directory out.
const CACHE_SIGNATURE: &str = "Signature: 8a477f597d28d172789f06886806bc55\n\
    # What `skills` has fetched. All of it may be deleted.\n";

/// How long to wait for another run, and when to announce it.
const LOCK_PATIENCE: Duration = Duration::from_secs(300);

const LOCK_SILENCE: Duration = Duration::from_secs(1);

const LOCK_TICK: Duration = Duration::from_millis(20);

/// The directory of fetched repositories.
pub const GIT: &str = "git";

/// What a part of the cache is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shelf {
    /// Archives and sites.
    Archives,
    Registries,
}

impl Shelf {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Archives, Self::Registries];

    /// The name of its directory.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Archives => "archives",
            Self::Registries => "registries",
        }
    }
}

/// What was downloaded, for one kind of source.
#[derive(Debug, Clone)]
pub struct Cache {
    /// The shelf's directory.
    path: PathBuf,
}

impl Cache {
    /// Opens a shelf; nothing is created before something is kept.
    pub fn open(environment: &Environment, shelf: Shelf) -> Result<Self> {
        let root = root(environment)?;
        let path = root.join(shelf.as_str());
        // What servers said is believed without a network.
        for directory in [&root, &path, &path.join(ANSWERS)] {
            refuse_shared(directory)?;
        }
        Ok(Self { path })
    }

    /// Creates a directory of the shelf.
    fn make(&self, name: &str) -> Result<PathBuf> {
        if let Some(root) = self.path.parent() {
            prepare(root)?;
        }
        make_private(&self.path)?;
        let path = self.path.join(name);
        make_private(&path)?;
        Ok(path)
    }
}

/// The cache directory.
pub fn root(environment: &Environment) -> Result<PathBuf> {
    let set = environment.variable("XDG_CACHE_HOME").map(PathBuf::from);
    let set = set.filter(|path| path.is_absolute());
    let cache = set.or_else(|| environment.home.as_ref().map(|home| home.join(".cache")));
    let cache = cache.ok_or_else(|| {
        err!(Usage, "there is no directory to cache sources in")
            .help("set HOME or XDG_CACHE_HOME to a directory")
    })?;
    Ok(cache.join("skills"))
}

/// Creates the cache directory, and marks it for backups.
pub fn prepare(root: &Path) -> Result<()> {
    make_private(root)?;
    let tag = root.join(CACHE_TAG);
    if !tag.exists() {
        fs::write(&tag, CACHE_SIGNATURE).map_err(|error| Error::io("write", &tag, &error))?;
    }
    Ok(())
}

/// Creates a private directory, because what is in it is trusted.
pub fn make_private(path: &Path) -> Result<()> {
    if let Some(above) = path.parent() {
        fs::create_dir_all(above).map_err(|error| Error::io("make", above, &error))?;
    }
    match files::make_directory(path) {
        Err(error) if error.kind() != IoErrorKind::AlreadyExists => {
            return Err(Error::io("make", path, &error));
        }
        _ => {}
    }
    refuse_shared(path)
}

/// Refuses a directory that others can write to; one that is not there is fine.
fn refuse_shared(path: &Path) -> Result<()> {
    let private = Directory::open(path).and_then(|directory| directory.is_private());
    match private {
        Ok(true) => Ok(()),
        Ok(false) => Err(err!(Io, "others can write to `{}`, so it is not used", path.display())
            .at(path)
            .help("set XDG_CACHE_HOME to a directory of your own, or remove their permissions")),
        Err(error) if error.kind() == IoErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::io("read directory", path, &error)),
    }
}

/// Waits for a lock; none on a read-only file system, which needs no lock.
pub fn lock(path: &Path, waiting: impl Fn()) -> Result<Option<File>> {
    let cannot = |error: &std::io::Error| Error::io("lock", path, error);
    let file = match File::options().create(true).append(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == IoErrorKind::ReadOnlyFilesystem => return Ok(None),
        Err(error) => return Err(cannot(&error)),
    };
    let begun = Instant::now();
    let mut is_said = false;
    loop {
        match file.try_lock() {
            Ok(()) => {
                // `cache clean` goes by the last use.
                let _ = file.set_modified(SystemTime::now());
                return Ok(Some(file));
            }
            Err(TryLockError::Error(error)) => return Err(cannot(&error)),
            Err(TryLockError::WouldBlock) if begun.elapsed() > LOCK_PATIENCE => {
                return Err(
                    err!(Io, "another run has held `{}` for too long", path.display()).at(path)
                );
            }
            Err(TryLockError::WouldBlock) => {
                if begun.elapsed() > LOCK_SILENCE && !std::mem::replace(&mut is_said, true) {
                    waiting();
                }
                thread::sleep(LOCK_TICK);
            }
        }
    }
}

// What servers said last, for runs without a network: which bytes an address or a tag meant.

/// The directory of answers.
pub const ANSWERS: &str = "answers";

/// The largest answer that is kept.
const ANSWER_BYTES: u64 = 8 * 1024 * 1024;

impl Cache {
    /// What was answered last to a question, such as an address or a tag.
    pub fn answer(&self, question: &str) -> Option<Vec<u8>> {
        let file = files::open_without_following(&self.answer_path(question)).ok()?;
        let bytes = content::whole(file, ANSWER_BYTES).ok()?;
        // The question stands in the first line, so that nobody else's answer is taken for it.
        let rest = bytes.strip_prefix(question.as_bytes())?.strip_prefix(b"\n")?;
        Some(rest.to_vec())
    }

    /// Keeps an answer, and replaces an older one.
    pub fn keep_answer(&self, question: &str, answer: &[u8]) -> Result<()> {
        self.make(ANSWERS)?;
        let path = self.answer_path(question);
        let text = [question.as_bytes(), b"\n", answer].concat();
        atomic::write(&path, &text).map_err(|error| Error::writing("write", &path, &error))
    }

    fn answer_path(&self, question: &str) -> PathBuf {
        self.path.join(ANSWERS).join(digest::of_bytes(question.as_bytes()).to_string())
    }
}

// Downloaded files, by the SHA-256 of their bytes.

/// The directory of files.
pub const BLOBS: &str = "sha256";

/// A file of the cache, checked and open at its beginning.
#[derive(Debug)]
pub struct Blob {
    pub file: File,
    /// The hash of its bytes.
    pub hash: FileHash,
    /// Its size.
    pub bytes: u64,
    /// Where it is; another run may have removed it from there.
    pub path: PathBuf,
}

/// A file that is being written. It is gone when it is dropped.
#[derive(Debug)]
pub struct BlobDraft {
    temporary: Temporary<Arc<Directory>>,
    directory: PathBuf,
}

impl Cache {
    /// The file with this hash. One that is damaged is removed, and is then none.
    pub fn blob(&self, hash: FileHash) -> Result<Option<Blob>> {
        let path = self.blob_path(hash);
        let Ok(file) = files::open_without_following(&path) else { return Ok(None) };
        let read = digest::of_reader(&file);
        if matches!(&read, Ok(own) if *own == hash) {
            // `cache clean` goes by the last use.
            let _ = file.set_modified(SystemTime::now());
            return opened(file, hash, path).map(Some);
        }
        tracing::debug!(path = %path.display(), "a cached file is damaged; removing it");
        drop(file);
        let removed = match path.is_dir() {
            true => fs::remove_dir_all(&path),
            false => fs::remove_file(&path),
        };
        removed.map_err(|error| Error::writing("remove", &path, &error))?;
        Ok(None)
    }

    /// Whether there is a file with this hash, which was not checked.
    pub fn has_blob(&self, hash: FileHash) -> bool {
        self.blob_path(hash).is_file()
    }

    /// Begins a file.
    pub fn draft(&self) -> Result<BlobDraft> {
        let directory = self.make(BLOBS)?;
        let cannot = |error: std::io::Error| {
            Error::writing("write to", &directory, &error)
                .help("free some space there, or set XDG_CACHE_HOME to another directory")
        };
        let open = Arc::new(Directory::open(&directory).map_err(cannot)?);
        // What killed runs left.
        atomic::reap(&open);
        let temporary = Temporary::make(open, 0o600).map_err(cannot)?;
        Ok(BlobDraft { temporary, directory })
    }

    fn blob_path(&self, hash: FileHash) -> PathBuf {
        below(&self.path.join(BLOBS), hash)
    }
}

impl BlobDraft {
    /// The file to write to.
    pub fn file(&mut self) -> Result<&mut File> {
        let directory = &self.directory;
        self.temporary.file().ok_or_else(|| Error::unreadable(directory, "it was closed"))
    }

    /// Keeps the complete file under the hash of its bytes, which the caller has computed, and
    /// returns it open at its beginning.
    pub fn keep(self, hash: FileHash) -> Result<Blob> {
        let path = below(&self.directory, hash);
        let cannot = |error: std::io::Error| Error::writing("write", &path, &error);
        // Not synced: whoever reads it checks it, and a thousand files would take seconds.
        let above = path.parent().unwrap_or(&self.directory);
        make_private(above)?;
        let to = Directory::open(above).map_err(cannot)?;
        let name = path.file_name().unwrap_or_default();
        self.temporary.put_in(&to, name).map_err(cannot)?;
        let file = to.file(name).map_err(cannot)?;
        opened(file, hash, path)
    }
}

fn opened(mut file: File, hash: FileHash, path: PathBuf) -> Result<Blob> {
    let cannot = |error: std::io::Error| Error::io("read", &path, &error);
    file.seek(SeekFrom::Start(0)).map_err(cannot)?;
    let bytes = file.metadata().map_err(cannot)?.len();
    Ok(Blob { file, hash, bytes, path })
}

/// Where a file is: large directories are slow on some systems.
fn below(directory: &Path, hash: FileHash) -> PathBuf {
    let name = hash.to_string();
    directory.join(&name[..2]).join(name)
}

// What is in the cache, and how to make it smaller without disturbing other runs.

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
        .filter(|entry| entry.file_type().is_file() && !atomic::is_temporary(entry.file_name()));
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
    use std::io::{Read, Write};

    use super::*;
    use crate::skills::model::environment::Environment;
    use Shelf;

    fn cache(home: &Path) -> Cache {
        let variables = [("HOME".into(), home.as_os_str().to_owned())];
        Cache::open(&Environment::new(home.to_owned(), variables), Shelf::Archives).unwrap()
    }

    fn keep(cache: &Cache, bytes: &[u8]) -> Blob {
        let mut draft = cache.draft().unwrap();
        draft.file().unwrap().write_all(bytes).unwrap();
        draft.keep(digest::of_bytes(bytes)).unwrap()
    }

    #[test]
    fn a_file_reads_back_and_a_damaged_one_is_gone() {
        let home = tempfile::tempdir().unwrap();
        let cache = cache(home.path());
        let hash = digest::of_bytes(b"text");
        assert!(cache.blob(hash).unwrap().is_none());
        let mut text = String::new();
        keep(&cache, b"text").file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
        let blob = cache.blob(hash).unwrap().unwrap();
        assert_eq!((blob.bytes, blob.hash), (4, hash));
        fs::write(&blob.path, "tex!").unwrap();
        assert!(cache.has_blob(hash));
        assert!(cache.blob(hash).unwrap().is_none());
        assert!(!cache.has_blob(hash));
        keep(&cache, b"text");
        assert!(cache.blob(hash).unwrap().is_some());
    }

    #[test]
    fn what_is_given_up_or_left_by_a_killed_run_is_gone() {
        let home = tempfile::tempdir().unwrap();
        let cache = cache(home.path());
        let directory = cache.make(BLOBS).unwrap();
        let entries = || fs::read_dir(&directory).unwrap().count();
        let draft = cache.draft().unwrap();
        assert_eq!(entries(), 1);
        drop(draft);
        assert_eq!(entries(), 0);
        fs::write(directory.join(".skills-temporary-0123456789abcdef"), "half").unwrap();
        let (one, two) = (cache.draft().unwrap(), cache.draft().unwrap());
        assert_eq!(entries(), 2);
        drop((one, two));
    }

    #[test]
    fn answers_belong_to_their_questions() {
        let home = tempfile::tempdir().unwrap();
        let cache = cache(home.path());
        assert_eq!(cache.answer("https://h/a"), None);
        cache.keep_answer("https://h/a", b"one").unwrap();
        cache.keep_answer("https://h/a", b"two").unwrap();
        assert_eq!(cache.answer("https://h/a"), Some(b"two".to_vec()));
        assert_eq!(cache.answer("https://h/b"), None);
    }
}

#[cfg(test)]
mod contents_tests {
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
