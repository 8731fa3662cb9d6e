//! What an agent needs in a home of its own, as data.

use crate::skills::environment::UserRoot;

/// What an agent needs in a home of its own. Its skills go to the project directory of its
/// [`Target`](super::targets::Target).
#[derive(Debug, Clone, Copy)]
pub struct Mounting {
    /// Variables that are set, besides `HOME`.
    pub set: &'static [(&'static str, Setting)],
    /// Variables that lead elsewhere, or keep it from reading what is there.
    pub unset: &'static [&'static str],
    /// Files that keep a user logged in.
    pub logins: &'static [Login],
    /// Variables that hold keys; the first is the one that a key is handed over in.
    pub keys: &'static [&'static str],
}

/// The value of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
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
