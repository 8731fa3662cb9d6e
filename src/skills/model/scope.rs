//! Whether a skill belongs to the user or the project, and which program's directory it is in.

/// Where a skill was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Provenance {
    /// The provider; none for sources that the user named.
    pub provider: Option<&'static str>,
    /// Whether it belongs to the user or to the project.
    pub scope: Option<Scope>,
}

/// Whether a skill belongs to the user or to the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Scope {
    /// The project in the current directory.
    Project,
    /// The user, in every directory.
    User,
}

impl Scope {
    /// The word used in flags and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }

    /// Reads one of the words.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Project, Self::User].into_iter().find(|scope| scope.as_str() == word)
    }
}
