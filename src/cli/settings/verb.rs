//! The verbs that copy or remove skills, as words.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Copies skills to the directories of agents.
    Install,
    /// Copies skills into a private home.
    Mount,
    /// Writes archives.
    Pack,
    /// They go to a registry.
    Push,
    /// Their digests are written down.
    Lock,
    /// Removes skills.
    Remove,
    /// Hides skills from agents.
    Disable,
    /// Shows disabled skills to agents again.
    Enable,
    /// Installs exactly the skills of a manifest.
    Sync,
}

impl Verb {
    /// As a command.
    pub const fn word(self) -> &'static str {
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

    /// Whether agents read the skills afterwards, so that the user gets warnings about them.
    pub const fn is_for_agents(self) -> bool {
        !matches!(self, Self::Pack | Self::Lock)
    }

    /// As a participle.
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
