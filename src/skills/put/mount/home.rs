//! Makes a home for one run, and removes it.
//!
//! A record beside every home says what was decided about it, and is held as long as anybody uses
//! the home: the agent holds it, too. A home that was made without a command belongs to whoever
//! asked for it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;

use crate::skills::files::platform::{self, Directory, SignalGuard};
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::put::install::erase::erase;
use crate::skills::put::install::site;
use crate::skills::put::mount::left_behind::{self, ClearOutcome};
use crate::skills::put::mount::login::Linked;
use crate::skills::put::mount::record::{self, HomeIdentity, HomeRecord, PAUSE, RecordLine};
use crate::skills::put::mount::restore::{self, Restored};

/// How the names of temporary homes end, whatever they begin with.
const SUFFIX: &str = ".skills-home";
/// How they begin, unless somebody says otherwise.
pub const PREFIX: &str = "agent-";
const PRIVATE: u32 = 0o700;
/// A home in which something is still being written is emptied this often, and a place where
/// another run cleans up is tried this often.
const ATTEMPTS: usize = 50;

/// Where a home is made.
#[derive(Debug, Clone)]
pub enum HomePlace {
    /// In this directory, under a name that nobody can guess, which begins like this.
    Temporary(PathBuf, String),
    /// Here; nothing may be there yet.
    At(PathBuf),
}

/// A home that nobody else uses.
#[derive(Debug)]
pub struct Home {
    /// Its real path.
    pub path: PathBuf,
    /// What there is to say about a home that was removed to make room for this one.
    pub words: Vec<String>,
    pub(super) parent: Directory,
    pub(super) name: OsString,
    pub(super) directory: Directory,
    pub(super) record: HomeRecord,
    /// What the command holds.
    pub(super) shared: Option<File>,
    /// Directories that this run made on the way here, the outermost first.
    pub(super) above: Vec<PathBuf>,
}

impl Home {
    /// Makes a home. Until it is left to somebody, it goes with this run, unless it is kept.
    ///
    /// # Errors
    /// A place that is taken, cannot be written to, or in which others could swap it.
    pub fn make(place: &HomePlace, keep: bool) -> Result<Self> {
        match place {
            HomePlace::Temporary(directory, prefix) => make_temporary(directory, prefix, keep),
            HomePlace::At(path) => make_at(path, keep),
        }
    }

    /// Makes the record and then the directory, so that whatever is there is known.
    fn begin(path: PathBuf, was_there: bool, keep: bool) -> io::Result<Self> {
        let (parent, name) = open_parent(&path)?;
        let mut record = HomeRecord::create(&parent, &name, was_there, keep)?;
        let made =
            if was_there { Ok(()) } else { parent.create_directory(Path::new(&name), PRIVATE) };
        let opened = made.and_then(|()| {
            open_made(&parent, &name, &mut record).inspect_err(|_| {
                if !was_there {
                    let _ = parent.remove_directory(&name);
                }
            })
        });
        match opened {
            Ok(directory) => {
                let (words, shared, above) = (Vec::new(), None, Vec::new());
                Ok(Self { path, words, parent, name, directory, record, shared, above })
            }
            Err(error) => {
                record.remove(&parent)?;
                Err(error)
            }
        }
    }

    /// Leaves the home to whoever asked for it.
    ///
    /// # Errors
    /// Those of the system.
    pub fn leave(&mut self) -> io::Result<()> {
        self.record.add(&RecordLine::Left)
    }

    /// Remembers which logins are links, and to what, so that renewed ones find their way back.
    ///
    /// # Errors
    /// Those of the system.
    pub fn remember(&mut self, logins: Vec<Linked>) -> io::Result<()> {
        if logins.is_empty() { Ok(()) } else { self.record.add(&RecordLine::Linked { logins }) }
    }

    /// Lets a command that is started from now on hold the record as well.
    ///
    /// # Errors
    /// Those of the system.
    pub fn share(&mut self) -> io::Result<()> {
        self.shared = self.record.share(&self.parent)?;
        Ok(())
    }

    /// Looks after the logins, and removes the home with all that is in it. Returns what there is to
    /// say about that. Where something still runs in it, the directory stays, empty, so that nobody
    /// else gets its name.
    ///
    /// # Errors
    /// Those of the system; and a renewed login that cannot be moved back, for whose sake the home
    /// stays.
    pub fn remove(mut self) -> Result<Vec<String>> {
        // A signal waits until nothing lies half done.
        let _attention = SignalGuard::begin();
        let failed = |error: &io::Error| Error::io("remove", &self.path, error);
        // An agent may have closed its home to itself, or opened it to others.
        self.directory.make_private().map_err(|error| failed(&error))?;
        let Restored { mut words, doubts } =
            restore::restore(&self.directory, &self.path, &self.record.facts.logins);
        if !doubts.is_empty() {
            let _ = self.leave();
            return Err(kept(&self.path, &doubts));
        }
        let there = self.parent.identity_of(&self.name).ok().flatten();
        if there != self.directory.identity().ok().flatten() {
            let message = format!("`{}` is not the home that was made there", self.path.display());
            return Err(Error::new(ErrorKind::Io, message).help("nothing was removed"));
        }
        drop(self.shared.take());
        let is_alone = self.record.take();
        for attempt in 1.. {
            match self.empty(is_alone) {
                Ok(()) => break,
                // Something that the command started is still writing.
                Err(error) if attempt < ATTEMPTS && is_busy(&error) => thread::sleep(PAUSE),
                Err(error) => return Err(failed(&error)),
            }
        }
        if is_alone {
            self.record.remove(&self.parent).map_err(|error| failed(&error))?;
            site::unmake(&self.above);
        } else {
            words.push(format!(
                "`{}` stays until what the command left running has ended; the next `skills mount` \
                 or `skills unmount --stale` removes it",
                self.path.display()
            ));
        }
        Ok(words)
    }

    /// Removes everything in the home, and the home itself where it may go.
    fn empty(&self, is_alone: bool) -> io::Result<()> {
        for (name, _) in self.directory.child(OsStr::new("."))?.entries()? {
            match erase(&self.directory, &name) {
                // Whatever writes there still may do so until it has ended.
                Err(error) if !is_alone && is_busy(&error) => {}
                other => other?,
            }
        }
        if !is_alone || self.record.facts.was_there {
            return Ok(());
        }
        self.parent.remove_directory(&self.name)
    }
}

/// Says why a home is kept, and what to do about it.
fn kept(home: &Path, doubts: &[String]) -> Error {
    let shown = home.display();
    Error::new(ErrorKind::Io, doubts.join("; ")).at(home).help(format!(
        "the home is kept: move the login yourself or delete it there, then run `skills unmount {shown}`"
    ))
}

/// Opens the directory of a home that was just made, and says which one it is.
fn open_made(parent: &Directory, name: &OsStr, record: &mut HomeRecord) -> io::Result<Directory> {
    let directory = parent.child(name)?;
    directory.make_private()?;
    let home = HomeIdentity::of(&directory)?;
    record.add(&RecordLine::Made { home })?;
    Ok(directory)
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

/// Opens a directory that its owner may have closed to itself.
pub(super) fn open_own(parent: &Directory, name: &OsStr) -> io::Result<Directory> {
    match parent.child(name) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            parent.unlock(name)?;
            parent.child(name)
        }
        other => other,
    }
}

/// Refuses a directory when somebody else could swap what lies in it, or the directory itself.
fn refuse_swappable(directory: &Path, help: &str) -> Result<()> {
    match platform::swappable(directory) {
        Ok(None) => Ok(()),
        Ok(Some(open)) => {
            let shown = open.display();
            let message = format!("others could swap a home in `{shown}` for something else");
            Err(Error::new(ErrorKind::Io, message).at(open).help(help))
        }
        Err(error) => Err(Error::writing("make a home in", directory, &error).help(help)),
    }
}

/// Makes a private directory under a name that nobody can guess.
fn make_temporary(directory: &Path, prefix: &str, keep: bool) -> Result<Home> {
    const HELP: &str = "set TMPDIR to a directory that is yours, or use `--home DIR`";
    let cannot = |error: io::Error| Error::writing("make a home in", directory, &error).help(HELP);
    let real = directory.canonicalize().map_err(cannot)?;
    refuse_swappable(&real, HELP)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).suffix(SUFFIX).rand_bytes(10);
    // Tried again under another name where something has this one.
    let made = builder.make_in(real, |path| Home::begin(path.to_owned(), false, keep));
    let (home, path) = made.map_err(cannot)?.into_parts();
    let _ = path.keep();
    Ok(home)
}

/// Makes a directory that is not there, or takes one that is empty.
fn make_at(path: &Path, keep: bool) -> Result<Home> {
    const HELP: &str = "name a directory that only you can change, and only you those above it";
    let taken = |why: &str| {
        let message = format!("`{}` {why}", path.display());
        Err(Error::new(ErrorKind::Conflict, message)
            .at(path)
            .help("name a directory that is empty or not there"))
    };
    let failed = |verb: &str, error: &io::Error| Error::writing(verb, path, error);
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return taken("has no name");
    };
    let above = parent.ancestors().find_map(|above| above.canonicalize().ok());
    refuse_swappable(&above.unwrap_or_default(), HELP)?;
    let mut words = Vec::new();
    for _ in 0..ATTEMPTS {
        // What a killed run left here is no obstacle.
        match left_behind::remove(path)? {
            ClearOutcome::InUse => return taken("is a home that is in use"),
            ClearOutcome::Gone(said) => words.extend(said),
            ClearOutcome::Stays => {}
        }
        let was_there = match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(failed("open", &error)),
            Ok(data) if !data.is_dir() => return taken("is not a directory"),
            Ok(_) => {
                let mut entries =
                    path.read_dir().map_err(|error| failed("read directory", &error))?;
                if entries.next().is_some() {
                    return taken("is not empty");
                }
                true
            }
        };
        let above = site::make(parent)?;
        let real = parent.canonicalize().map_err(|error| failed("open", &error))?.join(name);
        match Home::begin(real, was_there, keep) {
            Ok(home) => return Ok(Home { above, words, ..home }),
            Err(error) => {
                site::unmake(&above);
                if error.kind() != io::ErrorKind::AlreadyExists {
                    let help = "a home needs a record beside it, in the directory above";
                    return Err(failed("make", &error).help(help));
                }
            }
        }
        thread::sleep(PAUSE);
    }
    let record = parent.join(record::name_of(name));
    taken(&format!("has a record beside it that is in the way: `{}`", record.display()))
}
