//! One source that a user named, on the command line or in a manifest. [`RequestedSource::remote`]
//! decides whether a text is an address ([`Address`]), a git source ([`Location`]) or a path.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::skills::model::address::{Address, Pins};
use crate::skills::model::environment::normalized;
use crate::skills::model::error::Result;
use crate::skills::model::inline::InlineSkill;
use crate::skills::model::location::{Location, pasted};
use crate::skills::model::name::SkillName;

/// One source that a user named, and the name it gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The source itself.
    pub what: RequestedSource,
    /// The name it gets; it must then be a single skill.
    pub name: Option<SkillName>,
    /// The requested skill of a repository, by its name or its directory's.
    pub skill: Option<String>,
    /// Where a catalogue says it is.
    pub mount_path: Option<String>,
    /// Whether it counts only because a section of the manifest was opened.
    pub is_opened: bool,
    /// The key of the section or inline skill of the manifest that it is in.
    pub section: Option<String>,
    /// Its position in a prompt.
    pub position: PromptPosition,
    /// Whether its section of the manifest is closed. Such a request counts where all sections do.
    pub is_waiting: bool,
    /// Where it was named, unless on the command line.
    pub place: Option<String>,
    /// Its name in a lock, if it comes from a manifest: the path as written, or the canonical form
    /// of a git source.
    pub written: Option<String>,
    /// Whether it is in the same commit or archive as the manifest that names it.
    pub is_beside: bool,
}

/// Where a skill or section stands in a prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PromptPosition {
    /// Its number.
    pub order: usize,
    /// How many headings of others are above it.
    pub depth: usize,
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
    /// The digests that a lock requires.
    pub pins: Pins,
    /// A directory in it; empty for all of it.
    pub directory: String,
}

impl RequestedSource {
    /// Parses a source on the network or in a git repository; none if it is a path. If `path`
    /// exists, it wins over a form without a scheme.
    pub fn remote(text: &str, path: &Path) -> Result<Option<Self>> {
        if let Some(address) = Address::parse(text)? {
            return Ok(Some(Self::of_address(address)));
        }
        let location = Location::unless_path(text, path)?;
        Ok(location.map(|location| Self::Git(location, None)))
    }

    /// An address without pins.
    pub fn of_address(address: Address) -> Self {
        Self::Network(NetworkSource { address, pins: Pins::default(), directory: String::new() })
    }
}

impl Request {
    /// A source from the command line, under its own name.
    pub fn named(source: &Path) -> Result<Self> {
        let parse = |text| RequestedSource::remote(text, source);
        let remote = source.to_str().map(parse).transpose()?.flatten();
        Ok(Self::of(remote.unwrap_or_else(|| RequestedSource::Path(source.to_owned()))))
    }

    /// `OWNER/REPO` or `OWNER/REPO@SKILL`, a repository on GitHub; none for other texts, or if the
    /// path or its first part exists.
    pub fn in_short(source: &Path) -> Option<Self> {
        let (location, skill) = pasted::in_short(source.to_str()?)?;
        let first = source.components().next()?;
        if Path::new(first.as_os_str()).symlink_metadata().is_ok() {
            return None;
        }
        let request = Self::of(RequestedSource::Git(location, None));
        Some(Self { skill: skill.map(str::to_owned), ..request })
    }

    /// The source in a record. None for a relative path, which means nothing without its directory.
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

    /// The requested source, as the record of an installed skill has it.
    pub fn asked(&self) -> Option<String> {
        match &self.what {
            RequestedSource::Path(path) => Some(normalized(path).to_string_lossy().into_owned()),
            RequestedSource::Git(location, _) => Some(location.to_string()),
            RequestedSource::Packed(archive, _) => Some(archive.to_string_lossy().into_owned()),
            RequestedSource::Network(source) => Some(source.address.to_string()),
            RequestedSource::Inline(_) => None,
        }
    }

    /// A path, under its own name.
    pub const fn path(path: PathBuf) -> Self {
        Self::of(RequestedSource::Path(path))
    }

    /// The current directory.
    pub fn here() -> Self {
        Self::of(RequestedSource::Path(PathBuf::from(".")))
    }

    /// The place in a repository, if it names one.
    pub const fn location(&self) -> Option<&Location> {
        match &self.what {
            RequestedSource::Git(location, _) => Some(location),
            _ => None,
        }
    }

    /// The source on the network, unless it is a git repository.
    pub const fn network(&self) -> Option<&NetworkSource> {
        match &self.what {
            RequestedSource::Network(source) => Some(source),
            _ => None,
        }
    }

    /// Replaces an ambiguous location by the meaning that was found.
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
            section: None,
            position: PromptPosition { order: 0, depth: 0 },
            is_waiting: false,
            place: None,
            written: None,
            is_beside: false,
        }
    }
}
