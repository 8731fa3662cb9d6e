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
    /// They go to a registry.
    Push,
    /// Their digests are written down.
    Lock,
    /// They go.
    Remove,
    /// They go out of the agents' sight.
    Disable,
    /// They come back.
    Enable,
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
            Self::Push => "push",
            Self::Lock => "lock",
            Self::Remove => "remove",
            Self::Disable => "disable",
            Self::Enable => "enable",
            Self::Sync => "sync",
        }
    }

    /// Whether agents read the skills afterwards, so that people are told what is in them.
    #[must_use]
    pub const fn is_for_agents(self) -> bool {
        !matches!(self, Self::Pack | Self::Lock)
    }

    /// As a participle.
    #[must_use]
    pub const fn done(self) -> &'static str {
        match self {
            Self::Install => "installed",
            Self::Mount => "mounted",
            Self::Pack => "packed",
            Self::Push => "pushed",
            Self::Lock => "locked",
            Self::Remove => "removed",
            Self::Disable => "disabled",
            Self::Enable => "enabled",
            Self::Sync => "synced",
        }
    }
}
