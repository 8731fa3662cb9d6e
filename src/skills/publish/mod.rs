//! Publishes skills: makes artifacts of them, decides where they go, and sends them to a registry or
//! writes them to a layout. What a registry has already is not sent again.

pub mod archive;
pub mod artifact;
pub mod copy;
pub mod layout;
pub mod new;
pub mod registry;

use crate::skills::files::digest::Digest;

/// Something that is published, and what was done for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The skill or the collection.
    pub name: String,
    pub is_collection: bool,
    /// Where it is, as a source that can be named again, without tag and digest.
    pub place: String,
    /// The digest of its manifest or index.
    pub digest: Digest,
    /// The tags that lead to it.
    pub tags: Vec<String>,
    /// Whether anything had to be sent, be it a tag.
    pub uploaded: bool,
}

impl Published {
    /// It as a source that can be named again.
    pub fn reference(&self) -> String {
        match self.tags.first() {
            Some(tag) => format!("{}:{tag}", self.place),
            None => format!("{}@{}", self.place, self.digest),
        }
    }
}
