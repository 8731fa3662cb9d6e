//! What an agent needs in a private home, as data.

use std::ffi::OsStr;

use super::confinement::Confinement;
use crate::skills::model::environment::UserRoot;

/// What an agent needs in a private home. Its skills go to the project directory of its
/// [`InstallTarget`](super::targets::InstallTarget).
#[derive(Debug, Clone, Copy)]
pub struct Mounting {
    /// Variables to set, besides `HOME`.
    pub set: &'static [(&'static str, VariableValue)],
    /// Variables to remove: they point elsewhere or disable directories.
    pub unset: &'static [&'static str],
    /// Variables with settings that the agent may need but that can point to the user's skills.
    pub settings: &'static [SettingsVariable],
    /// Files that keep a user logged in.
    pub logins: &'static [Login],
    /// Variables for keys; the first is used to pass a key.
    pub keys: &'static [&'static str],
    /// Whether it can use models on AWS.
    pub amazon: bool,
    /// How its commands are confined, or why they cannot be.
    pub confinement: Result<Confinement, &'static str>,
}

impl Mounting {
    /// Whether a variable moves this agent or disables its directories.
    pub fn concerns(&self, variable: &str) -> bool {
        let is_place = |setting: &VariableValue| matches!(setting, VariableValue::Below(_));
        self.unset.contains(&variable)
            || self.set.iter().any(|(name, setting)| *name == variable && is_place(setting))
            || self.settings.iter().any(|settings| settings.name == variable)
    }
}

/// A variable with settings. A warning names it if it is not passed on.
#[derive(Debug, Clone, Copy)]
pub struct SettingsVariable {
    pub name: &'static str,
    /// Whether a value certainly points to no skills, so that it can be passed on.
    pub passes: fn(&OsStr) -> bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableValue {
    /// Always the same.
    Text(&'static str),
    /// A directory below the home.
    Below(&'static str),
}

/// A file that keeps a user logged in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Login {
    /// Where the agent looks for it, below the home.
    pub inside: &'static str,
    /// Where the user has it.
    pub real: UserRoot,
}
