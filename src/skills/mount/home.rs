//! Creates a home for one run, and removes it.
//!
//! Every home has a record beside it. The run and the agent lock the record while they use the
//! home. A home that was created without a command belongs to the caller.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{io, thread};

use crate::skills::files::content::system_message;
use crate::skills::files::{self, Directory, SignalGuard};
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::mount::login::{self, Linked, Restored, Unlinked};
use crate::skills::mount::record::{
    self, Claim, FoundRecord, GLANCES, HomeFacts, HomeIdentity, HomeRecord, PAUSE, RecordLine,
    home_of, name_of,
};
use crate::skills::put::install::erase::erase;
use crate::skills::put::install::site;
use crate::skills::text::size;

/// Suffix of the names of temporary homes.
const SUFFIX: &str = ".skills-home";

/// Their default prefix.
pub const PREFIX: &str = "agent-";

const PRIVATE: u32 = 0o700;

/// Attempts to empty a home while something still writes to it, and to take a place while another
/// run cleans it up.
const ATTEMPTS: usize = 50;

/// Where to create a home.
#[derive(Debug, Clone)]
pub enum HomePlace {
    /// In this directory, under an unguessable name with this prefix.
    Temporary(PathBuf, String),
    /// Exactly here; the path must be free or an empty directory.
    At(PathBuf),
}

/// A home that only this run uses.
#[derive(Debug)]
pub struct Home {
    /// Its real path.
    pub path: PathBuf,
    /// Messages about a home that was removed to make room for this one.
    pub words: Vec<String>,
    pub parent: Directory,
    pub name: OsString,
    pub directory: Directory,
    pub record: HomeRecord,
    /// The shared lock that the command inherits.
    pub shared: Option<File>,
    /// Parent directories that this run created, the outermost first.
    pub above: Vec<PathBuf>,
}

impl Home {
    /// Creates a home. This run removes it at its end, unless it is kept or handed over.
    ///
    /// # Errors
    /// The place is taken, not writable, or open to others who could replace the home.
    pub fn make(place: &HomePlace, keep: bool) -> Result<Self> {
        match place {
            HomePlace::Temporary(directory, prefix) => make_temporary(directory, prefix, keep),
            HomePlace::At(path) => make_at(path, keep),
        }
    }

    /// Creates the record before the directory, so that every home has a record.
    fn begin(path: PathBuf, was_there: bool, keep: bool) -> io::Result<Self> {
        tracing::debug!(?path, "making a home");
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

    /// Hands the home over to the caller.
    pub fn leave(&mut self) -> io::Result<()> {
        self.record.add(&RecordLine::Left)
    }

    /// Records the logins: renewed ones are moved back if they are links, and named if they are lost.
    pub fn remember(&mut self, linked: Vec<Linked>, unlinked: Vec<Unlinked>) -> io::Result<()> {
        if !linked.is_empty() {
            self.record.add(&RecordLine::Linked { logins: linked })?;
        }
        if !unlinked.is_empty() {
            self.record.add(&RecordLine::Unlinked { logins: unlinked })?;
        }
        Ok(())
    }

    /// Lets commands that start from now on share the lock of the record.
    pub fn share(&mut self) -> io::Result<()> {
        self.shared = self.record.share(&self.parent)?;
        Ok(())
    }

    /// Moves renewed logins back, removes the home and returns messages about it. If something still
    /// runs in the home, an empty directory stays, so that nobody else gets its name.
    ///
    /// # Errors
    /// System errors; a renewed login that cannot be moved back, in which case the home stays.
    pub fn remove(mut self) -> Result<Vec<String>> {
        tracing::debug!(path = ?self.path, "removing the home");
        // Delay signals until the removal is complete.
        let _attention = SignalGuard::begin();
        let failed = |error: &io::Error| Error::io("remove", &self.path, error);
        // The agent may have changed the permissions of its home.
        self.directory.make_private().map_err(|error| failed(&error))?;
        let Restored { mut words, doubts } =
            login::restore(&self.directory, &self.path, &self.record.facts.linked);
        if !doubts.is_empty() {
            let _ = self.leave();
            return Err(kept(&self.path, &doubts));
        }
        words.extend(login::lost(&self.directory, &self.path, &self.record.facts.unlinked));
        let there = self.parent.identity_of(&self.name).ok().flatten();
        if there != self.directory.identity().ok().flatten() {
            let message =
                format!("`{}` is not the home that was created there", self.path.display());
            return Err(Error::new(ErrorKind::Io, message).help("nothing was removed"));
        }
        drop(self.shared.take());
        let is_alone = self.record.take();
        for attempt in 1.. {
            match self.empty(is_alone) {
                Ok(()) => break,
                // A process that the command started is still writing.
                Err(error) if attempt < ATTEMPTS && is_busy(&error) => thread::sleep(PAUSE),
                Err(error) => return Err(failed(&error)),
            }
        }
        if is_alone {
            self.record.remove(&self.parent).map_err(|error| failed(&error))?;
            site::unmake(&self.above);
        } else {
            words.push(format!(
                "`{}` stays until processes that the command started end; the next `skills mount` \
                 or `skills unmount --stale` removes it",
                self.path.display()
            ));
        }
        Ok(words)
    }

    /// Removes the content of the home, and the home itself if possible.
    fn empty(&self, is_alone: bool) -> io::Result<()> {
        for (name, _) in self.directory.child(OsStr::new("."))?.entries()? {
            match erase(&self.directory, &name) {
                // Other processes may still write there.
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

/// An error that says why a home is kept and what to do.
fn kept(home: &Path, doubts: &[String]) -> Error {
    let shown = home.display();
    Error::new(ErrorKind::Io, doubts.join("; ")).at(home).help(format!(
        "the home is kept: move the login yourself or delete it there, then run `skills unmount {shown}`"
    ))
}

/// Opens the directory of a new home, and returns its identity.
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

pub fn open_parent(path: &Path) -> io::Result<(Directory, OsString)> {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok((Directory::open(parent)?, name.to_owned())),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    }
}

/// Opens a directory whose owner may have no access to it.
pub fn open_own(parent: &Directory, name: &OsStr) -> io::Result<Directory> {
    match parent.child(name) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            parent.unlock(name)?;
            parent.child(name)
        }
        other => other,
    }
}

/// Refuses a directory if another user could replace it or its content.
fn refuse_swappable(directory: &Path, help: &str) -> Result<()> {
    match files::swappable(directory) {
        Ok(None) => Ok(()),
        Ok(Some(open)) => {
            let shown = open.display();
            Err(err!(Io, "other users could replace a home in `{shown}`").at(open).help(help))
        }
        Err(error) => Err(Error::writing("make a home in", directory, &error).help(help)),
    }
}

/// Creates a private directory with an unguessable name.
fn make_temporary(directory: &Path, prefix: &str, keep: bool) -> Result<Home> {
    const HELP: &str = "set TMPDIR to a directory of your own, or use `--home DIR`";
    let cannot = |error: io::Error| Error::writing("make a home in", directory, &error).help(HELP);
    let real = directory.canonicalize().map_err(cannot)?;
    refuse_swappable(&real, HELP)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).suffix(SUFFIX).rand_bytes(10);
    // Try another name if this one is taken.
    let made = builder.make_in(real, |path| Home::begin(path.to_owned(), false, keep));
    let (home, path) = made.map_err(cannot)?.into_parts();
    let _ = path.keep();
    Ok(home)
}

/// Creates the directory, or takes an empty one.
fn make_at(path: &Path, keep: bool) -> Result<Home> {
    const HELP: &str = "name a directory that, like its parents, only you can change";
    let taken = |why: &str| {
        Err(err!(Conflict, "`{}` {why}", path.display())
            .at(path)
            .help("name a directory that is empty or does not exist"))
    };
    let failed = |verb: &str, error: &io::Error| Error::writing(verb, path, error);
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return taken("has no name");
    };
    let above = parent.ancestors().find_map(|above| above.canonicalize().ok());
    refuse_swappable(&above.unwrap_or_default(), HELP)?;
    let mut words = Vec::new();
    for _ in 0..ATTEMPTS {
        // Remove what a killed run left here.
        match remove(path)? {
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
    taken(&format!("is blocked by the record beside it: `{}`", record.display()))
}

// Removes homes of other runs: those of killed runs, and those that were handed over. It removes
// only homes that this program created.
//
// The record of a killed run is not locked. The next run removes such homes.

/// Why a directory is not removed.
#[derive(Debug)]
enum Refused {
    /// This program did not create it, for this reason.
    NotAHome(String),
    InUse,
}

/// A home with a record that is not locked yet.
struct UnclaimedHome {
    path: PathBuf,
    parent: Directory,
    seen: FoundRecord,
}

fn system(error: io::Error) -> Refused {
    Refused::NotAHome(system_message(&error))
}

fn not(reason: &str) -> Refused {
    Refused::NotAHome(reason.to_owned())
}

/// Finds the record of a home that may be missing.
fn find(path: &Path) -> Result<UnclaimedHome, Refused> {
    let real = match path.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
                return Err(system(error));
            };
            parent.canonicalize().map_err(system)?.join(name)
        }
        other => other.map_err(system)?,
    };
    let (parent, name) = open_parent(&real).map_err(system)?;
    let seen = FoundRecord::open(&parent, &name).map_err(Refused::NotAHome)?;
    Ok(UnclaimedHome { path: real, parent, seen })
}

/// Locks a home for this process. None if the home is gone; its record is then removed.
fn claim(found: UnclaimedHome, attempts: usize) -> Result<Option<Home>, Refused> {
    let UnclaimedHome { path, parent, seen } = found;
    let record = match seen.claim(&parent, attempts) {
        Claim::Alone(record) => record,
        Claim::Empty => return Ok(None),
        Claim::InUse => return Err(Refused::InUse),
        Claim::Unusable(reason) => return Err(Refused::NotAHome(reason)),
    };
    let name = path.file_name().unwrap_or_default().to_owned();
    let Some(made) = record.facts.home else {
        return forget_unmade(&parent, &name, &record).map(|()| None).map_err(system);
    };
    let directory = match open_own(&parent, &name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return record.remove(&parent).map(|()| None).map_err(system);
        }
        other => other.map_err(system)?,
    };
    if !directory.is_own().map_err(system)? {
        return Err(not("it belongs to another user"));
    }
    if made != HomeIdentity::of(&directory).map_err(system)? {
        return Err(not("another directory has replaced it"));
    }
    let (words, shared, above) = (Vec::new(), None, Vec::new());
    Ok(Some(Home { path, words, parent, name, directory, record, shared, above }))
}

/// Whether neither the home nor its record exists.
fn is_absent(path: &Path) -> bool {
    let is_missing = |path: &Path| {
        path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    };
    let record = path.file_name().map(|name| path.with_file_name(name_of(name)));
    is_missing(path) && record.is_some_and(|record| is_missing(&record))
}

/// Removes the empty directory of a run that was killed before it recorded the directory.
fn forget_unmade(parent: &Directory, name: &OsStr, record: &HomeRecord) -> io::Result<()> {
    let is_own = || parent.child(name).and_then(|directory| directory.is_own());
    if !record.facts.was_there && is_own().unwrap_or(false) {
        let _ = parent.remove_directory(name);
    }
    record.remove(parent)
}

/// The result of removing a home.
#[derive(Debug)]
pub enum Unmounted {
    /// It is gone; with messages about it.
    Removed(Vec<String>),
    /// It was gone before.
    Absent,
}

/// Removes a home, unless it is in use or not ours.
pub fn unmount(path: &Path) -> Result<Unmounted> {
    let refused = |message: String, help: &str| {
        Err(Error::new(ErrorKind::Conflict, message).at(path).help(help))
    };
    let shown = path.display();
    match find(path).and_then(|found| claim(found, GLANCES)) {
        Ok(Some(home)) => home.remove().map(Unmounted::Removed),
        Ok(None) => Ok(Unmounted::Removed(Vec::new())),
        Err(Refused::InUse) => {
            refused(format!("`{shown}` is in use"), "wait until the command in it has ended")
        }
        // Removing it twice is not an error.
        Err(Refused::NotAHome(_)) if is_absent(path) => Ok(Unmounted::Absent),
        Err(Refused::NotAHome(reason)) => refused(
            format!("`{shown}` is not a home that `skills mount` made: {reason}"),
            "nothing was removed",
        ),
    }
}

/// What was found at the path for a new home.
pub enum ClearOutcome {
    /// The home of a killed run, now removed, with messages.
    Gone(Vec<String>),
    /// A home that is in use.
    InUse,
    /// Something else, which stays.
    Stays,
}

/// Removes the home of a killed run at this path.
pub fn remove(path: &Path) -> Result<ClearOutcome> {
    match find(path) {
        Ok(found) if is_left(found.seen.facts.as_ref(), None) => match claim(found, GLANCES) {
            Ok(Some(home)) if home.record.facts.temporary => home.remove().map(ClearOutcome::Gone),
            Ok(None) => Ok(ClearOutcome::Gone(Vec::new())),
            Err(Refused::InUse) => Ok(ClearOutcome::InUse),
            Ok(Some(_)) | Err(Refused::NotAHome(_)) => Ok(ClearOutcome::Stays),
        },
        Ok(_) | Err(_) => Ok(ClearOutcome::Stays),
    }
}

/// Whether to remove an unused home: one of a killed run, or one that was handed over and is older
/// than the given age.
fn is_left(facts: Option<&HomeFacts>, older_than: Option<Duration>) -> bool {
    facts.is_none_or(|facts| {
        let age = size::now().as_secs().saturating_sub(facts.created);
        facts.temporary || older_than.is_some_and(|most| age >= most.as_secs())
    })
}

/// The result of removing old homes.
#[derive(Debug, Default)]
pub struct Reaped {
    /// Removed homes.
    pub gone: Vec<PathBuf>,
    /// Messages about removed homes.
    pub words: Vec<String>,
    /// Homes that could not be removed, with reasons.
    pub problems: Vec<Error>,
}

/// Removes homes of killed runs in a temporary directory, and with an age, also homes that were
/// handed over and are older.
pub fn reap(directory: &Path, older_than: Option<Duration>) -> Reaped {
    let mut reaped = Reaped::default();
    let Ok(entries) = directory.read_dir() else { return reaped };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(home) = home_of(&name) else { continue };
        let path = directory.join(home);
        // Do not lock a home that stays: another process may be about to use it.
        let Some(found) =
            find(&path).ok().filter(|found| is_left(found.seen.facts.as_ref(), older_than))
        else {
            continue;
        };
        // The home may have been handed over in the meantime.
        let claimed = claim(found, 1).ok().flatten();
        let Some(home) = claimed.filter(|home| is_left(Some(&home.record.facts), older_than))
        else {
            continue;
        };
        match home.remove() {
            Ok(words) => {
                reaped.gone.push(path);
                reaped.words.extend(words);
            }
            Err(error) => reaped.problems.push(error),
        }
    }
    reaped.gone.sort_unstable();
    reaped
}
