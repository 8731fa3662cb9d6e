//! The artifacts that a lock pins.

use std::collections::BTreeMap;

use crate::skills::files::digest::Digest;

/// The digests of what a source must give; empty when anything may come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pins {
    /// That of the only artifact: an archive, or the manifest of a skill in a registry.
    pub whole: Option<Digest>,
    /// Those of each skill of a site or a collection, by the skill's name. Others are not taken.
    pub skills: BTreeMap<String, Digest>,
}

impl Pins {
    /// Whether nothing is pinned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.whole.is_none() && self.skills.is_empty()
    }
}
