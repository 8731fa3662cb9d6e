//! Brings installed skills up to date from where they came.
//!
//! [`places`] finds skills directories with a record, and [`asking`] decides what a record may ask
//! for: a project's record comes with the clone and is not trusted. [`survey`] asks every source
//! once and says what is new; [`news`] looks closer at that. [`apply`] changes each directory in one
//! transaction, and [`back`] takes the last update back.

pub mod apply;
pub mod asking;
pub mod back;
pub mod news;
pub mod places;
mod servers;
pub mod survey;

use std::path::PathBuf;

use crate::skills::files::digest::Digest;
use crate::skills::files::tree::Differences;
use crate::skills::find::git::History;
use crate::skills::judge::rule::Finding;
use crate::skills::model::error::Error;
use crate::skills::model::source::RecordedKind;
use crate::skills::put::compare::FileChange;
use crate::skills::put::install::Done;

/// What became of one installed skill, or would.
#[derive(Debug, Clone)]
pub struct UpdateOutcome {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// What is asked for: the source as it was requested, else as it was recorded.
    pub source: String,
    /// How it is stored there.
    pub kind: RecordedKind,
    /// How it stands.
    pub state: UpdateState,
    /// What was done to it.
    pub action: Done,
    /// Why it is not brought up to date, and what to do about that.
    pub reason: Option<Error>,
    /// The commit that is installed.
    pub from: Option<String>,
    /// The commit that the source means now.
    pub to: Option<String>,
    /// The commits between, where they are known.
    pub history: Option<History>,
    /// The files that are new, changed or gone.
    pub files: Differences,
    /// Findings of the safety rules that the installed version does not have.
    pub findings: Vec<Finding>,
    /// The contents of those files, when they were asked for.
    pub versions: Vec<FileChange>,
    /// Bytes of all its files.
    pub bytes: u64,
    /// The digest of what is installed then.
    pub digest: Option<Digest>,
    /// Where what was edited is kept.
    pub backup: Option<PathBuf>,
}

/// How an installed skill stands to its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateState {
    /// It is what its source has.
    Unchanged,
    /// Its source has a newer version.
    Outdated,
    /// It was brought up to date.
    Updated,
    /// Its source has a newer version, and somebody edited it.
    Edited,
    /// Its source no longer has it.
    Gone,
    /// It was removed, because its source no longer has it.
    Removed,
    /// Its source has it under another name.
    Renamed,
    /// Its source has a newer version that must not be installed.
    Refused,
    /// Its source cannot be read.
    Unreachable,
    /// It could not be written.
    Failed,
    /// A manifest keeps it.
    Managed,
    /// Its record does not say what was asked for.
    Unknown,
    /// Its record names a source that a project's record must not name.
    Untrusted,
    /// It has a record, but its directory is gone.
    Missing,
    /// It is disabled, so it stays as it is.
    Disabled,
    /// The version before the last update is back.
    Restored,
}

impl UpdateState {
    /// The word used in JSON and by people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Outdated => "outdated",
            Self::Updated => "updated",
            Self::Edited => "edited",
            Self::Gone => "gone",
            Self::Removed => "removed",
            Self::Renamed => "renamed",
            Self::Refused => "refused",
            Self::Unreachable => "unreachable",
            Self::Failed => "failed",
            Self::Managed => "managed",
            Self::Unknown => "unknown",
            Self::Untrusted => "untrusted",
            Self::Missing => "missing",
            Self::Disabled => "disabled",
            Self::Restored => "restored",
        }
    }

    /// Whether somebody has to decide something before it can be brought up to date.
    #[must_use]
    pub const fn is_refused(self) -> bool {
        matches!(self, Self::Edited | Self::Refused | Self::Untrusted | Self::Unknown)
    }

    /// Whether this program could not do its job.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Unreachable | Self::Failed)
    }
}
