//! Replaces files as a whole: a reader sees the old text or the new one, never a part.
//!
//! The new text is written to a temporary file beside the old one. A signal that would end the
//! process waits until that file is removed or renamed. The next run that writes to the same
//! directory recognises by name what a killed run left, and removes it; a lock marks files that are
//! still being written.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::ops::Deref;
use std::path::Path;
use std::time::Duration;

use crate::skills::files::{self, Directory, FileIdentity, FileKind, SignalGuard};

/// The mode of a new file, before the umask.
const NEW_FILE: u32 = 0o666;

/// How many names to try.
const ATTEMPTS: usize = 8;

/// Where files cannot be locked, an older temporary file counts as abandoned.
const LONG_AGO: Duration = Duration::from_secs(60 * 60);

/// Writes `bytes` to `path` through a temporary file beside it. A replaced file keeps its mode; a
/// link is replaced, not followed.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = Directory::open(directory.unwrap_or(Path::new(".")))?;
    replace_in(&directory, path.file_name().ok_or(io::ErrorKind::InvalidInput)?, bytes)
}

/// Writes `bytes` to a file that a user named. Links are followed, because the user chose to keep
/// the file elsewhere. Pipes and devices are written to, not replaced.
pub fn write_named(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(there) if there.is_file() => write(&path.canonicalize()?, bytes),
        Err(_) if !path.is_symlink() => write(path, bytes),
        // A pipe, a device, or a dangling link.
        _ => {
            let mut file = files::open_log(path)?;
            files::wait_for_room(&file)?;
            file.write_all(bytes)
        }
    }
}

/// Writes `bytes` to the file `name` of an open directory, even if its path has changed since, and
/// removes what killed runs left there. A replaced file keeps its mode; a link is replaced, not
/// followed.
///
/// # Errors
/// System errors, and a signal that ends the process; the old file is then untouched.
pub fn replace_in(directory: &Directory, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
    reap(directory);
    replace_next(directory, name, bytes)
}

/// The same without the cleanup, for further files in that directory.
///
/// # Errors
/// System errors, and a signal that ends the process; the old file is then untouched.
pub fn replace_next(directory: &Directory, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
    // Dropped last, so that a signal ends the process only after the cleanup.
    let attention = SignalGuard::begin()?;
    let mode = directory.file_mode(name)?;
    let mut temporary = Temporary::make(directory, mode.unwrap_or(NEW_FILE))?;
    temporary.write(bytes, mode)?;
    if attention.is_over() {
        return Err(io::ErrorKind::Interrupted.into());
    }
    temporary.put(name)
}

/// A file that is about to take the place of another; gone when it is dropped before.
#[derive(Debug)]
pub struct Temporary<D: Deref<Target = Directory>> {
    directory: D,
    name: OsString,
    /// Locked for as long as it is open.
    file: Option<File>,
    is_placed: bool,
}

impl<D: Deref<Target = Directory>> Temporary<D> {
    /// Creates a file that nobody else writes to, with this mode before the umask.
    pub fn make(directory: D, mode: u32) -> io::Result<Self> {
        for _ in 0..ATTEMPTS {
            let name = temporary();
            let file = match directory.create_file(Path::new(&name), mode) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                other => other?,
            };
            let identity = FileIdentity::of(&file.metadata()?);
            let is_locked = !matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            // Another run may have taken it for one that was left behind, before it was locked.
            if is_locked && directory.identity_of(&name).is_ok_and(|there| there == identity) {
                return Ok(Self { directory, name, file: Some(file), is_placed: false });
            }
            let _ = directory.remove_file(&name);
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// The file, to write to.
    pub const fn file(&mut self) -> Option<&mut File> {
        self.file.as_mut()
    }

    fn write(&mut self, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.write_all(bytes)?;
        if let Some(mode) = mode {
            files::set_mode(file, mode)?;
        }
        file.sync_all()
    }

    fn put(mut self, name: &OsStr) -> io::Result<()> {
        self.directory.rename(&self.name, &self.directory, name)?;
        self.is_placed = true;
        Ok(())
    }

    /// Gives the file its name in another directory of the same file system.
    pub fn put_in(mut self, directory: &Directory, name: &OsStr) -> io::Result<()> {
        self.directory.rename(&self.name, directory, name)?;
        self.is_placed = true;
        Ok(())
    }
}

impl<D: Deref<Target = Directory>> Drop for Temporary<D> {
    fn drop(&mut self) {
        // Some file systems keep a removed file while it is open.
        self.file = None;
        if !self.is_placed {
            let _ = self.directory.remove_file(&self.name);
        }
    }
}

/// Removes abandoned temporary files: regular files of this user with a name of ours. A file that
/// cannot be removed does no harm.
pub fn reap(directory: &Directory) {
    let Ok(entries) = directory.entries() else { return };
    for (name, kind) in entries {
        if kind == FileKind::Regular && is_temporary(&name) {
            let _ = reap_file(directory, &name);
        }
    }
}

fn reap_file(directory: &Directory, name: &OsStr) -> io::Result<()> {
    let file = directory.file(name)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || !files::is_own(&metadata) {
        return Ok(());
    }
    let is_old = || {
        let age = metadata.modified().ok().and_then(|written| written.elapsed().ok());
        age.is_some_and(|age| age > LONG_AGO)
    };
    let is_left = match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => is_old(),
    };
    // It may have been renamed into place, and its name reused.
    if is_left && directory.identity_of(name)? == FileIdentity::of(&metadata) {
        // Still locked: whoever made it just now must not take it for theirs before it is gone.
        directory.remove_file(name)?;
    }
    drop(file);
    Ok(())
}

// The names of files and directories that this program puts beside other people's files. After a
// killed run, they tell people and the next run what was left.

/// Prefix of files that will replace others.
const TEMPORARY: &str = ".skills-temporary-";

/// Hexadecimal digits after that.
const DIGITS: usize = 16;

/// Prefix of staging directories; the mark of the skills directory follows.
pub const STAGING: &str = ".skills-staging-";

/// Keeps edited skills that were replaced or removed.
pub const BACKUPS: &str = ".skills-backup";

/// Keeps disabled skills.
pub const DISABLED: &str = ".skills-disabled";

/// Prefix of what an update replaced; the mark of the skills directory follows.
pub const UNDO: &str = ".skills-undo-";

/// A name for a temporary file that is unique in practice.
pub fn temporary() -> OsString {
    // Each `RandomState` has its own random keys.
    let random = RandomState::new().build_hasher().finish();
    format!("{TEMPORARY}{random:0DIGITS$x}").into()
}

/// Whether this name is reserved for temporary files: such an entry is never part of a skill.
pub fn is_reserved(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(TEMPORARY.as_bytes())
}

/// Whether this is the exact name of a temporary file.
pub fn is_temporary(name: &OsStr) -> bool {
    let digits = name.as_encoded_bytes().strip_prefix(TEMPORARY.as_bytes());
    digits.is_some_and(|digits| {
        digits.len() == DIGITS
            && digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Whether installing creates a directory of this name beside skills.
pub fn is_beside_skills(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    [STAGING, BACKUPS, UNDO, DISABLED].iter().any(|own| name.starts_with(own.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| {
            entry.unwrap().file_name().to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = fs::read_dir(path).unwrap().map(name).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn only_leftovers_of_killed_runs_are_removed() {
        let temp = tempfile::tempdir().unwrap();
        let left = temporary();
        fs::write(temp.path().join(&left), "half").unwrap();
        let other = ".skills-temporary-notes";
        fs::write(temp.path().join(other), "mine").unwrap();
        let directory_name = temporary();
        fs::create_dir(temp.path().join(&directory_name)).unwrap();
        write(&temp.path().join("file"), b"whole").unwrap();
        let mut kept = vec![other.to_owned(), directory_name.to_string_lossy().into_owned()];
        kept.push("file".to_owned());
        kept.sort_unstable();
        assert_eq!(names(temp.path()), kept);
    }

    #[test]
    fn drafts_of_running_processes_stay() {
        let temp = tempfile::tempdir().unwrap();
        let directory = Directory::open(temp.path()).unwrap();
        let being_written = Temporary::make(&directory, NEW_FILE).unwrap();
        reap(&directory);
        assert_eq!(names(temp.path()), [being_written.name.to_string_lossy()]);
        drop(being_written);
        assert!(names(temp.path()).is_empty());
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("taken/inside")).unwrap();
        assert!(write(&temp.path().join("taken"), b"text").is_err());
        assert_eq!(names(temp.path()), ["taken"]);
    }

    #[test]
    #[cfg(unix)]
    fn the_mode_is_kept_and_a_link_is_replaced() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let temp = tempfile::tempdir().unwrap();
        let (file, target) = (temp.path().join("file"), temp.path().join("target"));
        for mode in [0o600, 0o755, 0o444, 0o666] {
            fs::write(&target, "old").unwrap();
            let _ = fs::remove_file(&file);
            fs::write(&file, "old").unwrap();
            fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
            write(&file, b"new").unwrap();
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o7777, mode);
        }
        let link = temp.path().join("link");
        symlink(&target, &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(!link.is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "old");
    }
}

#[cfg(test)]
mod own_names_tests {
    use super::*;

    #[test]
    fn temporary_names_are_recognised_and_others_are_not() {
        let name = temporary();
        assert!(is_temporary(&name) && is_reserved(&name), "{}", name.display());
        assert_ne!(name, temporary());
        for other in [
            "SKILL.md",
            ".skills-temporary-",
            ".skills-temporary-0123",
            ".skills-temporary-0123456789abcdeg",
        ] {
            assert!(!is_temporary(OsStr::new(other)), "{other}");
        }
    }
}
