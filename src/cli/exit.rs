//! The exit codes scripts rely on.

use std::process::ExitCode;

use crate::skills::error::ErrorKind;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// 0: done.
    Success,
    /// 1: findings, or an operation about the user's skills that was refused.
    Refused,
    /// 2: the tool could not do its job.
    Failure,
    /// That of another program, or one that cannot be taken for one.
    Code(u8),
}

impl ExitStatus {
    /// 125: the tool itself failed, where another program's exit code is passed on.
    pub const OWN_FAILURE: Self = Self::Code(125);
}

impl From<ErrorKind> for ExitStatus {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            // What is wrong is what the user brought, not what the tool does with it.
            ErrorKind::Conflict
            | ErrorKind::TooLarge
            | ErrorKind::Validation
            | ErrorKind::InvalidFrontmatter => Self::Refused,
            ErrorKind::NotFound
            | ErrorKind::Duplicate
            | ErrorKind::NotDirectory
            | ErrorKind::MissingSkillMd
            | ErrorKind::InvalidName
            | ErrorKind::Io
            | ErrorKind::Manifest
            | ErrorKind::Usage => Self::Failure,
        }
    }
}

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
