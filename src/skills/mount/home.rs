//! Makes a home for one run, and removes it.
//!
//! A marker in every home says what it is, and a lock is held as long as anybody uses the home: the
//! agent inherits it. A home that was made without a command belongs to whoever asked for it.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::skills::agents::{self, Agent};
use crate::skills::clock;
use crate::skills::environment::Environment;
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::install::erase::erase;
use crate::skills::install::site;
use crate::skills::mount::left_behind::{self, Left};
use crate::skills::mount::login;
use crate::skills::platform::{self, Directory, FileIdentity};

/// The file that says that a directory is a home that was made here.
pub(super) const MARKER: &str = ".skills-home.json";
/// What the marker is called until it is whole.
pub(super) const NEW_MARKER: &str = ".skills-home.json.new";
/// The file whose lock says that a home is in use.
pub(super) const LOCK: &str = ".skills-home.lock";
/// How the names of temporary homes end, whatever they begin with.
pub(super) const SUFFIX: &str = ".skills-home";
/// How they begin, unless somebody says otherwise.
pub const PREFIX: &str = "agent-";
pub(super) const VERSION: u32 = 1;
const PRIVATE: u32 = 0o700;
/// A home in which something is still being written is emptied this often, and a lock that somebody
/// only looks at is tried this often.
const ATTEMPTS: usize = 50;
pub(super) const PAUSE: Duration = Duration::from_millis(20);

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
pub(super) struct Marker {
    pub(super) version: u32,
    /// What makes the home itself: one that was copied elsewhere is none.
    pub(super) home: Option<(u64, u64)>,
    /// Seconds since 1970.
    pub(super) created: u64,
    /// Whether it goes with the run that made it.
    pub(super) temporary: bool,
    /// The agents that it is for.
    agents: Vec<String>,
    /// Whether logins are links.
    linked: bool,
    /// Whether the directory was there before, empty, and so stays.
    #[serde(default)]
    was_there: bool,
}

/// A home that nobody else uses.
#[derive(Debug)]
pub struct Home {
    /// Its real path.
    pub path: PathBuf,
    pub(super) parent: Directory,
    pub(super) name: OsString,
    pub(super) directory: Directory,
    pub(super) marker: Marker,
    pub(super) lock: File,
    /// Directories that this run made on the way here, the outermost first.
    pub(super) above: Vec<PathBuf>,
}

/// A directory for a home.
struct Made {
    path: PathBuf,
    above: Vec<PathBuf>,
    was_there: bool,
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
        let made = match place {
            Place::Temporary(directory, prefix) => make_temporary(directory, prefix)?,
            Place::At(path) => make_at(path, environment)?,
        };
        let marked = Self::mark(&made, agents, linked, keep);
        marked.map_err(|error| {
            let path = &made.path;
            let _ = open_parent(path).and_then(|(parent, name)| erase(&parent, &name));
            site::unmake(&made.above);
            Error::writing("write to", path, &error)
        })
    }

    /// Locks a home that is empty, and writes its marker.
    fn mark(made: &Made, agents: &[&Agent], linked: bool, keep: bool) -> io::Result<Self> {
        let (parent, name) = open_parent(&made.path)?;
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
            was_there: made.was_there,
        };
        let (path, above) = (made.path.clone(), made.above.clone());
        let home = Self { path, parent, name, directory, marker, lock, above };
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
        site::unmake(&self.above);
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
        if self.marker.was_there { Ok(()) } else { self.parent.remove_directory(&self.name) }
    }
}

fn is_busy(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound)
}

pub(super) fn open_parent(path: &Path) -> io::Result<(Directory, OsString)> {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok((Directory::open(parent)?, name.to_owned())),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    }
}

/// Makes a private directory under a name that nobody can guess.
fn make_temporary(directory: &Path, prefix: &str) -> Result<Made> {
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
    Ok(Made { path: made.keep(), above: Vec::new(), was_there: false })
}

/// Makes a directory that is not there, or takes one that is empty.
fn make_at(path: &Path, environment: &Environment) -> Result<Made> {
    let taken = |why: &str| {
        let message = format!("`{}` {why}", path.display());
        Err(Error::new(ErrorKind::Conflict, message)
            .at(path)
            .help("name a directory that is empty or not there"))
    };
    let failed = |verb: &str, error: &io::Error| Error::writing(verb, path, error);
    let mut above = Vec::new();
    let mut was_there = false;
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            above = path.parent().map_or(Ok(Vec::new()), site::make)?;
            let made = open_parent(path)
                .and_then(|(parent, name)| parent.create_directory(Path::new(&name), PRIVATE));
            made.map_err(|error| {
                site::unmake(&above);
                failed("make", &error)
            })?;
        }
        Err(error) => return Err(failed("open", &error)),
        Ok(data) if !data.is_dir() => return taken("is not a directory"),
        Ok(_) => {
            // What a killed run left here is no obstacle.
            match left_behind::remove(path, environment)? {
                Left::Gone => return make_at(path, environment),
                Left::InUse => return taken("is a home that is in use"),
                Left::Stays => {}
            }
            let mut entries = path.read_dir().map_err(|error| failed("read directory", &error))?;
            if entries.next().is_some() {
                return taken("is not empty");
            }
            platform::make_private(path).map_err(|error| failed("close", &error))?;
            was_there = true;
        }
    }
    let path = path.canonicalize().map_err(|error| failed("open", &error))?;
    Ok(Made { path, above, was_there })
}
