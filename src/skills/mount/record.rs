//! The record of a mount, beside the home: `.NAME.skills-mount`.
//!
//! An agent can write anything into its home, so nothing there is trusted. The record is found from
//! the home's path alone, must belong to this user, and is never opened through a link. It has one
//! line of JSON per step, so that it shows how far a killed run came.
//!
//! Its lock tells whether the home is in use. The run and its command share the lock; a process that
//! removes the home holds it exclusively.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::skills::files::content::system_message;
use crate::skills::files::{self, Directory, FileIdentity};
use crate::skills::mount::login::{Linked, Unlinked};
use crate::skills::text::size;

/// Suffix of the names of records.
const SUFFIX: &str = ".skills-mount";

const VERSION: u32 = 1;

/// Largest record.
const MAX_BYTES: u64 = 1024 * 1024;

/// Attempts to lock a record that another process may only be inspecting.
pub const GLANCES: usize = 10;

pub const PAUSE: Duration = Duration::from_millis(20);

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum RecordLine {
    /// The home is about to be created.
    Begun {
        version: u32,
        /// Seconds since 1970.
        created: u64,
        /// Whether the run that created it removes it.
        temporary: bool,
        /// Whether the directory existed before, empty, and therefore stays.
        was_there: bool,
    },
    /// The home is this directory.
    Made { home: HomeIdentity },
    /// These logins are links in it.
    Linked { logins: Vec<Linked> },
    /// These logins are not, and go with it.
    Unlinked { logins: Vec<Unlinked> },
    /// It was handed over to the caller.
    Left,
}

/// The identity of a directory, to detect a replaced one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HomeIdentity {
    /// Device and number.
    numbers: Option<(u64, u64)>,
    /// Creation time in seconds since 1970 and nanoseconds.
    born: Option<(u64, u32)>,
}

impl HomeIdentity {
    pub fn of(directory: &Directory) -> io::Result<Self> {
        let numbers = directory.identity()?.map(FileIdentity::numbers);
        let born = directory.born().and_then(|born| born.duration_since(UNIX_EPOCH).ok());
        Ok(Self { numbers, born: born.map(|born| (born.as_secs(), born.subsec_nanos())) })
    }
}

/// The state that the lines of a record describe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HomeFacts {
    pub created: u64,
    pub temporary: bool,
    pub was_there: bool,
    /// The directory, once it exists.
    pub home: Option<HomeIdentity>,
    pub linked: Vec<Linked>,
    pub unlinked: Vec<Unlinked>,
}

/// The record of a home that this process uses.
#[derive(Debug)]
pub struct HomeRecord {
    name: OsString,
    file: File,
    pub facts: HomeFacts,
}

/// An existing record.
#[derive(Debug)]
pub struct FoundRecord {
    name: OsString,
    file: File,
    /// None if the run has not written anything, because it was killed or has just started.
    pub facts: Option<HomeFacts>,
}

/// The result of trying to lock a record exclusively.
pub enum Claim {
    /// This process has it.
    Alone(HomeRecord),
    /// The home was never created; the record is removed.
    Empty,
    /// The home is in use.
    InUse,
    /// It is no longer a valid record, for this reason.
    Unusable(String),
}

/// The name of the record of a home.
pub fn name_of(home: &OsStr) -> OsString {
    let mut name = OsString::from(".");
    name.push(home);
    name.push(SUFFIX);
    name
}

/// The name of the home that a record belongs to.
pub fn home_of(name: &OsStr) -> Option<&str> {
    let home = name.to_str()?.strip_prefix('.')?.strip_suffix(SUFFIX)?;
    (!home.is_empty()).then_some(home)
}

impl HomeRecord {
    /// Creates and locks the record of a home that is about to be created.
    pub fn create(
        parent: &Directory,
        home: &OsStr,
        was_there: bool,
        keep: bool,
    ) -> io::Result<Self> {
        let name = name_of(home);
        let file = parent.create_file(Path::new(&name), 0o600)?;
        wait_for(GLANCES, || files::hold(&file))?;
        // A cleaning process may have mistaken it for one of a killed run.
        if !is_there(parent, &name, &file)? {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let created = size::now().as_secs();
        let facts = HomeFacts { created, temporary: !keep, was_there, ..HomeFacts::default() };
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

    /// Appends a step.
    pub fn add(&mut self, step: &RecordLine) -> io::Result<()> {
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

    /// Lets commands that start from now on share the lock.
    pub fn share(&self, parent: &Directory) -> io::Result<Option<File>> {
        files::share(parent, &self.name)
    }

    /// Tries to lock the record exclusively.
    pub fn take(&self) -> bool {
        let alone = wait_for(GLANCES, || files::take(&self.file)).is_ok();
        if !alone {
            let _ = wait_for(GLANCES, || files::hold(&self.file));
        }
        alone
    }

    /// Removes the record. Call it last: without a record, nothing else gets cleaned up.
    pub fn remove(&self, parent: &Directory) -> io::Result<()> {
        match parent.remove_file(&self.name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }
}

impl FoundRecord {
    /// Reads the record of a home.
    pub fn open(parent: &Directory, home: &OsStr) -> Result<Self, String> {
        let name = name_of(home);
        let file = parent.file_to_change(&name).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => "there is no record beside it".to_owned(),
            _ => format!("the record beside it cannot be opened: {}", system_message(&error)),
        })?;
        let data = file.metadata().map_err(|error| system_message(&error))?;
        if !data.is_file() {
            return Err("the record beside it is not a regular file".to_owned());
        }
        if !files::is_own(&data) {
            return Err("the record beside it belongs to another user".to_owned());
        }
        if !files::is_private(&data) {
            return Err("others can read or change the record beside it".to_owned());
        }
        if !files::has_one_name(&data) {
            return Err("the record beside it has a hard link".to_owned());
        }
        let facts = read(&file)?;
        Ok(Self { name, file, facts })
    }

    /// Locks the record, unless the home is in use; tries this often, because other processes may only
    /// be inspecting it.
    pub fn claim(self, parent: &Directory, attempts: usize) -> Claim {
        let Self { name, file, .. } = self;
        match wait_for(attempts, || file.try_lock()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Claim::InUse,
            Err(error) => return Claim::Unusable(system_message(&error)),
        }
        if !is_there(parent, &name, &file).unwrap_or(false) {
            return Claim::Unusable("it was just removed".to_owned());
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
            RecordLine::Linked { logins } => self.linked.clone_from(logins),
            RecordLine::Unlinked { logins } => self.unlinked.clone_from(logins),
            RecordLine::Left => self.temporary = false,
        }
    }

    /// Parses a record; none without a first line. An incomplete last line is ignored, because its step
    /// was not carried out.
    fn of(text: &str) -> Result<Option<Self>, String> {
        let wrong = || "the record beside it is invalid or from another version".to_owned();
        let mut facts: Option<Self> = None;
        for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let step: RecordLine = serde_json::from_str(line).map_err(|_| wrong())?;
            match (&mut facts, step) {
                (None, RecordLine::Begun { version: VERSION, created, temporary, was_there }) => {
                    facts = Some(Self { created, temporary, was_there, ..Self::default() });
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

/// Whether an open file still has its name.
pub fn is_there(directory: &Directory, name: &OsStr, file: &File) -> io::Result<bool> {
    match directory.identity_of(name) {
        Ok(there) => Ok(there == FileIdentity::of(&file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Tries this often to get a lock.
pub fn wait_for(
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
    fn only_complete_lines_of_a_record_count() {
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
