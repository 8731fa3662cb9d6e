//! The user's cache directory, `$XDG_CACHE_HOME/skills`: fetched repositories, and what was
//! downloaded, named by the SHA-256 of its bytes. All of it may be deleted at any time.
//!
//! A file takes its place when it is complete, and is checked whenever it is read: a damaged one is
//! removed, and fetched again by whoever wanted it. Runs share the cache without waiting, because a
//! file with one name has one content.

mod answers;
mod blobs;
mod contents;

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind as IoErrorKind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crate::skills::files::platform::{self, Directory};
use crate::skills::files::skipped::CACHE_TAG;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, Result, err};

pub use blobs::Blob;
pub use contents::{CacheEntry, Cleaned, CleaningRules, clean, contents, shelves};

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
        for directory in [&root, &path, &path.join(answers::ANSWERS)] {
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
    match platform::make_directory(path) {
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
