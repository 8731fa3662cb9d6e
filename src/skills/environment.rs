//! Where a run stands: home, current directory, repository, and the variables that move them.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What agents look at before they look for skills.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// The home directory, when it is set and absolute.
    pub home: Option<PathBuf>,
    /// The current directory, without links.
    pub directory: PathBuf,
    /// Variables that are set, to anything but nothing.
    variables: HashMap<OsString, OsString>,
}

/// A directory that an agent reads for the user, wherever they work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserRoot {
    /// Below the home directory.
    Home(&'static str),
    /// Below the directory that a variable names, else below a directory of the home.
    Variable {
        /// The variable.
        name: &'static str,
        /// What it stands for when it is not set, below the home.
        fallback: &'static str,
        /// The rest of the path.
        below: &'static str,
    },
    /// Only where a variable names it.
    OnlyVariable {
        /// The variable.
        name: &'static str,
        /// The rest of the path.
        below: &'static str,
    },
    /// The same for everyone.
    Absolute(&'static str),
}

/// How far up from the current directory an agent looks for project skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Climb {
    /// Not at all.
    Here,
    /// To the top of the repository; outside one, not at all.
    Repository,
    /// To the top of the repository; outside one, to the top of the file system.
    Top,
}

impl Environment {
    /// A run in `directory` with these variables.
    pub fn new(
        directory: PathBuf,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        let variables: HashMap<OsString, OsString> =
            variables.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        let home = variables.get(OsStr::new("HOME")).map(PathBuf::from);
        Self { home: home.filter(|home| home.is_absolute()), directory, variables }
    }

    /// The value of a variable that is set, to anything but nothing.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// Where a root is; none without a home, or without its variable.
    #[must_use]
    pub fn user_root(&self, root: UserRoot) -> Option<PathBuf> {
        let variable = |name| self.variable(name).map(|value| self.directory.join(value));
        match root {
            UserRoot::Home(below) => Some(self.home.as_ref()?.join(below)),
            UserRoot::Variable { name, fallback, below } => variable(name)
                .or_else(|| self.home.as_ref().map(|home| home.join(fallback)))
                .map(|base| base.join(below)),
            UserRoot::OnlyVariable { name, below } => variable(name).map(|base| base.join(below)),
            UserRoot::Absolute(path) => Some(PathBuf::from(path)),
        }
    }

    /// A path with `~` written out, relative to the current directory.
    #[must_use]
    pub fn expand(&self, path: &Path) -> PathBuf {
        match (path.strip_prefix("~"), &self.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => self.directory.join(path),
        }
    }

    /// The current directory and those above it that count as the project, nearest first.
    #[must_use]
    pub fn project(&self, climb: Climb) -> Vec<&Path> {
        let here = self.directory.as_path();
        let climbed = |top: &Path| -> Vec<&Path> {
            let inside = |directory: &&Path| directory.starts_with(top);
            here.ancestors().take_while(inside).collect()
        };
        match (climb, self.repository()) {
            (Climb::Here, _) | (Climb::Repository, None) => vec![here],
            (_, Some(top)) => climbed(top),
            (Climb::Top, None) => here.ancestors().collect(),
        }
    }

    /// The top of the repository that the current directory lies in.
    #[must_use]
    pub fn repository(&self) -> Option<&Path> {
        // A file where a directory is expected is what work trees and submodules have.
        self.directory.ancestors().find(|directory| directory.join(".git").exists())
    }
}
