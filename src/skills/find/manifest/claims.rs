//! Tells which installed skills may come from an entry of a manifest, without reading sources.

use std::path::{Path, PathBuf};

use super::resolve::{ManifestRun, RunChoices};
use super::{Manifest, ManifestEntry, ManifestEntryKind, SourceLocation, TreeRoot, WrittenSource};
use crate::skills::find::record::{self, InstallRecord};
use crate::skills::find::resolve;
use crate::skills::model::address::Address;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::Result;
use crate::skills::model::location::Location;

/// An entry of a manifest, and the skills it may have installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestClaim {
    /// Whether the entry counts in this run: it is enabled, and its section is not collapsed.
    pub is_taken: bool,
    what: ClaimedSkills,
}

/// The skills that an entry may have installed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ClaimedSkills {
    /// The one of this name.
    Named(String),
    /// Those at or below one of these places in a repository.
    Repository(Vec<Location>),
    /// Those at or below a path.
    Path(PathBuf),
    /// Those of an address, in any version.
    Network(Address),
}

impl ManifestClaim {
    /// Whether all skills it covers are still wanted: the entry is not read now, or names one
    /// skill.
    pub const fn is_sure(&self) -> bool {
        !self.is_taken || matches!(self.what, ClaimedSkills::Named(_))
    }

    /// Whether an installed skill may have come from this entry.
    pub fn covers(&self, record: &InstallRecord) -> bool {
        match &self.what {
            ClaimedSkills::Named(name) => record.name == *name,
            ClaimedSkills::Path(path) => Path::new(&record.source).starts_with(path),
            ClaimedSkills::Network(place) => {
                let texts = [Some(&record.source), record.requested.as_ref()];
                texts.into_iter().flatten().any(|text| {
                    matches!(Address::parse(text), Ok(Some(other)) if other.place() == *place)
                })
            }
            ClaimedSkills::Repository(places) => {
                let Ok(Some(source)) = Location::parse(&record.source) else { return false };
                places.iter().any(|place| {
                    place.url == source.url && Path::new(&source.path).starts_with(&place.path)
                })
            }
        }
    }
}

/// The skills that each entry of a manifest may have installed. The records of a project name paths
/// in it relative to its root.
pub fn claims(
    manifest: &Manifest,
    choices: &RunChoices,
    environment: &Environment,
    project: Option<&Path>,
) -> Result<Vec<ManifestClaim>> {
    let run = ManifestRun::new(manifest, choices, environment)?;
    let claim = |(at, entry): (usize, &ManifestEntry)| {
        let is_taken = run.is_enabled(at)? && run.is_collected(at);
        let what = match &entry.kind {
            ManifestEntryKind::Inline(inline) => ClaimedSkills::Named(inline.name.to_string()),
            ManifestEntryKind::Source(source) => match &source.name {
                Some(name) => ClaimedSkills::Named(name.to_string()),
                None => of_source(source, manifest, environment, project),
            },
        };
        Ok(ManifestClaim { is_taken, what })
    };
    manifest.entries.iter().enumerate().map(claim).collect()
}

fn of_source(
    source: &WrittenSource,
    manifest: &Manifest,
    environment: &Environment,
    project: Option<&Path>,
) -> ClaimedSkills {
    let recorded = |path: &Path| {
        ClaimedSkills::Path(record::in_project(&path.to_string_lossy(), project).into())
    };
    let tree = manifest.tree.as_ref();
    match (&source.target, tree.map(|tree| (&tree.root, tree.inner(&source.text)))) {
        (SourceLocation::Git(location), _) => ClaimedSkills::Repository(location.readings()),
        (SourceLocation::Network(address), _)
        | (SourceLocation::Path(_), Some((TreeRoot::Network(address, _), _))) => {
            ClaimedSkills::Network(address.place())
        }
        (SourceLocation::Path(_), Some((TreeRoot::Commit(commit), inner))) => {
            let path = inner.unwrap_or_default();
            ClaimedSkills::Repository(vec![Location { path, ..commit.location.clone() }])
        }
        (SourceLocation::Path(_), Some((TreeRoot::Archive(path), _))) => recorded(path),
        (SourceLocation::Path(path), None) => {
            let path = environment.expand(path);
            let real = resolve::directory(&path).or_else(|| path.canonicalize().ok());
            recorded(&real.unwrap_or_else(|| environment.directory.join(path)))
        }
    }
}
