//! What an agent needs in a private home, as data.

use std::ffi::OsStr;

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
    #[must_use]
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
    /// Its name.
    pub name: &'static str,
    /// Whether a value certainly points to no skills, so that it can be passed on.
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

/// How an agent is told to confine the commands of its model, as observed in the running program.
#[derive(Debug, Clone, Copy)]
pub struct Confinement {
    /// Its settings, below the home: JSON, or TOML if the name ends so.
    pub file: &'static str,
    /// What a sandbox always needs: paths of keys, and JSON; `UID` stands for the user's number.
    pub always: &'static [(&'static str, &'static str)],
    /// What is written when there is to be no sandbox.
    pub off: &'static [(&'static str, &'static str)],
    /// The keys of `isolation` that it honours, and how they are written.
    pub keys: &'static [(&'static str, &'static [Written])],
    /// Variables to set.
    pub set: &'static [(&'static str, VariableValue)],
    /// Arguments of the agent that undo it.
    pub undone_by: &'static [Undoing],
    /// Settings of the project in the current directory that the agent prefers to those of its home,
    /// and words in them that open the sandbox.
    pub project: &'static [(&'static str, &'static [&'static str])],
}

/// How a value is written to settings.
#[derive(Debug, Clone, Copy)]
pub enum Written {
    /// As it is, at this path of keys.
    Value(&'static str),
    /// At this path if it is a list.
    List(&'static str),
    /// At this path if it is not a list.
    Flag(&'static str),
    /// As keys below this path, each with this JSON.
    Each(&'static str, &'static str),
    /// This JSON at this path, whatever the value is.
    Fixed(&'static str, &'static str),
}

/// An argument that undoes a confinement.
#[derive(Debug, Clone, Copy)]
pub struct Undoing {
    /// Its spellings.
    pub words: &'static [&'static str],
    /// Which of its values do, if it has one.
    pub value: Option<fn(&str) -> bool>,
}

/// Switches that undo a confinement.
pub(super) const fn switches(words: &'static [&'static str]) -> Undoing {
    Undoing { words, value: None }
}

/// Options that undo a confinement with some of their values.
pub(super) const fn options(words: &'static [&'static str], value: fn(&str) -> bool) -> Undoing {
    Undoing { words, value: Some(value) }
}

/// A file that keeps a user logged in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Login {
    /// Where the agent looks for it, below the home.
    pub inside: &'static str,
    /// Where the user has it.
    pub real: UserRoot,
}
