//! What a mount decided, beside the home and not in it: `.NAME.skills-mount`.
//!
//! An agent may write what it likes into its home, so nothing there is believed. A record is found
//! from the home's path alone, is this user's and nobody else's, and is never reached through a link.
//! It has a line of JSON for each step, so that a run that is killed leaves the steps it came to.
//!
//! Its lock says who uses the home. The run and its command hold it together; whoever removes the
//! home holds it alone.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::skills::files::content::system_message;
use crate::skills::files::platform::{self, Directory, FileIdentity};
use crate::skills::put::mount::login::Linked;
use crate::skills::text::clock;

/// How the names of records end.
const SUFFIX: &str = ".skills-mount";
const VERSION: u32 = 1;
/// More than this is no record.
const MAX_BYTES: u64 = 1024 * 1024;
/// A lock that somebody may only be looking at is tried this often.
pub(super) const GLANCES: usize = 10;
pub(super) const PAUSE: Duration = Duration::from_millis(20);

/// One line of a record.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub(super) enum RecordLine {
    /// A home is about to be made.
    Begun {
        version: u32,
        /// Seconds since 1970.
        created: u64,
        /// Whether it goes with the run that made it.
        temporary: bool,
        /// Whether the directory was there before, empty, and so stays.
        was_there: bool,
    },
    /// This directory is it.
    Made { home: HomeIdentity },
    /// These logins are links in it.
    Linked { logins: Vec<Linked> },
    /// It belongs to whoever asked for it.
    Left,
}

/// What makes a directory itself: another one in its place is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HomeIdentity {
    /// Device and number.
    numbers: Option<(u64, u64)>,
    /// When it was made, in seconds since 1970 and nanoseconds.
    born: Option<(u64, u32)>,
}

impl HomeIdentity {
    /// # Errors
    /// Those of the system.
    pub(super) fn of(directory: &Directory) -> io::Result<Self> {
        let numbers = directory.identity()?.map(FileIdentity::numbers);
        let born = directory.born().and_then(|born| born.duration_since(UNIX_EPOCH).ok());
        Ok(Self { numbers, born: born.map(|born| (born.as_secs(), born.subsec_nanos())) })
    }
}

/// What the lines of a record come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HomeFacts {
    pub(super) created: u64,
    pub(super) temporary: bool,
    pub(super) was_there: bool,
    /// The directory, once it was made.
    pub(super) home: Option<HomeIdentity>,
    pub(super) logins: Vec<Linked>,
}

/// The record of a home that this process uses.
#[derive(Debug)]
pub(super) struct HomeRecord {
    name: OsString,
    file: File,
    pub(super) facts: HomeFacts,
}

/// A record that is there, whoever uses the home.
#[derive(Debug)]
pub(super) struct FoundRecord {
    name: OsString,
    file: File,
    /// None when the run was killed before it had said anything, or is just about to.
    pub(super) facts: Option<HomeFacts>,
}

/// What came of trying to have a record alone.
pub(super) enum Claim {
    /// It is this process's.
    Alone(HomeRecord),
    /// Nothing was ever made: the record is gone.
    Empty,
    /// Somebody uses the home.
    InUse,
    /// It is not a record any more, for this reason.
    Unusable(String),
}

/// The name of the record of a home.
pub(super) fn name_of(home: &OsStr) -> OsString {
    let mut name = OsString::from(".");
    name.push(home);
    name.push(SUFFIX);
    name
}

/// The name of the home that a record is of.
pub(super) fn home_of(name: &OsStr) -> Option<&str> {
    let home = name.to_str()?.strip_prefix('.')?.strip_suffix(SUFFIX)?;
    (!home.is_empty()).then_some(home)
}

impl HomeRecord {
    /// Makes the record of a home that is about to be made, and holds it.
    ///
    /// # Errors
    /// Those of the system; a record that is there already, or that was taken away at once.
    pub(super) fn create(
        parent: &Directory,
        home: &OsStr,
        was_there: bool,
        keep: bool,
    ) -> io::Result<Self> {
        let name = name_of(home);
        let file = parent.create_file(Path::new(&name), 0o600)?;
        wait_for(GLANCES, || platform::hold(&file))?;
        // Somebody who cleans up may have taken it for one that a killed run left.
        if !is_there(parent, &name, &file)? {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let created = clock::now().as_secs();
        let facts =
            HomeFacts { created, temporary: !keep, was_there, home: None, logins: Vec::new() };
        let mut record = Self { name, file, facts };
        let begun = RecordLine::Begun { version: VERSION, created, temporary: !keep, was_there };
        match record.write(&begun) {
            Ok(()) => Ok(record),
            Err(error) => {
                record.remove(parent)?;
                Err(error)
            }
        }
    }

    /// Says what comes next.
    ///
    /// # Errors
    /// Those of the system; the record is then as it was.
    pub(super) fn add(&mut self, step: &RecordLine) -> io::Result<()> {
        self.write(step)?;
        self.facts.apply(step);
        Ok(())
    }

    fn write(&mut self, step: &RecordLine) -> io::Result<()> {
        let mut line = serde_json::to_vec(step)?;
        line.push(b'\n');
        let before = self.file.seek(SeekFrom::End(0))?;
        self.file.write_all(&line).inspect_err(|_| {
            let _ = self.file.set_len(before);
        })
    }

    /// Lets commands that are started from now on hold the record as well.
    pub(super) fn share(&self, parent: &Directory) -> io::Result<Option<File>> {
        platform::share(parent, &self.name)
    }

    /// Whether nobody else holds the record; it is this process's alone then.
    pub(super) fn take(&self) -> bool {
        let alone = wait_for(GLANCES, || platform::take(&self.file)).is_ok();
        if !alone {
            let _ = wait_for(GLANCES, || platform::hold(&self.file));
        }
        alone
    }

    /// Removes the record, after everything else: as long as anything is left, it says so.
    pub(super) fn remove(&self, parent: &Directory) -> io::Result<()> {
        match parent.remove_file(&self.name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }
}

impl FoundRecord {
    /// Reads the record of a home.
    ///
    /// # Errors
    /// Why there is none that can be believed.
    pub(super) fn open(parent: &Directory, home: &OsStr) -> Result<Self, String> {
        let name = name_of(home);
        let file = parent.file_to_change(&name).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => "there is no record of it beside it".to_owned(),
            _ => format!("the record beside it cannot be opened: {}", system_message(&error)),
        })?;
        let data = file.metadata().map_err(|error| system_message(&error))?;
        if !data.is_file() {
            return Err("the record beside it is not a regular file".to_owned());
        }
        if !platform::is_own(&data) {
            return Err("the record beside it belongs to somebody else".to_owned());
        }
        if !platform::is_private(&data) {
            return Err("others can read or change the record beside it".to_owned());
        }
        if !platform::has_one_name(&data) {
            return Err("the record beside it has a second name".to_owned());
        }
        let facts = read(&file)?;
        Ok(Self { name, file, facts })
    }

    /// Takes the record, unless somebody uses the home; tries this often, for others may only be
    /// looking at it.
    pub(super) fn claim(self, parent: &Directory, attempts: usize) -> Claim {
        let Self { name, file, .. } = self;
        match wait_for(attempts, || file.try_lock()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Claim::InUse,
            Err(error) => return Claim::Unusable(system_message(&error)),
        }
        if !is_there(parent, &name, &file).unwrap_or(false) {
            return Claim::Unusable("it was removed just now".to_owned());
        }
        match read(&file) {
            Ok(Some(facts)) => Claim::Alone(HomeRecord { name, file, facts }),
            Ok(None) => {
                let _ = parent.remove_file(&name);
                Claim::Empty
            }
            Err(reason) => Claim::Unusable(reason),
        }
    }
}

impl HomeFacts {
    fn apply(&mut self, step: &RecordLine) {
        match step {
            RecordLine::Begun { .. } => {}
            RecordLine::Made { home } => self.home = Some(*home),
            RecordLine::Linked { logins } => self.logins.clone_from(logins),
            RecordLine::Left => self.temporary = false,
        }
    }

    /// What the text of a record says; nothing when it does not even have a first line. A last line
    /// without an end was never finished, and so nothing was done that it says.
    fn of(text: &str) -> Result<Option<Self>, String> {
        let wrong = || "the record beside it says nothing that this version understands".to_owned();
        let mut facts: Option<Self> = None;
        for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let step: RecordLine = serde_json::from_str(line).map_err(|_| wrong())?;
            match (&mut facts, step) {
                (None, RecordLine::Begun { version: VERSION, created, temporary, was_there }) => {
                    let (home, logins) = (None, Vec::new());
                    facts = Some(Self { created, temporary, was_there, home, logins });
                }
                (Some(_), RecordLine::Begun { .. }) | (None, _) => return Err(wrong()),
                (Some(facts), step) => facts.apply(&step),
            }
        }
        Ok(facts)
    }
}

fn read(mut file: &File) -> Result<Option<HomeFacts>, String> {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.take(MAX_BYTES).read_to_string(&mut text));
    read.map_err(|error| {
        format!("the record beside it cannot be read: {}", system_message(&error))
    })?;
    HomeFacts::of(&text)
}

/// Whether a file that is open still has its name.
pub(super) fn is_there(directory: &Directory, name: &OsStr, file: &File) -> io::Result<bool> {
    match directory.identity_of(name) {
        Ok(there) => Ok(there == FileIdentity::of(&file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Tries to get a lock this often.
pub(super) fn wait_for(
    attempts: usize,
    mut lock: impl FnMut() -> Result<(), TryLockError>,
) -> io::Result<()> {
    for _ in 1..attempts {
        match lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            other => return Ok(other?),
        }
    }
    Ok(lock()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGUN: &str =
        r#"{"step":"begun","version":1,"created":7,"temporary":true,"was_there":false}"#;

    #[test]
    fn the_name_of_a_record_comes_from_its_home_and_back() {
        assert_eq!(name_of(OsStr::new("agent-x")), ".agent-x.skills-mount");
        assert_eq!(home_of(OsStr::new(".agent-x.skills-mount")), Some("agent-x"));
        for name in ["agent-x.skills-mount", ".agent-x", "..skills-mount", ".skills-mount", ""] {
            assert_ne!(home_of(OsStr::new(name)), Some("agent-x"), "{name}");
        }
        assert_eq!(home_of(OsStr::new("..skills-mount")), None);
    }

    #[test]
    fn a_record_says_what_its_finished_lines_say() {
        let of = |text: &str| HomeFacts::of(text);
        assert_eq!(of(""), Ok(None));
        assert_eq!(of(BEGUN), Ok(None), "the first line was never finished");
        let begun = of(&format!("{BEGUN}\n")).unwrap().unwrap();
        assert!(begun.temporary && begun.home.is_none() && begun.created == 7);
        let home = r#"{"step":"made","home":{"numbers":[1,2],"born":[3,4]}}"#;
        let made = of(&format!("{BEGUN}\n{home}\n")).unwrap().unwrap();
        let identity = HomeIdentity { numbers: Some((1, 2)), born: Some((3, 4)) };
        assert_eq!(made.home, Some(identity));
        let torn = of(&format!("{BEGUN}\n{{\"step\":\"left\"}}")).unwrap().unwrap();
        assert!(torn.temporary);
        let left = of(&format!("{BEGUN}\n{{\"step\":\"left\"}}\n")).unwrap().unwrap();
        assert!(!left.temporary);
        for text in ["{}\n", "x\n", "{\"step\":\"left\"}\n", &format!("{BEGUN}\n{BEGUN}\n")] {
            assert!(of(text).is_err(), "{text}");
        }
        assert!(of(&format!("{}\n", BEGUN.replace("\"version\":1", "\"version\":2"))).is_err());
    }
}
