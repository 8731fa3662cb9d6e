//! The verbs that copy or remove skills, as words.

/// What is done with skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// They go where agents find them.
    Install,
    /// They go to a home of their own.
    Mount,
    /// They go into archives.
    Pack,
    /// Their digests are written down.
    Lock,
    /// They go.
    Remove,
    /// They become what a manifest says.
    Sync,
}

impl Verb {
    /// As a command.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::Mount => "mount",
            Self::Pack => "pack",
            Self::Lock => "lock",
            Self::Remove => "remove",
            Self::Sync => "sync",
        }
    }

    /// As a participle.
    #[must_use]
    pub const fn done(self) -> &'static str {
        match self {
            Self::Install => "installed",
            Self::Mount => "mounted",
            Self::Pack => "packed",
            Self::Lock => "locked",
            Self::Remove => "removed",
            Self::Sync => "synced",
        }
    }
}
