//! What a run is about to move, written down before it moves anything.

use std::ffi::OsStr;
use std::io::{self, Read};

use serde::{Deserialize, Serialize};

use crate::skills::files::digest::Digest;
use crate::skills::files::platform::Directory;
use crate::skills::model::name::SkillName;
use crate::skills::put::install::staging::{is_backup_name, write};

/// The name of the file in a staging directory.
pub(super) const JOURNAL: &str = "journal";
/// What it is called once everything is done but for cleaning up.
const DONE: &str = "done";
const VERSION: u32 = 1;
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// All moves of a run in one skills directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Journal {
    version: u32,
    /// The directory beside the staging directory in which edited skills are kept.
    pub(super) backups: Option<String>,
    pub(super) operations: Vec<Operation>,
}

/// One move to come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// The skill.
    pub name: String,
    /// What happens to it.
    pub action: Action,
    /// What makes the new directory itself.
    pub new: Option<(u64, u64)>,
    /// What the new directory holds.
    pub new_digest: Option<Digest>,
    /// What makes the old directory itself.
    pub old: Option<(u64, u64)>,
    /// What the old directory held when it was looked at.
    pub old_digest: Option<Digest>,
    /// The name under which an edited directory is kept.
    pub backup: String,
    /// Whether the old directory was edited, so that it is kept.
    pub edited: bool,
    /// Whether the new directory is closed to writing in the end.
    pub seal: bool,
    /// Whether the old directory was.
    pub sealed: bool,
}

/// What happens to a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It is put where nothing was.
    Create,
    /// It takes the place of another.
    Replace,
    /// It goes.
    Remove,
}

/// Any version says at least this.
#[derive(Deserialize)]
struct JournalVersion {
    version: u32,
}

/// What was found in a staging directory.
#[derive(Debug)]
pub(super) enum JournalState {
    /// The run was ended before it moved anything.
    Nothing,
    /// The run was about to do this.
    Journal(Journal),
    /// The run has done this, and was about to clean up.
    Done(Journal),
    /// Nobody here can tell, for this reason.
    Unknown(&'static str),
}

impl Journal {
    pub(super) const fn new(backups: Option<String>, operations: Vec<Operation>) -> Self {
        Self { version: VERSION, backups, operations }
    }

    pub(super) fn write(&self, staging: &Directory) -> io::Result<()> {
        write(staging, JOURNAL, 0o600, &serde_json::to_vec(self)?)
    }

    /// Notes that everything is done but for cleaning up.
    pub(super) fn conclude(staging: &Directory) -> io::Result<()> {
        staging.rename(OsStr::new(JOURNAL), staging, OsStr::new(DONE))
    }

    /// Reads the journal of a staging directory.
    pub(super) fn read(staging: &Directory) -> io::Result<JournalState> {
        match Self::read_file(staging, JOURNAL)? {
            JournalState::Nothing => Ok(match Self::read_file(staging, DONE) {
                Ok(JournalState::Journal(journal)) => JournalState::Done(journal),
                // Nothing depends on it.
                _ => JournalState::Nothing,
            }),
            found => Ok(found),
        }
    }

    fn read_file(staging: &Directory, name: &str) -> io::Result<JournalState> {
        let mut bytes = Vec::new();
        match staging.file(OsStr::new(name)) {
            Ok(file) if file.metadata()?.is_file() => {
                file.take(MAX_BYTES).read_to_end(&mut bytes)?;
            }
            Ok(_) => return Ok(JournalState::Unknown("its journal is no file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(JournalState::Nothing);
            }
            Err(error) => return Err(error),
        }
        let Ok(versioned) = serde_json::from_slice::<JournalVersion>(&bytes) else {
            // Half a journal: nothing was moved before it was whole.
            return Ok(JournalState::Nothing);
        };
        if versioned.version != VERSION {
            return Ok(JournalState::Unknown("it was made by another version of this program"));
        }
        let journal = serde_json::from_slice::<Self>(&bytes).ok().filter(|journal| {
            let backups = journal.backups.as_deref().is_none_or(is_backup_name);
            backups && journal.operations.iter().all(is_safe)
        });
        Ok(journal.map_or(
            JournalState::Unknown("its journal names what no journal names"),
            JournalState::Journal,
        ))
    }
}

fn is_safe(operation: &Operation) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    SkillName::new(&operation.name).is_ok()
        && !operation.backup.is_empty()
        && operation.backup.bytes().all(plain)
}
