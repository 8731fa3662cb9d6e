//! The documents of OCI registries: manifests, indexes and what points to them. They come from
//! others, so they are bounded, and anything that two programs could read differently is refused.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::media;
use crate::skills::files::digest::{self, Digest};

/// The largest manifest or index. Registries have the same limit.
pub const DOCUMENT_BYTES: u64 = 4 * 1024 * 1024;
/// The most entries of an index.
pub const INDEX_ENTRIES: usize = 10_000;
/// The most layers of a manifest.
const LAYERS: usize = 128;
/// The version of both formats.
const SCHEMA_VERSION: u32 = 2;

/// Words about an artifact, by their key.
pub type Annotations = BTreeMap<String, String>;

/// What a document points to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    /// What it is.
    pub media_type: String,
    /// The digest of its bytes.
    pub digest: Digest,
    /// How many bytes.
    pub size: u64,
    /// What a manifest is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// Words about it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "or_nothing")]
    pub annotations: Annotations,
    /// What it runs on; read to find the one of several images, never written.
    #[serde(default, skip_serializing)]
    pub platform: Option<Platform>,
}

/// What an image runs on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Platform {
    /// Such as `amd64`.
    #[serde(default)]
    pub architecture: String,
    /// Such as `linux`.
    #[serde(default)]
    pub os: String,
}

/// One artifact: a configuration and layers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactManifest {
    schema_version: u32,
    /// What this document is.
    #[serde(default)]
    pub media_type: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// The configuration.
    pub config: Descriptor,
    /// The content.
    #[serde(default, deserialize_with = "or_nothing")]
    pub layers: Vec<Descriptor>,
    /// What it is about, for a signature and its like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Descriptor>,
    /// Words about it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "or_nothing")]
    pub annotations: Annotations,
}

/// A list of manifests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactIndex {
    schema_version: u32,
    /// What this document is.
    #[serde(default)]
    pub media_type: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// What it lists.
    #[serde(default, deserialize_with = "or_nothing")]
    pub manifests: Vec<Descriptor>,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Descriptor>,
    /// Words about it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "or_nothing")]
    pub annotations: Annotations,
}

/// A manifest or an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArtifactDocument {
    /// One artifact.
    Manifest(ArtifactManifest),
    /// A list of them.
    Index(ArtifactIndex),
}

/// A document as it is stored: its bytes, their digest, and what it says it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDocument {
    /// What it is.
    pub media_type: String,
    /// All of it.
    pub bytes: Vec<u8>,
    /// The digest of the bytes.
    pub digest: Digest,
}

/// Some programs write `null` for an empty list.
fn or_nothing<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

impl Descriptor {
    /// Points to these bytes.
    pub fn of(media_type: &str, bytes: &[u8]) -> Self {
        Self {
            media_type: media_type.to_owned(),
            digest: digest::of_bytes(bytes).into(),
            size: bytes.len() as u64,
            artifact_type: None,
            annotations: Annotations::new(),
            platform: None,
        }
    }

    /// An annotation, unless it is empty.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        annotation(&self.annotations, key)
    }
}

/// An annotation, unless it is empty.
pub fn annotation<'a>(annotations: &'a Annotations, key: &str) -> Option<&'a str> {
    annotations.get(key).map(String::as_str).filter(|text| !text.is_empty())
}

impl ArtifactManifest {
    /// A new manifest.
    pub fn new(
        artifact_type: &str,
        config: Descriptor,
        layers: Vec<Descriptor>,
        annotations: Annotations,
    ) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            media_type: media::MANIFEST.to_owned(),
            artifact_type: Some(artifact_type.to_owned()),
            config,
            layers,
            subject: None,
            annotations,
        }
    }

    /// What it is for; older documents say so in the type of their configuration.
    pub fn purpose(&self) -> &str {
        self.artifact_type.as_deref().unwrap_or(&self.config.media_type)
    }
}

impl ArtifactIndex {
    /// A new index.
    pub fn new(
        artifact_type: Option<&str>,
        manifests: Vec<Descriptor>,
        annotations: Annotations,
    ) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            media_type: media::INDEX.to_owned(),
            artifact_type: artifact_type.map(str::to_owned),
            manifests,
            subject: None,
            annotations,
        }
    }

    /// Whether it is a collection of skills. Some programs drop the type when they copy an index.
    pub fn is_collection(&self) -> bool {
        self.artifact_type.as_deref() == Some(media::COLLECTION)
            || self.annotations.contains_key(media::COLLECTION_NAME)
    }
}

impl ArtifactDocument {
    /// Reads a document that is said to be of this type.
    pub fn parse(bytes: &[u8], told: &str) -> Result<Self, String> {
        if bytes.len() as u64 > DOCUMENT_BYTES {
            return Err(format!("it is larger than {} MiB", DOCUMENT_BYTES / 1024 / 1024));
        }
        let kind = media::kind(told).ok_or_else(|| {
            format!("its type is `{}`, not a manifest or an index", told.escape_debug())
        })?;
        let value: DocumentShape =
            serde_json::from_slice(bytes).map_err(|error| format!("invalid JSON: {error}"))?;
        // A document that is both would be something else for another program.
        let is_other = match kind {
            media::DocumentKind::Manifest => value.manifests.is_some(),
            media::DocumentKind::Index => value.layers.is_some() || value.config.is_some(),
        };
        let says_other = value.media_type.as_deref().is_some_and(|own| own != told);
        if is_other || says_other {
            return Err(format!("it is not the `{told}` that it is said to be"));
        }
        if value.schema_version != Some(SCHEMA_VERSION) {
            return Err(format!("its `schemaVersion` is not {SCHEMA_VERSION}"));
        }
        let wrong = |error: serde_json::Error| format!("invalid {kind}: {error}");
        match kind {
            media::DocumentKind::Manifest => {
                let manifest: ArtifactManifest = serde_json::from_slice(bytes).map_err(wrong)?;
                match manifest.layers.len() {
                    0..=LAYERS => Ok(Self::Manifest(manifest)),
                    many => Err(format!("it has {many} layers, and at most {LAYERS} are read")),
                }
            }
            media::DocumentKind::Index => {
                let index: ArtifactIndex = serde_json::from_slice(bytes).map_err(wrong)?;
                match index.manifests.len() {
                    0..=INDEX_ENTRIES => Ok(Self::Index(index)),
                    many => {
                        Err(format!("it has {many} entries, and at most {INDEX_ENTRIES} are read"))
                    }
                }
            }
        }
    }

    /// What it is about, for a signature and its like.
    pub const fn subject(&self) -> Option<&Descriptor> {
        match self {
            Self::Manifest(manifest) => manifest.subject.as_ref(),
            Self::Index(index) => index.subject.as_ref(),
        }
    }

    /// Everything that it points to: manifests for an index, blobs for a manifest.
    pub fn parts(&self) -> Vec<&Descriptor> {
        match self {
            Self::Manifest(manifest) => {
                std::iter::once(&manifest.config).chain(&manifest.layers).collect()
            }
            Self::Index(index) => index.manifests.iter().collect(),
        }
    }
}

/// The keys that say what a document is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DocumentShape {
    schema_version: Option<u32>,
    media_type: Option<String>,
    config: Option<serde::de::IgnoredAny>,
    layers: Option<serde::de::IgnoredAny>,
    manifests: Option<serde::de::IgnoredAny>,
}

impl StoredDocument {
    /// A document that was just made.
    fn of(media_type: &str, bytes: Vec<u8>) -> Self {
        let digest = digest::of_bytes(&bytes).into();
        Self { media_type: media_type.to_owned(), bytes, digest }
    }

    /// The bytes of a manifest: without blanks, its keys in the order of the type.
    pub fn of_manifest(manifest: &ArtifactManifest) -> Self {
        // Texts and numbers only, so that nothing can fail.
        Self::of(&manifest.media_type, serde_json::to_vec(manifest).unwrap_or_default())
    }

    /// The bytes of an index.
    pub fn of_index(index: &ArtifactIndex) -> Self {
        Self::of(&index.media_type, serde_json::to_vec(index).unwrap_or_default())
    }

    /// Points to it.
    pub fn descriptor(&self) -> Descriptor {
        Descriptor { digest: self.digest, ..Descriptor::of(&self.media_type, &self.bytes) }
    }

    pub fn read(&self) -> Result<ArtifactDocument, String> {
        ArtifactDocument::parse(&self.bytes, &self.media_type)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor() -> Descriptor {
        Descriptor::of(media::SKILL_CONFIG, b"{}")
    }

    #[test]
    fn a_manifest_has_one_spelling_and_reads_back() {
        let annotations =
            Annotations::from([("b".to_owned(), "2".to_owned()), ("a".to_owned(), "1".to_owned())]);
        let manifest =
            ArtifactManifest::new(media::SKILL, descriptor(), vec![descriptor()], annotations);
        let stored = StoredDocument::of_manifest(&manifest);
        let text = String::from_utf8(stored.bytes.clone()).unwrap();
        let hex = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
        let part = format!(
            "{{\"mediaType\":\"{}\",\"digest\":\"sha256:{hex}\",\"size\":2}}",
            media::SKILL_CONFIG
        );
        assert_eq!(
            text,
            format!(
                "{{\"schemaVersion\":2,\"mediaType\":\"{}\",\"artifactType\":\"{}\",\
                 \"config\":{part},\"layers\":[{part}],\"annotations\":{{\"a\":\"1\",\"b\":\"2\"}}}}",
                media::MANIFEST,
                media::SKILL
            )
        );
        assert_eq!(stored.read(), Ok(ArtifactDocument::Manifest(manifest)));
    }

    #[test]
    fn a_document_is_only_what_it_is_said_to_be() {
        let part = serde_json::to_string(&descriptor()).unwrap();
        let manifest = format!("{{\"schemaVersion\":2,\"config\":{part},\"layers\":[]}}");
        let index = "{\"schemaVersion\":2,\"manifests\":null,\"annotations\":null}";
        assert!(ArtifactDocument::parse(manifest.as_bytes(), media::MANIFEST).is_ok());
        assert!(ArtifactDocument::parse(index.as_bytes(), media::INDEX).is_ok());
        let both = manifest.replace("\"layers\"", "\"manifests\":[],\"layers\"");
        let typed = manifest
            .replace("{\"schema", &format!("{{\"mediaType\":\"{}\",\"schema", media::INDEX));
        let old = manifest.replace(":2,", ":1,");
        let long = format!("{{\"x\":\"{}\"}}", "x".repeat(4 * 1024 * 1024));
        for (text, told) in [
            (manifest.as_str(), media::INDEX),
            (manifest.as_str(), "text/html"),
            (index, media::MANIFEST),
            (&both, media::MANIFEST),
            (&both, media::INDEX),
            (&typed, media::MANIFEST),
            (&old, media::MANIFEST),
            (&long, media::MANIFEST),
            ("[]", media::INDEX),
            ("", media::INDEX),
        ] {
            assert!(ArtifactDocument::parse(text.as_bytes(), told).is_err(), "{text:.80} {told}");
        }
    }
}
