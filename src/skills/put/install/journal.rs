//! The journal of a run: its moves, written to disk before the first of them.

use std::ffi::OsStr;
use std::io::{self, Read};

use serde::{Deserialize, Serialize};

use crate::skills::files::Directory;
use crate::skills::files::digest::Digest;
use crate::skills::model::name::SkillName;
use crate::skills::put::install::staging::{is_backup_name, write};
use crate::skills::put::install::undo::KeptPlace;

/// The name of the file in a staging directory.
pub const JOURNAL: &str = "journal";

/// Its name once only cleaning up is left.
const DONE: &str = "done";

const VERSION: u32 = 1;

const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// All moves of a run in one skills directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    version: u32,
    /// The directory beside the staging directory in which edited skills are kept.
    pub backups: Option<String>,
    pub operations: Vec<Operation>,
}

/// One planned move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// The skill.
    pub name: String,
    /// The kind of move.
    pub action: Action,
    /// Device and inode of the new directory.
    pub new: Option<(u64, u64)>,
    /// The digest of the new directory.
    pub new_digest: Option<Digest>,
    /// Device and inode of the old directory.
    pub old: Option<(u64, u64)>,
    /// The digest of the old directory when the run was planned.
    pub old_digest: Option<Digest>,
    /// The name of the backup of an edited directory.
    pub backup: String,
    /// Whether the old directory was edited, and gets a backup.
    pub edited: bool,
    /// Whether the new directory becomes read-only.
    pub seal: bool,
    /// Whether the old directory was read-only.
    pub sealed: bool,
    /// Whether the skill is disabled before the move.
    #[serde(default)]
    pub disabled: bool,
    /// Where the new directory is kept before the move, if it is not a copy.
    #[serde(default)]
    pub kept: Option<KeptPlace>,
}

impl Operation {
    /// Whether the move begins or ends among the disabled skills.
    pub const fn concerns_disabled(&self) -> bool {
        self.disabled || self.action.is_switch()
    }
}

/// The kinds of moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A new skill.
    Create,
    /// A new skill in place of an old one.
    Replace,
    /// A removed skill.
    Remove,
    /// A skill that goes out of the agents' sight.
    Disable,
    /// A skill that comes back into the skills directory.
    Enable,
}

impl Action {
    /// Whether the skill only changes sides.
    pub const fn is_switch(self) -> bool {
        matches!(self, Self::Disable | Self::Enable)
    }
}

/// The field that every version has.
#[derive(Deserialize)]
struct JournalVersion {
    version: u32,
}

/// The state of a staging directory.
#[derive(Debug)]
pub enum JournalState {
    /// The run ended before it moved anything.
    Nothing,
    /// The run was making these moves.
    Journal(Journal),
    /// The run has made these moves, and was cleaning up.
    Done(Journal),
    /// The journal cannot be read, for this reason.
    Unknown(&'static str),
}

impl Journal {
    pub const fn new(backups: Option<String>, operations: Vec<Operation>) -> Self {
        Self { version: VERSION, backups, operations }
    }

    pub fn write(&self, staging: &Directory) -> io::Result<()> {
        write(staging, JOURNAL, 0o600, &serde_json::to_vec(self)?)
    }

    /// Notes that only cleaning up is left.
    pub fn conclude(staging: &Directory) -> io::Result<()> {
        staging.rename(OsStr::new(JOURNAL), staging, OsStr::new(DONE))
    }

    /// Reads the journal of a staging directory.
    pub fn read(staging: &Directory) -> io::Result<JournalState> {
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
            Ok(_) => return Ok(JournalState::Unknown("its journal is not a file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(JournalState::Nothing);
            }
            Err(error) => return Err(error),
        }
        let Ok(versioned) = serde_json::from_slice::<JournalVersion>(&bytes) else {
            // An incomplete journal: the run moved nothing.
            return Ok(JournalState::Nothing);
        };
        if versioned.version != VERSION {
            return Ok(JournalState::Unknown("it was made by another version of this program"));
        }
        let journal = serde_json::from_slice::<Self>(&bytes).ok().filter(|journal| {
            let backups = journal.backups.as_deref().is_none_or(is_backup_name);
            backups && journal.operations.iter().all(is_safe)
        });
        Ok(journal.map_or(JournalState::Unknown("its journal is invalid"), JournalState::Journal))
    }
}

fn is_safe(operation: &Operation) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    SkillName::new(&operation.name).is_ok()
        && !operation.backup.is_empty()
        && operation.backup.bytes().all(plain)
        && operation.kept.as_ref().is_none_or(KeptPlace::is_safe)
}
