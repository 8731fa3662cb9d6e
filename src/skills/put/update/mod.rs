//! Updates installed skills from their sources.
//!
//! [`places`] finds skills directories with a record, and [`asking`] decides which source a record
//! may request: a project's record comes with the clone and is not trusted. [`survey`] asks every
//! source once (`servers` in parallel) and finds new versions, which [`news`] compares. [`apply`]
//! writes each directory in one transaction of [`install`](super::install), and [`back`] undoes the
//! last update.

pub mod apply;
pub mod asking;
pub mod back;
pub mod news;
pub mod places;
pub mod servers;
pub mod survey;

use std::path::PathBuf;

use crate::skills::fetch::git::History;
use crate::skills::files::digest::{Differences, Digest};
use crate::skills::judge::rule::Finding;
use crate::skills::model::error::Error;
use crate::skills::model::source::RecordedKind;
use crate::skills::put::compare::FileChange;
use crate::skills::put::install::{Done, VersionChange};

/// The outcome for one installed skill, done or planned.
#[derive(Debug, Clone)]
pub struct UpdateOutcome {
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its source as requested, or else as recorded.
    pub source: String,
    /// How it is stored there.
    pub kind: RecordedKind,
    pub state: UpdateState,
    /// What was done to it.
    pub action: Done,
    /// Why it is not updated, and what to do about that.
    pub reason: Option<Error>,
    /// The commit that is installed.
    pub from: Option<String>,
    /// The commit that the source means now.
    pub to: Option<String>,
    /// The commits in between, if known.
    pub history: Option<History>,
    /// The files that are new, changed or gone.
    pub files: Differences,
    /// Findings of the safety rules that the installed version does not have.
    pub findings: Vec<Finding>,
    /// The contents of those files, when they were asked for.
    pub versions: Vec<FileChange>,
    /// The versions in its front matter, if there is a new one.
    pub version: VersionChange,
    /// Bytes of all its files.
    pub bytes: u64,
    /// The digest after the update.
    pub digest: Option<Digest>,
    /// The backup of an edited version.
    pub backup: Option<PathBuf>,
}

/// The state of an installed skill, compared with its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateState {
    /// Its source has the same version.
    Unchanged,
    /// Its source has a newer version.
    Outdated,
    /// It was updated.
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
    /// A manifest owns it, so `sync` updates it.
    Managed,
    /// Its record lacks the requested source.
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

    /// Whether the user has to decide something before it can be updated.
    pub const fn is_refused(self) -> bool {
        matches!(self, Self::Edited | Self::Refused | Self::Untrusted | Self::Unknown)
    }

    /// Whether the update failed.
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Unreachable | Self::Failed)
    }
}
