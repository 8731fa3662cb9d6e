//! A place where artifacts lie: a registry, or a layout in a directory.

use std::fmt;
use std::fs::File;

use super::documents::{ArtifactDocument, Descriptor, StoredDocument};
use super::media;
use crate::skills::files::digest::{self, Digest};
use crate::skills::model::error::{Error, Result, err};

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
    if media::kind(&wanted.media_type).is_some() {
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
        Ok(OwnType { manifests: Some(_), .. }) => media::INDEX.to_owned(),
        _ => media::MANIFEST.to_owned(),
    }
}

/// The error for a place that does not keep what it promises.
pub fn wrong(place: &str, reason: &str) -> Error {
    err!(Validation, "`{place}` is refused: {reason}")
        .help("do not use it, and tell those who run it")
}
