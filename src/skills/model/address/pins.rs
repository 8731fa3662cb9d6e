//! The artifacts that a lock pins.

use std::collections::BTreeMap;

use crate::skills::files::digest::Digest;

/// The digests that a source must match; empty if nothing is pinned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pins {
    /// The digest of the only artifact: an archive, or the manifest of a skill in a registry.
    pub whole: Option<Digest>,
    /// The digest of each skill of a site or a collection, by name. Other skills are ignored.
    pub skills: BTreeMap<String, Digest>,
}

impl Pins {
    /// Whether nothing is pinned.
    pub fn is_empty(&self) -> bool {
        self.whole.is_none() && self.skills.is_empty()
    }
}
