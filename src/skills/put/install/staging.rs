//! The staging directory, in which a run prepares everything before it moves anything.
//!
//! It is beside the skills directory, where no agent looks for skills. If nothing can be renamed
//! from there, it is inside. It records the device and inode of the skills directory and of itself,
//! so that a staging directory that was copied from elsewhere is neither obeyed nor removed.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::skills::files::atomic::{BACKUPS, STAGING};
use crate::skills::files::{Directory, FileIdentity, FileKind, digest, parallel};
use crate::skills::model::reporter::Reporter;
use crate::skills::put::install::erase::{erase, erase_within};
use crate::skills::put::install::watch::Watch;

/// How many names to try.
const NAMES: usize = 8;

const OWNER: &str = "owner";

const NEW: &str = "new";

const OLD: &str = "old";

/// How often to check for a signal while the disk syncs.
const PATIENCE: Duration = Duration::from_millis(50);

/// Staging directories are private.
const PRIVATE: u32 = 0o700;

/// A staging directory.
#[derive(Debug)]
pub struct Staging {
    /// The directory that contains it.
    pub place: PathBuf,
    pub name: OsString,
    pub directory: Directory,
}

/// The directories around and in a staging directory, open during the moves. They are not open for
/// longer, to respect a low limit of open files.
#[derive(Debug)]
pub struct StagingDirectories {
    pub place: Directory,
    pub new: Directory,
    pub old: Directory,
}

/// The file that ties a staging directory to its skills directory.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Owner {
    staging: Option<(u64, u64)>,
    site: Option<(u64, u64)>,
}

impl Staging {
    /// Creates a staging directory for a skills directory.
    pub fn make(site: &Directory, site_path: &Path) -> io::Result<Self> {
        for place_path in places(site_path) {
            // The user may lack permission for the parent directory.
            let denied = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
            let place = match Directory::open(&place_path) {
                Err(error) if denied(&error) => continue,
                other => other?,
            };
            if !place.shares_mount(site)? {
                continue;
            }
            for name in names(site, site_path) {
                match place.create_directory(Path::new(&name), PRIVATE) {
                    Ok(()) => return Self::claim(place_path, &place, name, site),
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    Err(error) if denied(&error) => break,
                    Err(error) => return Err(error),
                }
            }
        }
        Err(io::ErrorKind::PermissionDenied.into())
    }

    /// Writes the owner file.
    fn claim(
        place_path: PathBuf,
        place: &Directory,
        name: OsString,
        site: &Directory,
    ) -> io::Result<Self> {
        let claim = || -> io::Result<Directory> {
            let directory = place.child(&name)?;
            claim(&directory, site)?;
            for room in [NEW, OLD] {
                directory.create_directory(Path::new(room), PRIVATE)?;
            }
            Ok(directory)
        };
        match claim() {
            Ok(directory) => Ok(Self { place: place_path, name, directory }),
            Err(error) => {
                let _ = erase(place, &name);
                Err(error)
            }
        }
    }

    /// The staging directories that killed runs left for a skills directory.
    pub fn left_behind(site: &Directory, site_path: &Path) -> Vec<Self> {
        let mut found = Vec::new();
        for place_path in places(site_path) {
            let Ok(place) = Directory::open(&place_path) else { continue };
            for name in names(site, site_path) {
                let Ok(directory) = place.child(&name) else { continue };
                if is_ours(&directory, site).unwrap_or(false) {
                    found.push(Self { place: place_path.clone(), name, directory });
                }
            }
        }
        found
    }

    /// Opens the directories around and in it, and creates those that a killed run lacks.
    pub fn rooms(&self) -> io::Result<StagingDirectories> {
        let room = |name: &str| match self.directory.child(OsStr::new(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.directory.create_directory(Path::new(name), PRIVATE)?;
                self.directory.child(OsStr::new(name))
            }
            other => other,
        };
        Ok(StagingDirectories {
            place: self.directory.child(OsStr::new(".."))?,
            new: room(NEW)?,
            old: room(OLD)?,
        })
    }

    /// The path of a new skill in the staging directory.
    pub fn slot(name: &str) -> PathBuf {
        Path::new(NEW).join(name)
    }

    /// How many skills it contains.
    pub fn len(&self) -> usize {
        let skills = |room: &str| self.directory.child(OsStr::new(room))?.entries();
        [NEW, OLD].into_iter().map(|room| skills(room).map_or(0, |skills| skills.len())).sum()
    }

    /// Removes it with its content.
    pub fn erase(&self, watch: &Watch<'_>) -> io::Result<()> {
        for name in [NEW, OLD] {
            let Ok(room) = self.directory.child(OsStr::new(name)) else { continue };
            let erased = parallel::map_long(&room.entries()?, watch.threads(), |(name, _)| {
                watch.go_on()?;
                erase_within(&room, name)?;
                watch.step();
                Ok(())
            });
            let is_over = |result: &io::Result<()>| {
                result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted)
            };
            // Other errors show up again below.
            if let Some(over) = erased.into_iter().find(is_over) {
                return over;
            }
            // The journal goes last.
            let _ = self.directory.remove_directory(OsStr::new(name));
        }
        erase(&self.directory.child(OsStr::new(".."))?, &self.name)
    }
}

impl StagingDirectories {
    /// A directory for backups beside the staging directory: owned by this user, and on the same
    /// mount.
    pub fn backups(&self) -> io::Result<String> {
        for number in 0..NAMES {
            let name = if number == 0 { BACKUPS.to_owned() } else { format!("{BACKUPS}-{number}") };
            match self.place.create_directory(Path::new(&name), PRIVATE) {
                Ok(()) => return Ok(name),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            if let Ok(directory) = self.place.child(OsStr::new(&name))
                && directory.is_private()?
                && directory.shares_mount(&self.place)?
            {
                return Ok(name);
            }
        }
        Err(io::Error::other(format!("`{BACKUPS}` cannot be written to")))
    }
}

/// Waits until everything below a directory is on the disk. A signal ends the wait early, which is
/// safe because nothing has been moved yet.
pub fn sync_unless_cancelled(directory: &Directory, reporter: &dyn Reporter) -> io::Result<()> {
    let same = directory.child(OsStr::new("."))?;
    let (done, wait) = mpsc::channel();
    let sync = move || {
        // After a signal, the receiver is gone.
        let _ = done.send(same.sync_below());
    };
    if thread::Builder::new().spawn(sync).is_err() {
        return directory.sync_below();
    }
    loop {
        match wait.recv_timeout(PATIENCE) {
            Ok(synced) => return synced,
            Err(mpsc::RecvTimeoutError::Timeout) if reporter.cancelled().is_none() => {}
            Err(_) => return Err(io::ErrorKind::Interrupted.into()),
        }
    }
}

/// Whether this is the name of a directory of backups.
pub fn is_backup_name(name: &str) -> bool {
    let rest = name.strip_prefix(BACKUPS);
    rest.is_some_and(|rest| rest.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()))
}

/// Writes a new file.
pub fn write(directory: &Directory, name: &str, mode: u32, bytes: &[u8]) -> io::Result<()> {
    directory.create_file(Path::new(name), mode)?.write_all(bytes)
}

/// Device and inode of an entry.
pub fn identity_of(directory: &Directory, name: &OsStr) -> Option<(u64, u64)> {
    directory.identity_of(name).ok().flatten().map(FileIdentity::numbers)
}

/// Creates and opens a private directory.
pub fn private_child(directory: &Directory, name: &str) -> io::Result<Directory> {
    directory.create_directory(Path::new(name), PRIVATE)?;
    directory.child(OsStr::new(name))
}

/// Ties a directory to its skills directory.
pub fn claim(directory: &Directory, site: &Directory) -> io::Result<()> {
    let owner = owner_of(directory, site)?;
    write(directory, OWNER, 0o600, &serde_json::to_vec(&owner)?)
}

fn owner_of(staging: &Directory, site: &Directory) -> io::Result<Owner> {
    let numbers = |directory: &Directory| -> io::Result<Option<(u64, u64)>> {
        Ok(directory.identity()?.map(FileIdentity::numbers))
    };
    Ok(Owner { staging: numbers(staging)?, site: numbers(site)? })
}

/// Whether a run of this user created this staging directory for this skills directory.
pub fn is_ours(staging: &Directory, site: &Directory) -> io::Result<bool> {
    if !staging.is_private()? {
        return Ok(false);
    }
    let entries = staging.entries()?;
    // The run was killed before it wrote the owner file.
    if entries.iter().all(|(name, kind)| name == OWNER && *kind == FileKind::Regular) {
        return Ok(true);
    }
    let mut bytes = Vec::new();
    let file = staging.file(OsStr::new(OWNER))?;
    if !file.metadata()?.is_file() {
        return Ok(false);
    }
    file.take(1024).read_to_end(&mut bytes)?;
    let owner = serde_json::from_slice::<Owner>(&bytes).ok();
    Ok(owner == Some(owner_of(staging, site)?))
}

/// The possible places of a staging directory: beside the skills directory, else inside it.
pub fn places(site: &Path) -> impl Iterator<Item = PathBuf> {
    site.parent().map(Path::to_owned).into_iter().chain([site.to_owned()])
}

/// The names that a staging directory may have. They contain the inode of the skills directory,
/// because its path can change and is not unique.
fn names(site: &Directory, path: &Path) -> impl Iterator<Item = OsString> {
    marked_names(STAGING, site, path)
}

/// Names with this prefix that belong to a skills directory.
pub fn marked_names(
    start: &'static str,
    site: &Directory,
    path: &Path,
) -> impl Iterator<Item = OsString> {
    let mark = match site.identity() {
        Ok(Some(identity)) => identity.numbers().1.to_string(),
        _ => {
            let name = path.file_name().unwrap_or_default().as_encoded_bytes();
            digest::of_bytes(name).to_string().chars().take(12).collect()
        }
    };
    (0..NAMES).map(move |number| {
        let number = if number == 0 { String::new() } else { format!("-{number}") };
        OsString::from(format!("{start}{mark}{number}"))
    })
}
