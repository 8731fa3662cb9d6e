//! Where the files of a fetched bundle came from.

use super::{Bundle, BundleOrigin};
use crate::skills::files::digest::Digest;
use crate::skills::model::address::Address;

/// The artifacts from one address. Each has its own directory in the bundle; a single archive has
/// the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The requested address, without the pins of a lock.
    pub address: Address,
    /// One for each skill of a site or a collection, else one.
    pub artifacts: Vec<Artifact>,
    /// The names of skills that are there too, but were not asked for.
    pub others: Vec<String>,
}

impl Bundle {
    /// The names of skills that are where it came from, but were not asked for.
    pub fn others(&self) -> &[String] {
        match &self.origin {
            BundleOrigin::Network(fetched) => &fetched.others,
            BundleOrigin::Archive | BundleOrigin::Commit(_) => &[],
        }
    }

    /// Whether it came from a registry.
    pub const fn is_artifact(&self) -> bool {
        matches!(self.address(), Some(Address::Registry(_)))
    }
}

/// A download with one digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its directory in the bundle; empty for the root.
    pub root: String,
    /// The digest of its bytes, or of its manifest in a registry.
    pub digest: Digest,
    /// The source that names exactly this artifact.
    pub source: String,
}

impl Fetched {
    /// The digest of all of it, if it is one artifact.
    pub fn whole(&self) -> Option<Digest> {
        match self.artifacts.as_slice() {
            [only] if only.root.is_empty() => Some(only.digest),
            _ => None,
        }
    }

    /// The artifact that a directory of the bundle belongs to.
    pub fn artifact(&self, directory: &str) -> Option<&Artifact> {
        let holds = |artifact: &&Artifact| {
            let rest = directory.strip_prefix(&artifact.root);
            artifact.root.is_empty()
                || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.artifacts.iter().find(holds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_belongs_to_the_artifact_it_came_with() {
        let digest = |digit: &str| Digest::parse(&format!("sha256:{}", digit.repeat(64))).unwrap();
        let artifact = |root: &str, digit: &str| Artifact {
            root: root.to_owned(),
            digest: digest(digit),
            source: String::new(),
        };
        let address = Address::parse("https://h.example").unwrap().unwrap();
        let artifacts = vec![artifact("pdf", "1"), artifact("pdf-forms", "2")];
        let others = Vec::new();
        let several = Fetched { address: address.clone(), artifacts, others };
        let of = |directory: &str| several.artifact(directory).map(|one| one.digest);
        assert_eq!(of("pdf"), Some(digest("1")));
        assert_eq!(of("pdf/sub"), Some(digest("1")));
        assert_eq!(of("pdf-forms"), Some(digest("2")));
        assert_eq!(of("other"), None);
        let one = Fetched { address, artifacts: vec![artifact("", "3")], others: Vec::new() };
        assert_eq!(one.artifact("any/where").map(|one| one.digest), Some(digest("3")));
    }
}
