//! A skills directory during a run: open, locked, and cleaned up after killed runs.

#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::skills::files::{self, Directory, DirectoryEntry, FileIdentity};
use crate::skills::find::record::Index;
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::reporter::Reporter;
use crate::skills::put::install::transaction::{self, Leftovers, Recovery};

/// The file whose lock keeps two runs apart.
const LOCK_NAME: &str = ".skills-index.lock";

/// How often to retry when other runs remove the directory.
const ATTEMPTS: usize = 5;

/// The time between attempts to take the lock.
const PATIENCE: Duration = Duration::from_millis(20);

/// A locked skills directory.
#[derive(Debug)]
pub struct Site {
    /// Its path as the user named it.
    pub named: PathBuf,
    /// Its real path.
    pub path: PathBuf,
    /// The open directory.
    pub directory: Directory,
    /// The records of installed skills.
    pub index: Index,
    /// The result of the recovery of killed runs.
    pub recovery: Recovery,
    /// The directories that this run created, outermost first.
    made: Vec<PathBuf>,
    lock: File,
}

/// A directory that is open, but not locked yet.
struct Opened {
    named: PathBuf,
    path: PathBuf,
    directory: Directory,
    made: Vec<PathBuf>,
}

impl Site {
    /// Creates missing directories, waits for their locks, and cleans up after killed runs. Opens a
    /// directory once, even under several names.
    ///
    /// # Errors
    /// A directory that cannot be created or written to, a lock that stays taken, an unreadable
    /// index.
    pub fn open_all(
        paths: &[PathBuf],
        timeout: Duration,
        threads: usize,
        reporter: &dyn Reporter,
    ) -> Result<Vec<Self>> {
        for _ in 0..ATTEMPTS {
            let opened = open_each(paths)?;
            let mut sites = Vec::new();
            let mut failure = None;
            let mut vanished = false;
            for one in opened {
                if failure.is_some() || vanished {
                    unmake(&one.made);
                    continue;
                }
                match Self::lock(one, timeout, threads, reporter) {
                    Ok(Some(site)) => sites.push(site),
                    // The run that held the lock removed the directory again.
                    Ok(None) => vanished = true,
                    Err(error) => failure = Some(error),
                }
            }
            match failure {
                None if !vanished => return Ok(sites),
                failure => {
                    sites.into_iter().for_each(Self::abandon);
                    if let Some(error) = failure {
                        return Err(error);
                    }
                }
            }
        }
        let shown: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
        Err(err!(Io, "cannot create a file in {}", shown.join(" or ")))
    }

    fn lock(
        opened: Opened,
        timeout: Duration,
        threads: usize,
        reporter: &dyn Reporter,
    ) -> Result<Option<Self>> {
        let Opened { named, path, directory, made } = opened;
        let lock = match lock(&directory, &path, timeout, reporter) {
            Ok(Some(lock)) => lock,
            // Another run may hold the lock file, so remove only empty directories.
            other => {
                unmake(&made);
                return other.map(|_| None);
            }
        };
        let (index, recovery) = (Index::default(), Recovery::default());
        let mut site = Self { named, path, directory, index, recovery, made, lock };
        match site.look_around(threads, reporter) {
            Ok(()) => Ok(Some(site)),
            Err(error) => {
                site.abandon();
                Err(error)
            }
        }
    }

    /// Cleans up after killed runs, and reads the index.
    fn look_around(&mut self, threads: usize, reporter: &dyn Reporter) -> Result<()> {
        self.recovery = transaction::recover(&self.directory, &self.path, reporter, threads)?;
        self.index = Index::read(&self.directory, &self.path)?;
        Ok(())
    }

    /// Removes the directories that this run created, after it installed nothing.
    pub fn abandon(self) {
        // The journal of a killed run refers to this very directory.
        if self.made.is_empty() || transaction::is_pending(&self.directory, &self.path) {
            return;
        }
        // Remove the lock file while it is locked, so that no other run locks it in between. Some
        // file systems keep a removed file until it is closed.
        let _ = self.directory.remove_file(OsStr::new(LOCK_NAME));
        drop(self.lock);
        for _ in 0..ATTEMPTS {
            // Look before the attempt: a file that goes in between does not make it the last one.
            let entries = self.directory.entries();
            let is_kept = entries.is_ok_and(|entries| entries.iter().any(is_going));
            unmake(&self.made);
            if !is_kept {
                break;
            }
            thread::sleep(PATIENCE);
        }
    }
}

/// Whether an entry is a removed file that some file systems keep under another name until it is
/// closed.
fn is_going((name, _): &DirectoryEntry) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".nfs") || name.starts_with(b".fuse_hidden")
}

/// Creates and opens directories. After a failure, removes those it created.
fn open_each(paths: &[PathBuf]) -> Result<Vec<Opened>> {
    let mut made: Vec<Vec<PathBuf>> = Vec::new();
    // Create all of them first, because one may be a link to another.
    let all = paths.iter().try_for_each(|path| {
        made.push(make(path)?);
        Ok(())
    });
    all.and_then(|()| open_made(paths, &made)).inspect_err(|_| {
        made.iter().rev().for_each(|made| unmake(made));
    })
}

/// Opens each directory once, in the order of their real paths, so that two runs cannot deadlock.
fn open_made(paths: &[PathBuf], made: &[Vec<PathBuf>]) -> Result<Vec<Opened>> {
    let mut opened: Vec<Opened> = Vec::new();
    for (named, made) in paths.iter().zip(made) {
        let (path, directory) = real_directory(named)?;
        let identity = directory.identity().ok().flatten();
        let is_same = |one: &&mut Opened| match identity {
            Some(_) => one.directory.identity().ok().flatten() == identity,
            None => one.path == path,
        };
        match opened.iter_mut().find(is_same) {
            Some(same) => same.made.extend(made.iter().cloned()),
            None => {
                let (named, made) = (named.clone(), made.clone());
                opened.push(Opened { named, path, directory, made });
            }
        }
    }
    opened.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    Ok(opened)
}

/// The real path of a directory and the open directory, if it exists.
pub fn existing_directory(path: &Path) -> Result<Option<(PathBuf, Directory)>> {
    match real_directory(path) {
        Ok(opened) => Ok(Some(opened)),
        Err(error) if error.kind == ErrorKind::NotFound => {
            let first = path.ancestors().find_map(|above| above.symlink_metadata().ok());
            if first.is_some_and(|data| data.is_symlink()) { Err(error) } else { Ok(None) }
        }
        Err(error) => Err(error),
    }
}

/// The leftovers of killed runs; none if another run is at work right now.
pub fn left_behind(directory: &Directory, path: &Path) -> Option<Leftovers> {
    let lock = directory.file(OsStr::new(LOCK_NAME)).ok();
    let is_busy =
        lock.is_some_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)));
    if is_busy { None } else { transaction::preview(directory, path) }
}

/// The real path of a directory, and the open directory. Links are followed here and nowhere else.
pub fn real_directory(path: &Path) -> Result<(PathBuf, Directory)> {
    let real = path.canonicalize().map_err(|error| Error::io("open", path, &error))?;
    let directory = Directory::open(&real).map_err(|error| match error.kind() {
        io::ErrorKind::NotADirectory => {
            err!(NotDirectory, "`{}` is not a directory", path.display()).at(path)
        }
        _ => Error::io("open", &real, &error),
    })?;
    Ok((real, directory))
}

/// Creates a directory and its parents; returns those it created.
pub fn make(path: &Path) -> Result<Vec<PathBuf>> {
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
        match files::make_directory(&directory) {
            Ok(()) => made.push(directory),
            // Another run created it first.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                unmake(&made);
                return Err(Error::writing("make", directory, &error));
            }
        }
    }
    Ok(made)
}

/// Removes created directories, unless they are no longer empty.
pub fn unmake(made: &[PathBuf]) {
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
    let cannot = |error: &io::Error| Error::writing("lock", &file_path, error);
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
        match try_hold(directory, name, &file, &metadata) {
            Ok(true) => {
                // Do not write to a file that has a hard link elsewhere.
                if files::has_one_name(&metadata) {
                    let _ = write_process(&mut file);
                }
                return Ok(Some(file));
            }
            Ok(false) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = holder(&mut file);
                if reporter.cancelled().is_some() {
                    return Err(Error::interrupted());
                }
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

/// Locks a file; false if it was removed or replaced meanwhile, as another run does when it removes
/// an empty directory.
fn try_hold(
    directory: &Directory,
    name: &OsStr,
    file: &File,
    metadata: &Metadata,
) -> Result<bool, TryLockError> {
    file.try_lock()?;
    Ok(directory.identity_of(name).ok().flatten() == FileIdentity::of(metadata))
}

/// Writes the process id into the lock file, for messages only.
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
    err!(
        Io,
        "another run{who} has worked on `{}` for more than {} seconds",
        path.display(),
        timeout.as_secs_f32()
    )
    .at(path)
    .help("wait longer with `--lock-timeout SECONDS`")
}

/// The number of threads that the limit of open files allows.
pub fn bounded_threads(wanted: usize) -> usize {
    const EACH: usize = 16;
    wanted.min(files::open_files() / EACH).max(1)
}
