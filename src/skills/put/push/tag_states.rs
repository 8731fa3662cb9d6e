//! What the tags that are about to be set lead to now, and whether they may be moved.

use super::plan::Tags;
use super::registry::WritableRegistry;
use crate::skills::files::digest::Digest;
use crate::skills::files::parallel;
use crate::skills::model::error::{Error, ErrorKind, Result};

/// A document, and where it goes.
#[derive(Debug, Clone, Copy)]
pub struct Destined<'a> {
    pub repository: &'a str,
    /// The tags there.
    pub tags: &'a Tags,
    /// The document.
    pub digest: Digest,
}

/// The tags of a document that do not lead to it yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingTags {
    pub tags: Vec<String>,
    /// Whether another tag leads to it, so that the repository has it.
    pub is_there: bool,
}

/// Asks what all tags lead to, and refuses to move one that names a version.
pub fn ask(
    registry: &WritableRegistry<'_>,
    destined: &[Destined<'_>],
    force: bool,
) -> Result<Vec<MissingTags>> {
    // The first question finds out which login is wanted, so that the others need not.
    let (first, rest) = match destined.split_first() {
        Some((first, rest)) => (first, rest),
        None => return Ok(Vec::new()),
    };
    let mut states = vec![state(registry, first, force)?];
    let others = parallel::map_waiting(rest, |one| state(registry, one, force));
    for other in others {
        states.push(other?);
    }
    Ok(states)
}

fn state(
    registry: &WritableRegistry<'_>,
    destined: &Destined<'_>,
    force: bool,
) -> Result<MissingTags> {
    let mut missing = MissingTags { tags: Vec::new(), is_there: false };
    for tag in &destined.tags.all {
        match registry.digest_of(destined.repository, tag)? {
            Some(there) if there == destined.digest => missing.is_there = true,
            Some(there) if destined.tags.version.as_ref() == Some(tag) && !force => {
                let shown = registry.shown(destined.repository);
                let message =
                    format!("`{shown}:{tag}` is already {there}, and this is {}", destined.digest);
                return Err(Error::new(ErrorKind::Conflict, message).help(
                    "raise `metadata.version`, or use `--force` to move the tag; whoever pinned \
                     the old digest keeps it",
                ));
            }
            _ => missing.tags.push(tag.clone()),
        }
    }
    Ok(missing)
}
