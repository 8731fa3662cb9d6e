//! Makes a home for one run, and removes homes that were made here, never anything else.
//!
//! A marker in every home says what it is, and a lock is held as long as anybody uses the home: the
//! agent inherits it. A home whose run was killed has a marker and a free lock, and is removed by the
//! next run. A home that was made without a command belongs to whoever asked for it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::skills::agents::{self, Agent};
use crate::skills::clock;
use crate::skills::content::system_message;
use crate::skills::environment::Environment;
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::install::erase::erase;
use crate::skills::mount::login;
use crate::skills::platform::{self, Directory, FileIdentity, FileKind};

/// The file that says that a directory is a home that was made here.
pub const MARKER: &str = ".skills-home.json";
/// What the marker is called until it is whole.
const NEW_MARKER: &str = ".skills-home.json.new";
/// The file whose lock says that a home is in use.
const LOCK: &str = ".skills-home.lock";
/// How the names of temporary homes end, whatever they begin with.
const SUFFIX: &str = ".skills-home";
/// How they begin, unless somebody says otherwise.
pub const PREFIX: &str = "agent-";
const VERSION: u32 = 1;
const PRIVATE: u32 = 0o700;
/// A home in which something is still being written is emptied this often, and a lock that somebody
/// only looks at is tried this often.
const ATTEMPTS: usize = 50;
const PAUSE: Duration = Duration::from_millis(20);
/// A home that has not said what it is for this long never will.
const BIRTH: Duration = Duration::from_secs(60);

/// Where a home is made.
#[derive(Debug, Clone)]
pub enum Place {
    /// In this directory, under a name that nobody can guess, which begins like this.
    Temporary(PathBuf, String),
    /// Here; nothing may be there yet.
    At(PathBuf),
}

/// What a marker says. An agent may write what it likes into its home, so nothing here says what is
/// done outside of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Marker {
    version: u32,
    /// What makes the home itself: one that was copied elsewhere is none.
    home: Option<(u64, u64)>,
    /// Seconds since 1970.
    created: u64,
    /// Whether it goes with the run that made it.
    temporary: bool,
    /// The agents that it is for.
    agents: Vec<String>,
    /// Whether logins are links.
    linked: bool,
}

/// A home that nobody else uses.
#[derive(Debug)]
pub struct Home {
    /// Its real path.
    pub path: PathBuf,
    parent: Directory,
    name: OsString,
    directory: Directory,
    marker: Marker,
    lock: File,
}

impl Home {
    /// Makes a home for these agents. Until it is left to somebody, it goes with this run.
    ///
    /// # Errors
    /// A place that is taken, cannot be written to, or in which others could swap it.
    pub fn make(
        place: &Place,
        agents: &[&Agent],
        linked: bool,
        keep: bool,
        environment: &Environment,
    ) -> Result<Self> {
        let path = match place {
            Place::Temporary(directory, prefix) => make_temporary(directory, prefix)?,
            Place::At(path) => make_at(path, environment)?,
        };
        let marked = Self::mark(&path, agents, linked, keep);
        marked.map_err(|error| {
            let _ = open_parent(&path).and_then(|(parent, name)| erase(&parent, &name));
            Error { kind: ErrorKind::Io, ..Error::io("write to", &path, &error) }
        })
    }

    /// Locks a home that is empty, and writes its marker.
    fn mark(path: &Path, agents: &[&Agent], linked: bool, keep: bool) -> io::Result<Self> {
        let (parent, name) = open_parent(path)?;
        let directory = parent.child(&name)?;
        let lock = directory.create_file(Path::new(LOCK), 0o600)?;
        for attempt in 1.. {
            match lock.try_lock() {
                Ok(()) => break,
                // Somebody looks whether this is a home that was left behind.
                Err(TryLockError::WouldBlock) if attempt < ATTEMPTS => thread::sleep(PAUSE),
                Err(error) => return Err(error.into()),
            }
        }
        let marker = Marker {
            version: VERSION,
            home: directory.identity()?.map(FileIdentity::numbers),
            created: clock::now().as_secs(),
            temporary: !keep,
            agents: agents.iter().map(|agent| agent.id.to_owned()).collect(),
            linked,
        };
        let home = Self { path: path.to_owned(), parent, name, directory, marker, lock };
        home.write_marker()?;
        Ok(home)
    }

    /// Leaves the home to whoever asked for it.
    ///
    /// # Errors
    /// Those of the system.
    pub fn leave(&mut self) -> io::Result<()> {
        self.marker.temporary = false;
        self.write_marker()
    }

    /// Lets a command that is started from now on hold the lock as well.
    ///
    /// # Errors
    /// Those of the system.
    pub fn share_lock(&self) -> io::Result<()> {
        platform::inherit(&self.lock)
    }

    fn write_marker(&self) -> io::Result<()> {
        match self.directory.remove_file(OsStr::new(NEW_MARKER)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = self.directory.create_file(Path::new(NEW_MARKER), 0o600)?;
        file.write_all(&serde_json::to_vec(&self.marker)?)?;
        self.directory.rename(OsStr::new(NEW_MARKER), &self.directory, OsStr::new(MARKER))
    }

    /// Looks after the logins, and removes the home with all that is in it.
    ///
    /// # Errors
    /// Those of the system; and a renewed login that cannot be moved back, for whose sake the home
    /// stays.
    pub fn remove(mut self, environment: &Environment) -> Result<()> {
        if self.marker.linked {
            let ids = self.marker.agents.iter();
            let known: Vec<&Agent> = ids.filter_map(|id| agents::find(id).ok()).collect();
            let (pairs, _) = login::pairs(&known, environment);
            let problems = login::restore(&self.path, &pairs);
            if !problems.is_empty() {
                let _ = self.leave();
                let message = problems.join("; ");
                return Err(Error::new(ErrorKind::Io, message)
                    .at(&self.path)
                    .help(format!("it is kept in `{}`", self.path.display())));
            }
        }
        let there = self.parent.identity_of(&self.name).ok().flatten();
        if there != self.directory.identity().ok().flatten() {
            let message = format!("`{}` is not the home that was made there", self.path.display());
            return Err(Error::new(ErrorKind::Io, message).help("nothing was removed"));
        }
        for attempt in 1.. {
            match self.empty() {
                Ok(()) => break,
                // Something that the command started is still writing.
                Err(error) if attempt < ATTEMPTS && is_busy(&error) => thread::sleep(PAUSE),
                Err(error) => return Err(Error::io("remove", &self.path, &error)),
            }
        }
        Ok(())
    }

    /// Removes everything, the marker after all else: as long as anything is left, it is a home.
    fn empty(&self) -> io::Result<()> {
        // An agent may have closed its home to itself.
        self.directory.set_writable(true)?;
        let own = [MARKER, LOCK].map(OsStr::new);
        for (name, _) in self.directory.child(OsStr::new("."))?.entries()? {
            if !own.contains(&name.as_os_str()) {
                erase(&self.directory, &name)?;
            }
        }
        for name in own {
            erase(&self.directory, name)?;
        }
        self.parent.remove_directory(&self.name)
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

/// Makes a private directory under a name that nobody can guess.
fn make_temporary(directory: &Path, prefix: &str) -> Result<PathBuf> {
    const HELP: &str = "set TMPDIR to a directory that is yours, or use `--home DIR`";
    let cannot = |error: &io::Error| {
        let error = Error::io("make a home in", directory, error);
        Error { kind: ErrorKind::Io, ..error }.help(HELP)
    };
    let real = directory.canonicalize().map_err(|error| cannot(&error))?;
    let is_trusted = Directory::open(&real).and_then(|open| open.is_trusted());
    if !is_trusted.map_err(|error| cannot(&error))? {
        let message =
            format!("others could swap a home in `{}` for something else", real.display());
        return Err(Error::new(ErrorKind::Io, message).at(real).help(HELP));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).suffix(SUFFIX).rand_bytes(10);
    if let Some(permissions) = platform::private_permissions() {
        builder.permissions(permissions);
    }
    let made = builder.tempdir_in(real).map_err(|error| cannot(&error))?;
    Ok(made.keep())
}

/// Makes a directory that is not there, or takes one that is empty.
fn make_at(path: &Path, environment: &Environment) -> Result<PathBuf> {
    let taken = |why: &str| {
        let message = format!("`{}` {why}", path.display());
        Err(Error::new(ErrorKind::Conflict, message)
            .at(path)
            .help("name a directory that is empty or not there"))
    };
    let failed = |verb: &str, error: &io::Error| Error {
        kind: ErrorKind::Io,
        ..Error::io(verb, path, error)
    };
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| {
                let (parent, name) = open_parent(path)?;
                parent.create_directory(Path::new(&name), PRIVATE)
            });
            made.map_err(|error| failed("make", &error))?;
        }
        Err(error) => return Err(failed("open", &error)),
        Ok(data) if !data.is_dir() => return taken("is not a directory"),
        Ok(_) => {
            // What a killed run left here is no obstacle.
            match find(path) {
                Ok(home) if home.marker.temporary => {
                    home.remove(environment)?;
                    return make_at(path, environment);
                }
                Err(Refused::InUse) => return taken("is a home that is in use"),
                _ => {}
            }
            let mut entries = path.read_dir().map_err(|error| failed("read directory", &error))?;
            if entries.next().is_some() {
                return taken("is not empty");
            }
            platform::make_private(path).map_err(|error| failed("close", &error))?;
        }
    }
    path.canonicalize().map_err(|error| failed("open", &error))
}

/// Why a directory is not removed.
#[derive(Debug)]
enum Refused {
    /// It was not made here, for this reason.
    NotAHome(String),
    /// Somebody uses it.
    InUse,
    /// It has not said what it is.
    Unborn,
}

/// Opens and locks a home that was made here.
fn find(path: &Path) -> Result<Home, Refused> {
    let not = |reason: &str| Refused::NotAHome(reason.to_owned());
    let system = |error: io::Error| Refused::NotAHome(system_message(&error));
    let real = path.canonicalize().map_err(system)?;
    let (parent, name) = open_parent(&real).map_err(system)?;
    let directory = open_own(&parent, &name).map_err(system)?;
    if !directory.is_own().map_err(system)? {
        return Err(not("it belongs to somebody else"));
    }
    let lock = match directory.kind(OsStr::new(LOCK)) {
        Ok(FileKind::Regular) => directory.file(OsStr::new(LOCK)).map_err(system)?,
        _ => return Err(not("it has no marker")),
    };
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(Refused::InUse),
        Err(TryLockError::Error(error)) => return Err(system(error)),
    }
    let mut bytes = Vec::new();
    match directory.file(OsStr::new(MARKER)) {
        Ok(file) if file.metadata().is_ok_and(|data| data.is_file()) => {
            file.take(1024 * 1024).read_to_end(&mut bytes).map_err(system)?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Refused::Unborn),
        Ok(_) => return Err(not("its marker is no file")),
        Err(error) => return Err(system(error)),
    }
    let marker: Marker =
        serde_json::from_slice(&bytes).map_err(|_| not("its marker says nothing"))?;
    let identity = directory.identity().map_err(system)?.map(FileIdentity::numbers);
    if marker.version != VERSION || marker.home != identity {
        return Err(not("its marker is that of another home"));
    }
    Ok(Home { path: real, parent, name, directory, marker, lock })
}

/// Opens a directory that its owner may have closed to itself.
fn open_own(parent: &Directory, name: &OsStr) -> io::Result<Directory> {
    match parent.child(name) {
        Err(error)
            if error.kind() == io::ErrorKind::PermissionDenied
                && parent.kind(name)? == FileKind::Directory =>
        {
            parent.unlock(name)?;
            parent.child(name)
        }
        other => other,
    }
}

/// Removes a home, unless it is in use or was not made here.
///
/// # Errors
/// What is no home, or in use; and what keeps it from being removed.
pub fn unmount(path: &Path, environment: &Environment) -> Result<()> {
    let refused = |message: String, help: &str| {
        Err(Error::new(ErrorKind::Conflict, message).at(path).help(help))
    };
    let shown = path.display();
    match find(path) {
        Ok(home) => home.remove(environment),
        Err(Refused::InUse) => {
            refused(format!("`{shown}` is in use"), "wait until the command in it has ended")
        }
        Err(Refused::NotAHome(reason)) => refused(
            format!("`{shown}` is not a home that `skills mount` made: {reason}"),
            "nothing was removed",
        ),
        Err(Refused::Unborn) => refused(
            format!("`{shown}` is not a home that `skills mount` made: it has no marker"),
            "nothing was removed",
        ),
    }
}

/// What became of homes that were left behind.
#[derive(Debug, Default)]
pub struct Reaped {
    /// They are gone.
    pub gone: Vec<PathBuf>,
    /// They could not be removed, for these reasons.
    pub problems: Vec<Error>,
}

/// Removes homes in a temporary directory whose run was killed, and with an age, homes that were
/// left to somebody and are older.
#[must_use]
pub fn reap(directory: &Path, older_than: Option<Duration>, environment: &Environment) -> Reaped {
    let mut reaped = Reaped::default();
    let Ok(entries) = directory.read_dir() else { return reaped };
    for entry in entries.flatten() {
        let is_named_so = entry.file_name().as_encoded_bytes().ends_with(SUFFIX.as_bytes());
        if !is_named_so || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let path = entry.path();
        match find(&path) {
            Ok(home) => {
                let age = clock::now().as_secs().saturating_sub(home.marker.created);
                let is_forgotten = older_than.is_some_and(|most| age >= most.as_secs());
                if home.marker.temporary || is_forgotten {
                    match home.remove(environment) {
                        Ok(()) => reaped.gone.push(path),
                        Err(error) => reaped.problems.push(error),
                    }
                }
            }
            // Its run was killed before it had said anything.
            Err(Refused::Unborn | Refused::NotAHome(_)) => {
                if remove_unborn(&path).is_ok_and(|gone| gone) {
                    reaped.gone.push(path);
                }
            }
            Err(Refused::InUse) => {}
        }
    }
    reaped.gone.sort();
    reaped
}

/// Removes what a run that was killed at once has left: this user's, old enough, and nothing in it
/// but what every home has first.
fn remove_unborn(path: &Path) -> io::Result<bool> {
    let (parent, name) = open_parent(path)?;
    let directory = parent.child(&name)?;
    let age = SystemTime::now().duration_since(path.metadata()?.modified()?);
    if !directory.is_own()? || age.is_ok_and(|age| age < BIRTH) {
        return Ok(false);
    }
    let entries = directory.entries()?;
    let first = [LOCK, NEW_MARKER].map(OsStr::new);
    if !entries.iter().all(|(name, _)| first.contains(&name.as_os_str())) {
        return Ok(false);
    }
    for (name, _) in entries {
        directory.remove_file(&name)?;
    }
    parent.remove_directory(&name)?;
    Ok(true)
}
