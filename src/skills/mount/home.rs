//! Makes a home for one run, and removes homes that were made here, never anything else.
//!
//! A marker in every home says what it is, and its lock is held as long as anybody uses the home:
//! the agent inherits it. A home whose run was killed has a marker and a free lock, and is removed
//! by the next run. A home that was made without a command belongs to whoever asked for it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::skills::clock;
use crate::skills::content::system_message;
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::install::erase::erase;
use crate::skills::mount::login::{self, Linked};
use crate::skills::platform::{self, Directory, FileKind};

/// The file that says that a directory is a home that was made here.
pub const MARKER: &str = ".skills-home.json";
/// How the names of temporary homes end, whatever they begin with.
const SUFFIX: &str = ".skills-home";
/// How they begin, unless somebody says otherwise.
pub const PREFIX: &str = "agent-";
const VERSION: u32 = 1;
const PRIVATE: u32 = 0o700;
/// A home in which something is still being written is emptied this often.
const ATTEMPTS: usize = 50;

/// Where a home is made.
#[derive(Debug, Clone)]
pub enum Place {
    /// In this directory, under a name that nobody can guess, which begins like this.
    Temporary(PathBuf, String),
    /// Here; nothing may be there yet.
    At(PathBuf),
}

/// What a marker says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Marker {
    version: u32,
    /// Where the home is: one that was copied elsewhere is none.
    home: PathBuf,
    /// Seconds since 1970.
    created: u64,
    /// Whether it goes with the command that runs in it.
    command: bool,
    /// Logins that are links.
    logins: Vec<Linked>,
}

/// A home that nobody else uses.
#[derive(Debug)]
pub struct Home {
    /// Its real path.
    pub path: PathBuf,
    parent: Directory,
    name: OsString,
    marker: Marker,
    file: File,
}

impl Home {
    /// Makes a home.
    ///
    /// # Errors
    /// A place that is taken or cannot be written to.
    pub fn make(place: &Place, command: bool) -> Result<Self> {
        match place {
            Place::Temporary(directory, prefix) => {
                let cannot = |error: &io::Error| {
                    let error = Error::io("make a home in", directory, error);
                    Error { kind: ErrorKind::Io, ..error }
                        .help("set TMPDIR to a directory that is there, or use `--home DIR`")
                };
                let real = directory.canonicalize().map_err(|error| cannot(&error))?;
                let mut builder = tempfile::Builder::new();
                builder.prefix(prefix).suffix(SUFFIX).rand_bytes(10);
                if let Some(permissions) = platform::private_permissions() {
                    builder.permissions(permissions);
                }
                let made = builder.tempdir_in(real).map_err(|error| cannot(&error))?;
                Self::mark(made.keep(), command)
            }
            Place::At(path) => {
                make_at(path)?;
                let real = path.canonicalize().map_err(|error| Error::io("open", path, &error))?;
                Self::mark(real, command)
            }
        }
    }

    /// Writes the marker of a home that is empty.
    fn mark(path: PathBuf, command: bool) -> Result<Self> {
        let cannot = |error: &io::Error| {
            let _ = fs::remove_dir(&path);
            Error { kind: ErrorKind::Io, ..Error::io("write to", &path, error) }
        };
        let (parent, name) = open_parent(&path).map_err(|error| cannot(&error))?;
        let directory = parent.child(&name).map_err(|error| cannot(&error))?;
        let file =
            directory.create_file(Path::new(MARKER), 0o600).map_err(|error| cannot(&error))?;
        file.try_lock().map_err(|error| cannot(&error.into()))?;
        let marker = Marker {
            version: VERSION,
            home: path.clone(),
            created: clock::now().as_secs(),
            command,
            logins: Vec::new(),
        };
        let mut home = Self { path, parent, name, marker, file };
        match home.write_marker() {
            Ok(()) => Ok(home),
            Err(error) => {
                let failure = Error::io("write to", &home.path, &error);
                let _ = home.remove();
                Err(Error { kind: ErrorKind::Io, ..failure })
            }
        }
    }

    /// Remembers which logins are links, so that whoever removes the home can look after them.
    ///
    /// # Errors
    /// Those of the system.
    pub fn remember(&mut self, logins: Vec<Linked>) -> io::Result<()> {
        self.marker.logins = logins;
        self.write_marker()
    }

    /// Leaves the home to whoever asked for it.
    ///
    /// # Errors
    /// Those of the system.
    pub fn leave(mut self) -> io::Result<PathBuf> {
        self.marker.command = false;
        self.write_marker()?;
        Ok(self.path)
    }

    /// Lets a command that is started from now on hold the lock as well.
    ///
    /// # Errors
    /// Those of the system.
    pub fn share_lock(&self) -> io::Result<()> {
        platform::inherit(&self.file)
    }

    fn write_marker(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(&serde_json::to_vec(&self.marker)?)
    }

    /// Looks after the logins, and removes the home with all that is in it. Returns what is left to
    /// say about the logins.
    ///
    /// # Errors
    /// Those of the system.
    pub fn remove(self) -> Result<Vec<String>> {
        let problems = login::restore(&self.path, &self.marker.logins);
        for attempt in 1.. {
            match erase(&self.parent, &self.name) {
                Ok(()) => break,
                // Something that the command started is still writing.
                Err(error) if attempt < ATTEMPTS && is_busy(&error) => {
                    thread::sleep(Duration::from_millis(20));
                }
                Err(error) => return Err(Error::io("remove", &self.path, &error)),
            }
        }
        Ok(problems)
    }
}

fn is_busy(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound)
}

fn open_parent(path: &Path) -> io::Result<(Directory, OsString)> {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok((Directory::open(parent)?, name.to_owned())),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    }
}

/// Makes a directory that is not there, or takes one that is empty.
fn make_at(path: &Path) -> Result<()> {
    let taken = |why: &str| {
        let message = format!("`{}` {why}", path.display());
        Err(Error::new(ErrorKind::Conflict, message)
            .at(path)
            .help("name a directory that is empty or not there"))
    };
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| {
                let (parent, name) = open_parent(path)?;
                parent.create_directory(Path::new(&name), PRIVATE)
            });
            made.map_err(|error| Error { kind: ErrorKind::Io, ..Error::io("make", path, &error) })
        }
        Err(error) => Err(Error::io("open", path, &error)),
        Ok(data) if !data.is_dir() => taken("is not a directory"),
        Ok(_) => {
            // What a killed run left here is no obstacle.
            match find(path) {
                Ok(home) if home.marker.command => {
                    home.remove()?;
                    return make_at(path);
                }
                Err(Refused::InUse) => return taken("is a home that is in use"),
                _ => {}
            }
            let mut entries =
                path.read_dir().map_err(|error| Error::io("read directory", path, &error))?;
            if entries.next().is_some() {
                return taken("is not empty");
            }
            platform::make_private(path)
                .map_err(|error| Error { kind: ErrorKind::Io, ..Error::io("close", path, &error) })
        }
    }
}

/// Why a directory is not removed.
#[derive(Debug)]
enum Refused {
    /// It was not made here, for this reason.
    NotAHome(String),
    /// Somebody uses it.
    InUse,
}

/// Opens and locks a home that was made here.
fn find(path: &Path) -> Result<Home, Refused> {
    let not = |reason: &str| Refused::NotAHome(reason.to_owned());
    let system = |error: io::Error| Refused::NotAHome(system_message(&error));
    let real = path.canonicalize().map_err(system)?;
    let (parent, name) = open_parent(&real).map_err(system)?;
    let directory = parent.child(&name).map_err(system)?;
    if !directory.is_private().map_err(system)? {
        return Err(not("it belongs to somebody else, or others can write to it"));
    }
    let opened = match directory.kind(OsStr::new(MARKER)) {
        Ok(FileKind::Regular) => directory.open_or_create(OsStr::new(MARKER), 0o600),
        _ => return Err(not("it has no marker")),
    };
    let mut file = opened.map_err(system)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(Refused::InUse),
        Err(TryLockError::Error(error)) => return Err(system(error)),
    }
    let mut bytes = Vec::new();
    (&mut file).take(1024 * 1024).read_to_end(&mut bytes).map_err(system)?;
    let marker: Marker =
        serde_json::from_slice(&bytes).map_err(|_| not("its marker says nothing"))?;
    if marker.version != VERSION || marker.home != real {
        return Err(not("its marker is that of another home"));
    }
    Ok(Home { path: real, parent, name, marker, file })
}

/// Removes a home, unless it is in use or was not made here.
///
/// # Errors
/// What is no home, or in use.
pub fn unmount(path: &Path) -> Result<Vec<String>> {
    match find(path) {
        Ok(home) => home.remove(),
        Err(Refused::InUse) => {
            let message = format!("`{}` is in use", path.display());
            Err(Error::new(ErrorKind::Conflict, message)
                .at(path)
                .help("wait until the command in it has ended"))
        }
        Err(Refused::NotAHome(reason)) => {
            let message =
                format!("`{}` is not a home that `skills mount` made: {reason}", path.display());
            Err(Error::new(ErrorKind::Conflict, message).at(path).help("nothing was removed"))
        }
    }
}

/// Removes homes in a temporary directory whose run was killed, and with an age, homes without a
/// command that are older. Returns those that are gone.
#[must_use]
pub fn reap(directory: &Path, older_than: Option<Duration>) -> Vec<PathBuf> {
    let mut gone = Vec::new();
    let Ok(entries) = directory.read_dir() else { return gone };
    for entry in entries.flatten() {
        if !entry.file_name().as_encoded_bytes().ends_with(SUFFIX.as_bytes()) {
            continue;
        }
        let Ok(home) = find(&entry.path()) else { continue };
        let age = clock::now().as_secs().saturating_sub(home.marker.created);
        let is_forgotten = older_than.is_some_and(|most| age >= most.as_secs());
        if home.marker.command || is_forgotten {
            let path = home.path.clone();
            if home.remove().is_ok() {
                gone.push(path);
            }
        }
    }
    gone.sort();
    gone
}
