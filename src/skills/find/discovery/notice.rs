//! What discovery has to say besides the skills.

use std::path::{Path, PathBuf};

use crate::skills::agents::walk::{MissedBecause, Problem};
use crate::skills::model::error::Error;

/// A reason why a skill may be missing.
#[derive(Debug, Clone)]
pub enum DiscoveryNotice {
    /// A directory that could not be searched completely.
    Problem(Problem),
    /// A skill that its agent does not see.
    Missed(&'static str, PathBuf, MissedBecause),
}

impl DiscoveryNotice {
    /// The error, when something could not be read.
    pub const fn error(&self) -> Option<&Error> {
        match self {
            Self::Problem(Problem::Unreadable(error)) => Some(error),
            _ => None,
        }
    }

    /// The warning, when it is not an error. `shown` writes paths.
    pub fn warning(&self, shown: &dyn Fn(&Path) -> String) -> Option<String> {
        Some(match self {
            Self::Problem(Problem::NotADirectory(path)) => {
                format!("`{}` is not a directory, so it contains no skills", shown(path))
            }
            Self::Problem(Problem::Loop(path)) => {
                format!("`{}` is a link to a directory above it", shown(path))
            }
            Self::Problem(Problem::TooMany(path, most)) => {
                format!("skill discovery truncated at {}: more than {most} entries", shown(path))
            }
            Self::Problem(Problem::Dangling(path)) => {
                format!("`{}` is a dangling link", shown(path))
            }
            Self::Problem(Problem::Unusable(path, reason)) => {
                format!("`{}` is not used: {reason}", shown(path))
            }
            Self::Problem(Problem::Unreadable(_)) => return None,
            Self::Missed(provider, path, missed) => {
                format!("`{}` is not listed: {}", shown(path), missed.because(provider))
            }
        })
    }
}
