//! One thing a user named, on the command line or in a manifest.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::skills::model::address::{Address, Pins};
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
    /// An archive, a site or a registry on the network.
    Network(NetworkSource),
    /// A skill written in a manifest.
    Inline(Arc<InlineSkill>),
}

/// Something on the network that is not a git repository.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NetworkSource {
    /// Where it is.
    pub address: Address,
    /// What a lock says that it must be.
    pub pins: Pins,
    /// A directory in it; empty for all of it.
    pub directory: String,
}

impl RequestedSource {
    /// What a text names on another machine, or in a git repository; none when it is a path. What
    /// exists at `path` wins over a form without a scheme.
    ///
    /// # Errors
    /// A text that is none of these.
    pub fn remote(text: &str, path: &Path) -> Result<Option<Self>> {
        if let Some(address) = Address::parse(text)? {
            return Ok(Some(Self::of_address(address)));
        }
        let location = Location::unless_path(text, path)?;
        Ok(location.map(|location| Self::Git(location, None)))
    }

    /// An address, of which nothing is pinned.
    #[must_use]
    pub fn of_address(address: Address) -> Self {
        Self::Network(NetworkSource { address, pins: Pins::default(), directory: String::new() })
    }
}

impl Request {
    /// Whatever is named on the command line, under its own name.
    ///
    /// # Errors
    /// Something that is neither a path nor a source on the network.
    pub fn named(source: &Path) -> Result<Self> {
        let parse = |text| RequestedSource::remote(text, source);
        let remote = source.to_str().map(parse).transpose()?.flatten();
        Ok(Self::of(remote.unwrap_or_else(|| RequestedSource::Path(source.to_owned()))))
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
    /// Something that is neither a path nor a source on the network.
    pub fn recorded(text: &str) -> Result<Option<Self>> {
        let path = Path::new(text);
        if let Some(address) = Address::parse(text)? {
            return Ok(Some(Self::of(RequestedSource::of_address(address))));
        }
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
            RequestedSource::Network(source) => Some(source.address.to_string()),
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
            _ => None,
        }
    }

    /// What it names on the network, unless that is a git repository.
    #[must_use]
    pub const fn network(&self) -> Option<&NetworkSource> {
        match &self.what {
            RequestedSource::Network(source) => Some(source),
            _ => None,
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
            place: None,
            written: None,
            is_beside: false,
        }
    }
}
