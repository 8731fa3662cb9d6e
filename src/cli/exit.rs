//! The exit codes that scripts rely on. Errors get theirs from their kind here; a verb returns its
//! own [`ExitStatus`] for findings; `mount` returns that of its command.

use std::fmt;
use std::process::ExitCode;

use crate::skills::model::error::{Error, ErrorKind, err};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// 0: done.
    Success,
    /// 1: findings, or an operation about the user's skills that was refused.
    Refused,
    /// 2: the tool could not do its job.
    Failure,
    /// The exit code of the command that `mount` ran, or a special one.
    Code(u8),
}

impl ExitStatus {
    /// 125: the tool itself failed, in a run that passes on another program's exit code.
    pub const OWN_FAILURE: Self = Self::Code(125);
}

impl From<ErrorKind> for ExitStatus {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            // The user's skills are at fault, not the tool.
            ErrorKind::Conflict
            | ErrorKind::Duplicate
            | ErrorKind::InvalidFrontmatter
            | ErrorKind::InvalidName
            | ErrorKind::TooLarge
            | ErrorKind::Unsafe
            | ErrorKind::Validation => Self::Refused,
            ErrorKind::NotFound
            | ErrorKind::NotDirectory
            | ErrorKind::MissingSkillMd
            | ErrorKind::Network
            | ErrorKind::Auth
            | ErrorKind::Io
            | ErrorKind::Manifest
            | ErrorKind::Usage => Self::Failure,
        }
    }
}

/// An error with an exit code that differs from the one of its kind.
#[derive(Debug)]
pub struct Ending {
    /// What went wrong.
    pub error: Error,
    /// The exit code.
    pub status: ExitStatus,
}

impl Ending {
    /// A refusal about the user's skills, independent of its kind.
    pub fn refused(error: Error) -> Self {
        Self { error, status: ExitStatus::Refused }
    }

    /// The error and the exit code of a failed run.
    pub fn of(failure: anyhow::Error) -> Self {
        failure.downcast::<Self>().unwrap_or_else(|other| {
            let error = other.downcast::<Error>().unwrap_or_else(|other| err!(Io, "{other:#}"));
            Self { status: error.kind.into(), error }
        })
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(formatter)
    }
}

impl std::error::Error for Ending {}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(match status {
            ExitStatus::Success => 0,
            ExitStatus::Refused => 1,
            ExitStatus::Failure => 2,
            ExitStatus::Code(code) => code,
        })
    }
}
