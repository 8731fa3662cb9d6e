//! Media types and annotations of skills in registries.

use std::fmt;

/// One artifact.
pub const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
/// A list of artifacts.
pub const INDEX: &str = "application/vnd.oci.image.index.v1+json";
/// What Docker calls the same.
const DOCKER_MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";
const DOCKER_LIST: &str = "application/vnd.docker.distribution.manifest.list.v2+json";

/// The type of an artifact that is a skill.
pub const SKILL: &str = "application/vnd.agentskills.skill.v1";
/// What its configuration is.
pub const SKILL_CONFIG: &str = "application/vnd.agentskills.skill.config.v1+json";
/// What its layer is.
pub const SKILL_CONTENT: &str = "application/vnd.agentskills.skill.content.v1.tar+gzip";
/// The type of an index that is a collection of skills.
pub const COLLECTION: &str = "application/vnd.agentskills.collection.v1";

pub const SKILL_NAME: &str = "io.agentskills.skill.name";
/// What a skill needs.
pub const SKILL_COMPATIBILITY: &str = "io.agentskills.skill.compatibility";
/// Where a skill of a collection is.
pub const SKILL_REF: &str = "io.agentskills.skill.ref";
pub const COLLECTION_NAME: &str = "io.agentskills.collection.name";
/// Annotations that every program knows.
pub const TITLE: &str = "org.opencontainers.image.title";
pub const VERSION: &str = "org.opencontainers.image.version";
pub const DESCRIPTION: &str = "org.opencontainers.image.description";
/// The licence.
pub const LICENSES: &str = "org.opencontainers.image.licenses";
/// What a layout calls an artifact.
pub const REF_NAME: &str = "org.opencontainers.image.ref.name";

/// The types that are asked for.
pub const DOCUMENTS: [&str; 4] = [MANIFEST, INDEX, DOCKER_MANIFEST, DOCKER_LIST];

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentKind {
    /// One artifact.
    Manifest,
    /// A list of them.
    Index,
}

impl fmt::Display for DocumentKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Manifest => "manifest",
            Self::Index => "index",
        })
    }
}

/// What a document of this type is; none for any other type.
pub fn kind(media_type: &str) -> Option<DocumentKind> {
    match media_type {
        MANIFEST | DOCKER_MANIFEST => Some(DocumentKind::Manifest),
        INDEX | DOCKER_LIST => Some(DocumentKind::Index),
        _ => None,
    }
}

/// Whether a layer of this type is a tar archive that gzip compressed.
pub fn is_tar_gzip(media_type: &str) -> bool {
    let is_named = ["tar+gzip", "tar.gzip", "tgz"].iter().any(|end| media_type.ends_with(end));
    is_named || matches!(media_type, "application/gzip" | "application/x-gzip")
}

/// A type without its parameters, as a server sends it.
pub fn without_parameters(text: &str) -> &str {
    text.split(';').next().unwrap_or_default().trim()
}
