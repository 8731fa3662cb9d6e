//! The documents of OCI registries: manifests, indexes and what points to them. They come from
//! others, so they are bounded, and anything that two programs could read differently is refused.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;

use serde::{Deserialize, Deserializer, Serialize};

use crate::skills::files::digest::{self, Digest};
use crate::skills::model::error::{Error, Result, err};

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
            media_type: MANIFEST.to_owned(),
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
            media_type: INDEX.to_owned(),
            artifact_type: artifact_type.map(str::to_owned),
            manifests,
            subject: None,
            annotations,
        }
    }

    /// Whether it is a collection of skills. Some programs drop the type when they copy an index.
    pub fn is_collection(&self) -> bool {
        self.artifact_type.as_deref() == Some(COLLECTION)
            || self.annotations.contains_key(COLLECTION_NAME)
    }
}

impl ArtifactDocument {
    /// Reads a document that is said to be of this type.
    pub fn parse(bytes: &[u8], told: &str) -> Result<Self, String> {
        if bytes.len() as u64 > DOCUMENT_BYTES {
            return Err(format!("it is larger than {} MiB", DOCUMENT_BYTES / 1024 / 1024));
        }
        let kind = kind(told).ok_or_else(|| {
            format!("its type is `{}`, not a manifest or an index", told.escape_debug())
        })?;
        let value: DocumentShape =
            serde_json::from_slice(bytes).map_err(|error| format!("invalid JSON: {error}"))?;
        // A document that is both would be something else for another program.
        let is_other = match kind {
            DocumentKind::Manifest => value.manifests.is_some(),
            DocumentKind::Index => value.layers.is_some() || value.config.is_some(),
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
            DocumentKind::Manifest => {
                let manifest: ArtifactManifest = serde_json::from_slice(bytes).map_err(wrong)?;
                match manifest.layers.len() {
                    0..=LAYERS => Ok(Self::Manifest(manifest)),
                    many => Err(format!("it has {many} layers, and at most {LAYERS} are read")),
                }
            }
            DocumentKind::Index => {
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

// Media types and annotations of skills in registries.

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

// A place where artifacts lie: a registry, or a layout in a directory.

/// A place where artifacts lie. Whatever it returns has the digest and size that were asked for.
pub trait ArtifactPlace: fmt::Debug + Sync {
    /// The place as people write it.
    fn shown(&self) -> String;

    /// A manifest or an index.
    fn document(&self, wanted: &Descriptor) -> Result<StoredDocument>;

    /// The bytes of a blob, from their start.
    fn blob(&self, wanted: &Descriptor) -> Result<File>;

    /// What others say about a document, such as signatures.
    fn about(&self, subject: &Digest) -> Result<Vec<Remark>>;
}

/// What somebody says about a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The document that says it.
    pub descriptor: Descriptor,
    /// The tag that it is found by, in places that keep no list of remarks.
    pub tag: Option<String>,
}

/// The start of the tags that stand for remarks about a document, where no list of them is kept.
pub fn remark_tag(subject: &Digest) -> String {
    subject.to_string().replace(':', "-")
}

/// Reads the bytes of a document that should be this one.
pub fn checked(place: &str, wanted: &Descriptor, bytes: Vec<u8>) -> Result<StoredDocument> {
    let found: Digest = digest::of_bytes(&bytes).into();
    if found != wanted.digest {
        return Err(wrong(place, &format!("`{}` has the digest {found}", wanted.digest)));
    }
    if bytes.len() as u64 != wanted.size {
        let (size, told) = (bytes.len(), wanted.size);
        let reason = format!("`{}` has {size} bytes, and {told} were announced", wanted.digest);
        return Err(wrong(place, &reason));
    }
    Ok(StoredDocument { media_type: wanted.media_type.clone(), bytes, digest: found })
}

/// Reads a document that was stored.
pub fn read(place: &str, stored: &StoredDocument) -> Result<ArtifactDocument> {
    stored.read().map_err(|reason| wrong(place, &format!("`{}`: {reason}", stored.digest)))
}

/// Refuses a descriptor of something else than a document.
pub fn check_type(place: &str, wanted: &Descriptor) -> Result<()> {
    if kind(&wanted.media_type).is_some() {
        return Ok(());
    }
    let shown = wanted.media_type.escape_debug();
    Err(wrong(place, &format!("`{}` is of the type `{shown}`", wanted.digest)))
}

/// The type of a document whose bytes are known to be right, but not who said what they are.
pub fn guessed_type(bytes: &[u8]) -> String {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct OwnType {
        media_type: Option<String>,
        manifests: Option<serde::de::IgnoredAny>,
    }
    match serde_json::from_slice::<OwnType>(bytes) {
        Ok(OwnType { media_type: Some(own), .. }) => own,
        Ok(OwnType { manifests: Some(_), .. }) => INDEX.to_owned(),
        _ => MANIFEST.to_owned(),
    }
}

/// The error for a place that does not keep what it promises.
pub fn wrong(place: &str, reason: &str) -> Error {
    err!(Validation, "`{place}` is refused: {reason}")
        .help("do not use it, and tell those who run it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor() -> Descriptor {
        Descriptor::of(SKILL_CONFIG, b"{}")
    }

    #[test]
    fn a_manifest_has_one_spelling_and_reads_back() {
        let annotations =
            Annotations::from([("b".to_owned(), "2".to_owned()), ("a".to_owned(), "1".to_owned())]);
        let manifest = ArtifactManifest::new(SKILL, descriptor(), vec![descriptor()], annotations);
        let stored = StoredDocument::of_manifest(&manifest);
        let text = String::from_utf8(stored.bytes.clone()).unwrap();
        let hex = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
        let part = format!(
            "{{\"mediaType\":\"{}\",\"digest\":\"sha256:{hex}\",\"size\":2}}",
            SKILL_CONFIG
        );
        assert_eq!(
            text,
            format!(
                "{{\"schemaVersion\":2,\"mediaType\":\"{}\",\"artifactType\":\"{}\",\
                 \"config\":{part},\"layers\":[{part}],\"annotations\":{{\"a\":\"1\",\"b\":\"2\"}}}}",
                MANIFEST, SKILL
            )
        );
        assert_eq!(stored.read(), Ok(ArtifactDocument::Manifest(manifest)));
    }

    #[test]
    fn a_document_is_only_what_it_is_said_to_be() {
        let part = serde_json::to_string(&descriptor()).unwrap();
        let manifest = format!("{{\"schemaVersion\":2,\"config\":{part},\"layers\":[]}}");
        let index = "{\"schemaVersion\":2,\"manifests\":null,\"annotations\":null}";
        assert!(ArtifactDocument::parse(manifest.as_bytes(), MANIFEST).is_ok());
        assert!(ArtifactDocument::parse(index.as_bytes(), INDEX).is_ok());
        let both = manifest.replace("\"layers\"", "\"manifests\":[],\"layers\"");
        let typed =
            manifest.replace("{\"schema", &format!("{{\"mediaType\":\"{}\",\"schema", INDEX));
        let old = manifest.replace(":2,", ":1,");
        let long = format!("{{\"x\":\"{}\"}}", "x".repeat(4 * 1024 * 1024));
        for (text, told) in [
            (manifest.as_str(), INDEX),
            (manifest.as_str(), "text/html"),
            (index, MANIFEST),
            (&both, MANIFEST),
            (&both, INDEX),
            (&typed, MANIFEST),
            (&old, MANIFEST),
            (&long, MANIFEST),
            ("[]", INDEX),
            ("", INDEX),
        ] {
            assert!(ArtifactDocument::parse(text.as_bytes(), told).is_err(), "{text:.80} {told}");
        }
    }
}
