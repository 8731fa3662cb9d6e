//! One thing a user named, on the command line or in a manifest.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::skills::model::error::Result;
use crate::skills::model::inline::InlineSkill;
use crate::skills::model::location::Location;
use crate::skills::model::name::SkillName;

/// One thing a user named, and what to call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What it is.
    pub what: RequestedSource,
    /// The name it gets; promises that it is one skill.
    pub name: Option<SkillName>,
    /// Where a catalogue says it is.
    pub mount_path: Option<String>,
    /// Where it was named, unless on the command line.
    pub place: Option<String>,
    /// What a manifest calls it, which is how a lock knows it.
    pub written: Option<String>,
}

/// What a user named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestedSource {
    /// A path, relative to the current directory or absolute.
    Path(PathBuf),
    /// A place in a git repository, and the commit that is to be taken whatever its revision means.
    Git(Location, Option<String>),
    /// A skill written in a manifest.
    Inline(Arc<InlineSkill>),
}

impl Request {
    /// Whatever is named on the command line, under its own name.
    ///
    /// # Errors
    /// Something that is neither a path nor a git source.
    pub fn named(source: &Path) -> Result<Self> {
        let location = source.to_str().map(Location::parse).transpose()?.flatten();
        Ok(Self::of(match location {
            Some(location) => RequestedSource::Git(location, None),
            None => RequestedSource::Path(source.to_owned()),
        }))
    }

    /// The current directory.
    #[must_use]
    pub fn here() -> Self {
        Self::of(RequestedSource::Path(PathBuf::from(".")))
    }

    /// This, under its own name.
    const fn of(what: RequestedSource) -> Self {
        Self { what, name: None, mount_path: None, place: None, written: None }
    }
}
