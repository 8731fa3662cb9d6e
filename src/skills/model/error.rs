//! Errors of an operation, as opposed to findings about a skill.

use std::path::{Path, PathBuf};

use crate::skills::files::content::system_message;

/// The kinds of failure, as scripts see them in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A path that does not exist.
    NotFound,
    /// A path that is not a skill or a directory of skills.
    NotDirectory,
    /// No `SKILL.md` where one is expected, or no skill at all.
    MissingSkillMd,
    /// An invalid skill name.
    InvalidName,
    /// A server that cannot be asked, or does not answer as it should.
    Network,
    /// No login where one is needed.
    Auth,
    /// A failure to read or write.
    Io,
    /// An invalid `skills.yaml`.
    Manifest,
    /// Invalid arguments.
    Usage,
    /// The operation would overwrite something else.
    Conflict,
    /// A limit on size was exceeded.
    TooLarge,
    /// Two skills with one name.
    Duplicate,
    /// Invalid front matter.
    InvalidFrontmatter,
    /// Skills that break a rule.
    Validation,
    /// The operation would leave the directories that were named.
    Unsafe,
}

impl ErrorKind {
    /// The word used in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::NotDirectory => "not_directory",
            Self::MissingSkillMd => "missing_skill_md",
            Self::InvalidName => "invalid_name",
            Self::Network => "network",
            Self::Auth => "auth",
            Self::Io => "io",
            Self::Manifest => "manifest",
            Self::Usage => "usage",
            Self::Conflict => "conflict",
            Self::TooLarge => "too_large",
            Self::Duplicate => "duplicate",
            Self::InvalidFrontmatter => "invalid_frontmatter",
            Self::Validation => "validation",
            Self::Unsafe => "unsafe",
        }
    }
}

/// A failed operation.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct Error {
    /// The kind of failure.
    pub kind: ErrorKind,
    /// What is wrong: lower case, no full stop, paths in backquotes.
    pub message: String,
    /// The file or directory it is about.
    pub path: Option<PathBuf>,
    /// What to do next.
    pub help: Option<String>,
    /// The skill it is about.
    pub skill: Option<Box<ConcernedSkill>>,
}

/// The skill that an error is about.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConcernedSkill {
    /// Its name.
    pub name: String,
    /// How it is stored, such as `directory` or `inline`, if that is known.
    pub kind: Option<&'static str>,
    /// The skills directory that it is in or should go to.
    pub skills_dir: Option<PathBuf>,
}

/// Results of the domain.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A failure without a path or help.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), path: None, help: None, skill: None }
    }

    /// The user asked to stop.
    pub(crate) fn interrupted() -> Self {
        Self::new(ErrorKind::Io, "interrupted; nothing was changed")
    }

    /// A refusal of the file system: `cannot read `x`: permission denied`.
    pub(crate) fn io(action: &str, path: impl Into<PathBuf>, error: &std::io::Error) -> Self {
        let path = path.into();
        let kind = match error.kind() {
            std::io::ErrorKind::NotFound => ErrorKind::NotFound,
            _ => ErrorKind::Io,
        };
        let message = format!("cannot {action} `{}`: {}", path.display(), system_message(error));
        Self::new(kind, message).at(path)
    }

    /// The same for writing: a missing file is then not a missing skill.
    pub(crate) fn writing(action: &str, path: impl Into<PathBuf>, error: &std::io::Error) -> Self {
        Self { kind: ErrorKind::Io, ..Self::io(action, path, error) }
    }

    /// Content that does not fit into the directory for temporary files.
    pub(crate) fn spooling(error: &std::io::Error) -> Self {
        Self::writing("write a temporary file in", std::env::temp_dir(), error)
            .help("free some space there, or set TMPDIR to another directory")
    }

    /// A download that does not fit where it is kept.
    pub(crate) fn keeping(error: &std::io::Error) -> Self {
        let message = format!("cannot keep what is downloaded: {}", system_message(error));
        Self::new(ErrorKind::Io, message)
            .help("free some space, or set XDG_CACHE_HOME to a directory with more of it")
    }

    /// A file that cannot be read, for this reason.
    pub(crate) fn unreadable(path: impl Into<PathBuf>, reason: &str) -> Self {
        let path = path.into();
        let message = format!("cannot read `{}`: {reason}", path.display());
        Self::new(ErrorKind::Io, message).at(path)
    }

    /// Adds the path it is about.
    pub(crate) fn at(mut self, path: impl Into<PathBuf>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Adds the skill it is about, unless it is known already.
    pub(crate) fn about(mut self, name: impl Into<String>, kind: Option<&'static str>) -> Self {
        let skill = || Box::new(ConcernedSkill { name: name.into(), kind, skills_dir: None });
        self.skill.get_or_insert_with(skill);
        self
    }

    /// Adds the skills directory, if it is about one skill and that is not known already.
    pub(crate) fn within(mut self, skills_dir: &Path) -> Self {
        if let Some(skill) = &mut self.skill {
            skill.skills_dir.get_or_insert_with(|| skills_dir.to_owned());
        }
        self
    }

    /// Adds what to do next.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// An error of a kind, with a message as `format!` writes it: `err!(Usage, "no skill `{name}`")`.
macro_rules! err {
    ($kind:ident, $($message:tt)+) => {
        $crate::skills::model::error::Error::new(
            $crate::skills::model::error::ErrorKind::$kind,
            format!($($message)+),
        )
    };
}

pub(crate) use err;
