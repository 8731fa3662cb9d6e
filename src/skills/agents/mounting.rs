//! What an agent needs in a home of its own, as data.

use std::ffi::OsStr;

use crate::skills::model::environment::UserRoot;

/// What an agent needs in a home of its own. Its skills go to the project directory of its
/// [`InstallTarget`](super::targets::InstallTarget).
#[derive(Debug, Clone, Copy)]
pub struct Mounting {
    /// Variables that are set, besides `HOME`.
    pub set: &'static [(&'static str, VariableValue)],
    /// Variables that lead elsewhere, or keep it from reading what is there.
    pub unset: &'static [&'static str],
    /// Variables with settings that an agent may need, and that can lead to skills of the user.
    pub settings: &'static [SettingsVariable],
    /// Files that keep a user logged in.
    pub logins: &'static [Login],
    /// Variables that hold keys; the first is the one that a key is handed over in.
    pub keys: &'static [&'static str],
}

impl Mounting {
    /// Whether a variable moves this agent, or keeps it from reading what is there.
    #[must_use]
    pub fn concerns(&self, variable: &str) -> bool {
        let is_place = |setting: &VariableValue| matches!(setting, VariableValue::Below(_));
        self.unset.contains(&variable)
            || self.set.iter().any(|(name, setting)| *name == variable && is_place(setting))
            || self.settings.iter().any(|settings| settings.name == variable)
    }
}

/// A variable with settings. Whoever has one that does not pass is told.
#[derive(Debug, Clone, Copy)]
pub struct SettingsVariable {
    /// Its name.
    pub name: &'static str,
    /// Whether a value leads to no skills, as far as anybody can tell, and may pass.
    pub passes: fn(&OsStr) -> bool,
}

/// The value of a variable.
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
