//! A skills directory that is being worked on: open, locked, and free of what killed runs left.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::install::index::Index;
use crate::skills::install::transaction;
use crate::skills::platform::{self, Directory, FileIdentity};
use crate::skills::reporter::Reporter;

/// The file whose lock keeps two runs apart.
pub const LOCK_NAME: &str = ".skills-index.lock";
/// How often a lock that is taken is tried again.
const PATIENCE: Duration = Duration::from_millis(20);

/// A skills directory that no other run works on.
#[derive(Debug)]
pub struct Site {
    /// Its real path.
    pub path: PathBuf,
    /// For reaching what is inside.
    pub directory: Directory,
    /// What was installed here.
    pub index: Index,
    /// Whether an interrupted run was cleaned up.
    pub recovered: bool,
    /// Directories that were made on the way here, the outermost first.
    made: Vec<PathBuf>,
    _lock: File,
}

impl Site {
    /// Makes the directory if need be, waits for its lock, and cleans up after killed runs.
    ///
    /// # Errors
    /// A directory that cannot be made or written to, a lock that stays taken, an index that
    /// cannot be read.
    pub fn open(path: &Path, timeout: Duration, reporter: &dyn Reporter) -> Result<Self> {
        loop {
            let made = make(path)?;
            match Self::open_made(path, timeout, reporter) {
                Ok(Some(site)) => return Ok(Self { made, ..site }),
                // The run that held the lock removed the directory again.
                Ok(None) => {}
                Err(error) => {
                    unmake(&made);
                    return Err(error);
                }
            }
        }
    }

    fn open_made(path: &Path, timeout: Duration, reporter: &dyn Reporter) -> Result<Option<Self>> {
        let (path, directory) = real_directory(path)?;
        let Some(lock) = lock(&directory, &path, timeout, reporter)? else { return Ok(None) };
        let recovered = transaction::recover(&directory, &path)?;
        let index = Index::read(&directory, &path)?;
        Ok(Some(Self { path, directory, index, recovered, made: Vec::new(), _lock: lock }))
    }

    /// Leaves nothing behind of a directory in which nothing was installed.
    pub fn abandon(self) {
        if self.made.is_empty() {
            return;
        }
        let _ = self.directory.remove_file(OsStr::new(LOCK_NAME));
        unmake(&self.made);
    }
}

/// The real path of a directory, and the directory. A link is followed once.
///
/// # Errors
/// Something that is no directory.
pub fn real_directory(path: &Path) -> Result<(PathBuf, Directory)> {
    let real = path.canonicalize().map_err(|error| Error::io("open", path, &error))?;
    let directory = Directory::open(&real).map_err(|error| match error.kind() {
        io::ErrorKind::NotADirectory => {
            let message = format!("`{}` is not a directory", path.display());
            Error::new(ErrorKind::NotDirectory, message).at(path)
        }
        _ => Error::io("open", &real, &error),
    })?;
    Ok((real, directory))
}

/// Makes a directory and those above it; returns those that were not there.
fn make(path: &Path) -> Result<Vec<PathBuf>> {
    let mut missing: Vec<PathBuf> = path
        .ancestors()
        .take_while(|path| {
            path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        })
        .filter(|path| !path.as_os_str().is_empty())
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    let mut made = Vec::new();
    for directory in missing {
        match fs::create_dir(&directory) {
            Ok(()) => made.push(directory),
            // Another run was quicker.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                unmake(&made);
                return Err(Error { kind: ErrorKind::Io, ..Error::io("make", directory, &error) });
            }
        }
    }
    Ok(made)
}

/// Removes directories that were made, unless something is in them by now.
fn unmake(made: &[PathBuf]) {
    for directory in made.iter().rev() {
        if fs::remove_dir(directory).is_err() {
            return;
        }
    }
}

/// Waits for the lock; none when the directory is gone.
fn lock(
    directory: &Directory,
    path: &Path,
    timeout: Duration,
    reporter: &dyn Reporter,
) -> Result<Option<File>> {
    let file_path = path.join(LOCK_NAME);
    let name = OsStr::new(LOCK_NAME);
    let cannot =
        |error: &io::Error| Error { kind: ErrorKind::Io, ..Error::io("lock", &file_path, error) };
    let begun = Instant::now();
    let mut told = false;
    loop {
        let mut file = match directory.open_or_create(name, 0o644) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(cannot(&error)),
        };
        let metadata = file.metadata().map_err(|error| cannot(&error))?;
        if !metadata.is_file() {
            return Err(cannot(&io::Error::other("not a regular file")));
        }
        match file.try_lock() {
            Ok(()) => {
                // Whoever held it may have removed it together with an empty directory.
                let there = directory.identity_of(name).ok().flatten();
                if there == FileIdentity::of(&metadata) {
                    let _ = write_process(&mut file);
                    return Ok(Some(file));
                }
            }
            Err(TryLockError::WouldBlock) => {
                let holder = holder(&mut file);
                if begun.elapsed() >= timeout {
                    return Err(taken(path, timeout, holder.as_deref()));
                }
                if !told {
                    reporter.waiting(path, holder.as_deref());
                    told = true;
                }
                thread::sleep(PATIENCE);
            }
            Err(TryLockError::Error(error)) => return Err(cannot(&error)),
        }
    }
}

/// Says whose lock it is, for messages only.
fn write_process(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

fn holder(file: &mut File) -> Option<String> {
    let mut text = String::new();
    file.take(20).read_to_string(&mut text).ok()?;
    let number = text.trim();
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| number.to_owned())
}

fn taken(path: &Path, timeout: Duration, holder: Option<&str>) -> Error {
    let who = holder.map(|process| format!(", process {process},")).unwrap_or_default();
    let message = format!(
        "another run{who} has worked on `{}` for more than {} seconds",
        path.display(),
        timeout.as_secs_f32()
    );
    Error::new(ErrorKind::Io, message).at(path).help("wait longer with `--lock-timeout SECONDS`")
}

/// Threads that the number of files that may be open allows.
#[must_use]
pub fn bounded_threads(wanted: usize) -> usize {
    const EACH: usize = 16;
    wanted.min(platform::open_files() / EACH).max(1)
}
