//! One thing a user named, on the command line or in a manifest.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::skills::model::error::Result;
use crate::skills::model::inline::InlineSkill;
use crate::skills::model::location::{Location, pasted};
use crate::skills::model::name::SkillName;

/// One thing a user named, and what to call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// RequestedSource it is.
    pub what: RequestedSource,
    /// The name it gets; promises that it is one skill.
    pub name: Option<SkillName>,
    /// The one skill of a repository that is meant, by its own name or its directory's.
    pub skill: Option<String>,
    /// Where a catalogue says it is.
    pub mount_path: Option<String>,
    /// Whether it counts only because a section of the manifest was opened.
    pub is_opened: bool,
    /// Whether its section of the manifest is closed. Such a request counts where all sections do.
    pub is_waiting: bool,
    /// Where it was named, unless on the command line.
    pub place: Option<String>,
    /// What a lock calls it, when it stands in a manifest: the path that is written there, or the
    /// canonical form of a git source.
    pub written: Option<String>,
    /// Whether it lies beside the manifest that names it, in the same commit or archive.
    pub is_beside: bool,
}

/// What a user named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestedSource {
    /// A path, relative to the current directory or absolute.
    Path(PathBuf),
    /// A place in a git repository, and the pinned commit, if any.
    Git(Location, Option<String>),
    /// An archive, and a directory in it.
    Packed(PathBuf, String),
    /// A skill written in a manifest.
    Inline(Arc<InlineSkill>),
}

impl Request {
    /// Whatever is named on the command line, under its own name.
    ///
    /// # Errors
    /// Something that is neither a path nor a git source.
    pub fn named(source: &Path) -> Result<Self> {
        let parse = |text| Location::unless_path(text, source);
        let location = source.to_str().map(parse).transpose()?.flatten();
        Ok(Self::of(match location {
            Some(location) => RequestedSource::Git(location, None),
            None => RequestedSource::Path(source.to_owned()),
        }))
    }

    /// `OWNER/REPO` or `OWNER/REPO@SKILL`, a repository on GitHub; none when it is not written like
    /// that, or when something exists at the path or at its first part.
    #[must_use]
    pub fn in_short(source: &Path) -> Option<Self> {
        let (location, skill) = pasted::in_short(source.to_str()?)?;
        let first = source.components().next()?;
        if Path::new(first.as_os_str()).symlink_metadata().is_ok() {
            return None;
        }
        let request = Self::of(RequestedSource::Git(location, None));
        Some(Self { skill: skill.map(str::to_owned), ..request })
    }

    /// What a record says was asked for. None for a path that is not absolute, which leads nowhere
    /// by itself.
    ///
    /// # Errors
    /// Something that is neither a path nor a git source.
    pub fn recorded(text: &str) -> Result<Option<Self>> {
        let path = Path::new(text);
        Ok(match Location::parse(text)? {
            Some(location) => Some(Self::of(RequestedSource::Git(location, None))),
            None if path.is_absolute() => Some(Self::of(RequestedSource::Path(path.to_owned()))),
            None => None,
        })
    }

    /// What was asked for, as it is written down beside what was installed.
    #[must_use]
    pub fn asked(&self) -> Option<String> {
        match &self.what {
            RequestedSource::Path(path) => {
                let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                Some(path.to_string_lossy().into_owned())
            }
            RequestedSource::Git(location, _) => Some(location.to_string()),
            RequestedSource::Packed(archive, _) => Some(archive.to_string_lossy().into_owned()),
            RequestedSource::Inline(_) => None,
        }
    }

    /// A path, under its own name.
    #[must_use]
    pub const fn path(path: PathBuf) -> Self {
        Self::of(RequestedSource::Path(path))
    }

    /// The current directory.
    #[must_use]
    pub fn here() -> Self {
        Self::of(RequestedSource::Path(PathBuf::from(".")))
    }

    /// The place in a repository that it names, if it names one.
    #[must_use]
    pub const fn location(&self) -> Option<&Location> {
        match &self.what {
            RequestedSource::Git(location, _) => Some(location),
            RequestedSource::Path(_) | RequestedSource::Packed(..) | RequestedSource::Inline(_) => {
                None
            }
        }
    }

    /// Says what its location turned out to mean.
    pub fn decide(&mut self, decided: Location) {
        if let Some(written) = &mut self.written {
            *written = decided.to_string();
        }
        if let RequestedSource::Git(location, _) = &mut self.what {
            *location = decided;
        }
    }

    /// This, under its own name.
    const fn of(what: RequestedSource) -> Self {
        Self {
            what,
            name: None,
            skill: None,
            mount_path: None,
            is_opened: false,
            is_waiting: false,
            place: None,
            written: None,
            is_beside: false,
        }
    }
}
