//! Writes to a registry: blobs that it does not have, documents, and tags.

use std::fs::File;

use serde::Deserialize;

use crate::skills::fetch::cache::Cache;
use crate::skills::fetch::http::{HttpMethod, HttpRequest, HttpResponse, UploadBody, Url};
use crate::skills::fetch::oci::documents::{self, DOCUMENT_BYTES, Descriptor, StoredDocument};
use crate::skills::fetch::oci::registry::RegistryPlace;
use crate::skills::fetch::oci::{RegistryAccess, RegistryClient};
use crate::skills::files::digest::Digest;
use crate::skills::files::parallel;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::reporter::Reporter;
use crate::skills::publish::Published;
use crate::skills::publish::artifact::{
    self, BuiltArtifact, Destined, MissingTags, PlannedArtifact, PlannedCollection, Publication,
};

/// Blobs up to this size are sent at once, larger ones in parts of it.
const PART: u64 = 16 * 1024 * 1024;

/// How much of an error is read.
const ERROR_BYTES: u64 = 64 * 1024;

/// A registry that is written to.
#[derive(Debug, Clone, Copy)]
pub struct WritableRegistry<'n> {
    /// The registry.
    pub client: &'n RegistryClient<'n>,
    /// What was fetched before.
    pub cache: &'n Cache,
}

/// Bytes to send.
#[derive(Debug, Clone, Copy)]
pub enum BlobContent<'a> {
    Memory(&'a [u8]),
    File(&'a File),
}

impl<'a> BlobContent<'a> {
    fn part(self, start: u64, length: u64) -> UploadBody<'a> {
        match self {
            Self::File(file) => UploadBody::Part(file, start, length),
            Self::Memory(bytes) => {
                let position = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
                UploadBody::Bytes(&bytes[position(start)..position(start + length)])
            }
        }
    }
}

impl<'n> WritableRegistry<'n> {
    /// A repository as a place to read from.
    pub fn place(&self, repository: &str) -> RegistryPlace<'n> {
        RegistryPlace::new(self.client, self.cache, repository, u64::MAX)
    }

    /// A repository as a source that can be named again.
    pub fn shown(&self, repository: &str) -> String {
        format!("oci://{}/{repository}", self.client.host())
    }

    /// What a tag or digest leads to.
    pub fn digest_of(&self, repository: &str, reference: &str) -> Result<Option<Digest>> {
        self.place(repository).digest_of(reference, RegistryAccess::Push)
    }

    fn send(&self, repository: &str, request: &HttpRequest<'_>) -> Result<HttpResponse<'n>> {
        self.client.send(repository, RegistryAccess::Push, request)
    }

    /// Makes sure that a repository has a blob; returns whether anything had to be sent. One that
    /// another repository of the registry has is taken from there.
    pub fn put_blob(
        &self,
        repository: &str,
        blob: &Descriptor,
        content: &dyn Fn() -> Result<OpenBlob>,
        from: Option<&str>,
    ) -> Result<bool> {
        // A registry that can take it from elsewhere says so either way.
        if from.is_none() && self.has_blob(repository, blob)? {
            return Ok(false);
        }
        let start = self.client.url(repository, "blobs/uploads/")?;
        let location = match self.mounted(repository, blob, from, &start) {
            Some(TakenOver::Done) => return Ok(true),
            Some(TakenOver::SendTo(location)) => location,
            None => {
                let request = HttpRequest::new(HttpMethod::Post, start.clone());
                let answer = self.send(repository, &request)?;
                match answer.status() {
                    202 => answer.location()?,
                    _ => return Err(self.failed(repository, answer)),
                }
            }
        };
        let open = content()?;
        self.upload(repository, blob, open.content(), &start, location)?;
        Ok(true)
    }

    /// Asks the registry to take a blob from another of its repositories; none when that does not
    /// help.
    fn mounted(
        &self,
        repository: &str,
        blob: &Descriptor,
        from: Option<&str>,
        start: &Url,
    ) -> Option<TakenOver> {
        let url = start.with_query("mount", &blob.digest.to_string()).with_query("from", from?);
        let answer = self.send(repository, &HttpRequest::new(HttpMethod::Post, url)).ok()?;
        match answer.status() {
            201 => Some(TakenOver::Done),
            202 => answer.location().ok().map(TakenOver::SendTo),
            _ => None,
        }
    }

    fn has_blob(&self, repository: &str, blob: &Descriptor) -> Result<bool> {
        let url = self.client.url(repository, &format!("blobs/{}", blob.digest))?;
        let answer = self.send(repository, &HttpRequest::new(HttpMethod::Head, url))?;
        match answer.status() {
            200 => Ok(true),
            404 => Ok(false),
            _ => Err(self.failed(repository, answer)),
        }
    }

    fn upload(
        &self,
        repository: &str,
        blob: &Descriptor,
        content: BlobContent<'_>,
        start: &Url,
        mut location: Url,
    ) -> Result<()> {
        let request = |method, url: Url| HttpRequest::new(method, url).named_by(start);
        let mut sent = 0;
        while blob.size > PART && sent < blob.size {
            let length = PART.min(blob.size - sent);
            let patch = request(HttpMethod::Patch, location.clone())
                .header("content-type", "application/octet-stream")
                .header("content-range", format!("{sent}-{}", sent + length - 1))
                .body(content.part(sent, length));
            let answer = self.send(repository, &patch)?;
            if answer.status() != 202 {
                return Err(self.failed(repository, answer));
            }
            location = answer.location()?;
            sent += length;
        }
        let last = location.with_query("digest", &blob.digest.to_string());
        let put = request(HttpMethod::Put, last)
            .header("content-type", "application/octet-stream")
            .body(content.part(sent, blob.size - sent));
        let answer = self.send(repository, &put)?;
        match answer.status() {
            201 => Ok(()),
            _ => Err(self.failed(repository, answer)),
        }
    }

    /// Writes a document under a tag or its digest; returns whether the registry keeps a list of what
    /// is said about other documents.
    pub fn put_document(
        &self,
        repository: &str,
        reference: &str,
        stored: &StoredDocument,
    ) -> Result<bool> {
        if stored.bytes.len() as u64 > DOCUMENT_BYTES {
            return Err(err!(
                TooLarge,
                "the list of all skills is too large for a registry: at most {} MiB are allowed",
                DOCUMENT_BYTES / 1024 / 1024
            )
            .help("make several collections"));
        }
        let url = self.client.url(repository, &format!("manifests/{reference}"))?;
        let request = HttpRequest::new(HttpMethod::Put, url)
            .header("content-type", stored.media_type.clone())
            .body(UploadBody::Bytes(&stored.bytes));
        let answer = self.send(repository, &request)?;
        if answer.status() != 201 {
            return Err(self.failed(repository, answer));
        }
        let told = answer.header("docker-content-digest");
        if let Some(told) = told.filter(|told| *told != stored.digest.to_string()) {
            let reason =
                format!("it stored `{}` instead of `{}`", told.escape_debug(), stored.digest);
            return Err(documents::wrong(&self.shown(repository), &reason));
        }
        Ok(answer.header("oci-subject").is_some())
    }

    /// The error for an answer that does not help, with the registry's own word for it.
    fn failed(&self, repository: &str, answer: HttpResponse<'_>) -> Error {
        if answer.status() == 403 {
            let reason = "it does not allow that";
            return self.client.refused(repository, RegistryAccess::Push, reason);
        }
        let refusal = answer.refusal();
        let code = answer.bytes(ERROR_BYTES).ok().and_then(|bytes| code(&bytes));
        let said = code.map(|code| format!(" ({code})")).unwrap_or_default();
        let message =
            format!("cannot write to `{}`: {}{said}", self.shown(repository), refusal.message);
        Error { message, ..refusal }
    }
}

/// What became of a blob that another repository has.
enum TakenOver {
    /// It is in this one, too.
    Done,
    /// Its bytes are to be sent there.
    SendTo(Url),
}

/// Bytes that were opened to be sent.
pub enum OpenBlob {
    Memory(Vec<u8>),
    File(File),
}

impl OpenBlob {
    fn content(&self) -> BlobContent<'_> {
        match self {
            Self::Memory(bytes) => BlobContent::Memory(bytes),
            Self::File(file) => BlobContent::File(file),
        }
    }
}

/// A registry's word for what is wrong, such as `MANIFEST_BLOB_UNKNOWN`.
fn code(bytes: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct RegistryErrors {
        errors: Vec<RegistryError>,
    }
    #[derive(Deserialize)]
    struct RegistryError {
        code: String,
    }
    let errors: RegistryErrors = serde_json::from_slice(bytes).ok()?;
    let code = errors.errors.into_iter().next()?.code;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (code.len() <= 64 && code.chars().all(is_plain)).then_some(code)
}

// Sends a publication to a registry.

/// Sends what is missing: all skills first, then the list of them. Nothing is sent when anything is
/// refused, or with `dry_run`.
pub fn upload(
    publication: &Publication,
    registry: &WritableRegistry<'_>,
    force: bool,
    dry_run: bool,
    reporter: &dyn Reporter,
) -> Result<Vec<Published>> {
    let artifacts = publication.artifacts.iter().map(|one| Destined {
        repository: &one.repository,
        tags: &one.tags,
        digest: one.built.manifest.digest,
    });
    let collection = publication.collection.iter().map(|one| Destined {
        repository: &one.repository,
        tags: &one.tags,
        digest: one.index.digest,
    });
    let destined: Vec<Destined<'_>> = collection.chain(artifacts).collect();
    let mut states = artifact::ask(registry, &destined, force)?.into_iter();
    let of_collection = publication.collection.as_ref().and_then(|_| states.next());
    let states: Vec<MissingTags> = states.collect();
    // A registry keeps a list only together with what it lists.
    let shared = match (&publication.collection, &of_collection) {
        (Some(collection), Some(state)) if !state.is_there => Some(collection),
        _ => None,
    };
    if !dry_run {
        let pairs: Vec<_> = publication.artifacts.iter().zip(&states).collect();
        let sent = parallel::map_waiting(&pairs, |(planned, state)| {
            let sent = send(planned, state, registry, shared);
            reporter.step();
            sent
        });
        reporter.finish();
        sent.into_iter().collect::<Result<()>>()?;
        if let (Some(collection), Some(state)) = (&publication.collection, &of_collection) {
            for tag in &state.tags {
                registry.put_document(&collection.repository, tag, &collection.index)?;
            }
        }
    }
    let artifacts = publication.artifacts.iter().zip(&states).map(|(one, state)| Published {
        name: one.built.name.clone(),
        is_collection: false,
        place: registry.shown(&one.repository),
        digest: one.built.manifest.digest,
        tags: one.tags.all.clone(),
        uploaded: !state.tags.is_empty(),
    });
    let collection =
        publication.collection.iter().zip(&of_collection).map(|(one, state)| Published {
            name: one.name.clone(),
            is_collection: true,
            place: registry.shown(&one.repository),
            digest: one.index.digest,
            tags: one.tags.all.clone(),
            uploaded: !state.tags.is_empty(),
        });
    Ok(artifacts.chain(collection).collect())
}

/// Sends one skill, and gives it to the repository of the collection, too.
fn send(
    planned: &PlannedArtifact,
    state: &MissingTags,
    registry: &WritableRegistry<'_>,
    shared: Option<&PlannedCollection>,
) -> Result<()> {
    let (built, repository) = (&planned.built, planned.repository.as_str());
    if !state.tags.is_empty() {
        if !state.is_there {
            send_blobs(built, repository, registry, None)?;
        }
        for tag in &state.tags {
            registry.put_document(repository, tag, &built.manifest)?;
        }
    }
    let Some(collection) = shared.filter(|one| one.repository != repository) else {
        return Ok(());
    };
    let digest = built.manifest.digest.to_string();
    if registry.digest_of(&collection.repository, &digest)?.is_none() {
        send_blobs(built, &collection.repository, registry, Some(repository))?;
        registry.put_document(&collection.repository, &digest, &built.manifest)?;
    }
    Ok(())
}

fn send_blobs(
    built: &BuiltArtifact,
    repository: &str,
    registry: &WritableRegistry<'_>,
    from: Option<&str>,
) -> Result<()> {
    for blob in &built.blobs {
        let content = || Ok(OpenBlob::Memory(blob.bytes.clone()));
        registry.put_blob(repository, &blob.descriptor, &content, from)?;
    }
    Ok(())
}
