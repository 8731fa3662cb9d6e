//! A repository of a registry as a place of artifacts. What was fetched once is in the cache, by its
//! digest, and is not fetched again.

use std::fs::File;

use serde::{Deserialize, Serialize};

use crate::skills::fetch::cache::Cache;
use crate::skills::fetch::http::{Expected, HttpMethod, HttpRequest, HttpResponse, Outcome};
use crate::skills::fetch::oci::documents::{
    self, ArtifactDocument, ArtifactPlace, DOCUMENT_BYTES, Descriptor, Remark, StoredDocument,
};
use crate::skills::fetch::oci::{MaybeRefusal, RegistryAccess, RegistryClient};
use crate::skills::files::content;
use crate::skills::files::digest::{self, Digest, FileHash};
use crate::skills::model::address::RegistryReference;
use crate::skills::model::error::{Error, ErrorKind, Result, err};

/// The tag of a reference without one.
const LATEST: &str = "latest";

/// What others write after the tag of a document that they are about.
const REMARK_ENDS: [&str; 4] = ["", ".sig", ".att", ".sbom"];

/// A repository of a registry.
#[derive(Debug)]
pub struct RegistryPlace<'n> {
    client: &'n RegistryClient<'n>,
    cache: &'n Cache,
    repository: String,
    /// The largest blob.
    limit: u64,
}

/// What a tag meant when it was last asked for.
#[derive(Debug, Serialize, Deserialize)]
struct RememberedTag {
    digest: Digest,
    media_type: String,
}

impl<'n> RegistryPlace<'n> {
    /// A repository whose blobs have at most this size.
    pub fn new(
        client: &'n RegistryClient<'n>,
        cache: &'n Cache,
        repository: &str,
        limit: u64,
    ) -> Self {
        Self { client, cache, repository: repository.to_owned(), limit }
    }

    /// The document that a reference means now. A tag is asked for once: everything else goes by
    /// digest.
    pub fn resolve(&self, reference: &RegistryReference) -> Result<StoredDocument> {
        match (&reference.digest, &reference.tag) {
            (Some(digest), _) => self.by_digest(digest),
            (None, tag) => self.by_tag(tag.as_deref().unwrap_or(LATEST)),
        }
    }

    /// The document with this digest.
    pub fn by_digest(&self, digest: &Digest) -> Result<StoredDocument> {
        if let Some(bytes) = self.cached(digest)? {
            let media_type = documents::guessed_type(&bytes);
            return Ok(StoredDocument { media_type, bytes, digest: *digest });
        }
        let answer = self.get(&digest.to_string(), None)?;
        let stored = self.received(answer, &format!("{}@{digest}", self.shown()))?;
        if stored.digest != *digest {
            let reason = format!("`{digest}` has the digest {}", stored.digest);
            return Err(documents::wrong(&self.shown(), &reason));
        }
        self.keep(&stored.bytes)?;
        Ok(stored)
    }

    fn by_tag(&self, tag: &str) -> Result<StoredDocument> {
        let question = format!("{}:{tag}", self.shown());
        let known = self.remembered(&question)?;
        if self.client.http().access().offline {
            return known.ok_or_else(|| {
                let message =
                    format!("`{question}` is not in the cache, and `--offline` asks nobody");
                Error::new(ErrorKind::Network, message)
                    .help("run the command once without `--offline`")
            });
        }
        let answer = self.get(tag, known.as_ref().map(|known| &known.digest))?;
        if let Some(known) = known.filter(|_| answer.status() == 304) {
            return Ok(known);
        }
        let stored = self.received(answer, &question)?;
        self.keep(&stored.bytes)?;
        let remembered =
            RememberedTag { digest: stored.digest, media_type: stored.media_type.clone() };
        let text = serde_json::to_vec(&remembered).unwrap_or_default();
        self.cache.keep_answer(&question, &text)?;
        Ok(stored)
    }

    /// What a tag meant last, if all of that is still in the cache.
    fn remembered(&self, question: &str) -> Result<Option<StoredDocument>> {
        let answer = self.cache.answer(question);
        let known: Option<RememberedTag> =
            answer.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let Some(RememberedTag { digest, media_type }) = known else { return Ok(None) };
        let bytes = self.cached(&digest)?;
        Ok(bytes.map(|bytes| StoredDocument { media_type, bytes, digest }))
    }

    /// What a tag means now, without reading it; none when there is no such tag.
    pub fn digest_of(&self, reference: &str, access: RegistryAccess) -> Result<Option<Digest>> {
        let url = self.client.url(&self.repository, &format!("manifests/{reference}"))?;
        let request = accept(HttpRequest::new(HttpMethod::Head, url));
        let answer = self.client.send(&self.repository, access, &request)?;
        match answer.status() {
            404 => return Ok(None),
            200 => {}
            403 => {
                let reason = "it does not allow that";
                return Err(self.client.refused(&self.repository, access, reason));
            }
            _ => return Err(answer.refusal()),
        }
        let told = answer.header("docker-content-digest").and_then(|text| Digest::parse(text).ok());
        match told {
            Some(digest) => Ok(Some(digest)),
            // Some registries say it only with the document.
            None => {
                self.received(self.get(reference, None)?, &self.shown()).map(|one| Some(one.digest))
            }
        }
    }

    fn get(&self, reference: &str, known: Option<&Digest>) -> Result<HttpResponse<'n>> {
        let url = self.client.url(&self.repository, &format!("manifests/{reference}"))?;
        let mut request = accept(HttpRequest::get(url));
        if let Some(known) = known {
            request = request.header("if-none-match", format!("\"{known}\""));
        }
        let answer = self.client.send(&self.repository, RegistryAccess::Pull, &request)?;
        match answer.status() {
            200 => Ok(answer),
            304 if known.is_some() => Ok(answer),
            404 => {
                let separator = if reference.contains(':') { "@" } else { ":" };
                Err(err!(NotFound, "there is no `{}{separator}{reference}`", self.shown())
                    .help("check the repository and the tag"))
            }
            403 => {
                let reason = "it does not allow that";
                Err(self.client.refused(&self.repository, RegistryAccess::Pull, reason))
            }
            _ => Err(answer.refusal()),
        }
    }

    /// Reads the document of an answer, and checks what the registry says about it.
    fn received(&self, answer: HttpResponse<'_>, shown: &str) -> Result<StoredDocument> {
        let media_type = answer.header("content-type").map(documents::without_parameters);
        let media_type = media_type.unwrap_or_default().to_owned();
        let told = answer.header("docker-content-digest").map(str::to_owned);
        let bytes = answer.bytes(DOCUMENT_BYTES)?;
        let digest: Digest = digest::of_bytes(&bytes).into();
        if let Some(told) = told.filter(|told| *told != digest.to_string()) {
            let reason = format!(
                "it says that this is `{}`, but it has the digest {digest}",
                told.escape_debug()
            );
            return Err(documents::wrong(shown, &reason));
        }
        let stored = StoredDocument { media_type, bytes, digest };
        stored.read().map_err(|reason| documents::wrong(shown, &reason))?;
        Ok(stored)
    }

    fn cached(&self, digest: &Digest) -> Result<Option<Vec<u8>>> {
        let Some(blob) = self.cache.blob(FileHash::from(*digest))? else { return Ok(None) };
        let read = content::whole(blob.file, DOCUMENT_BYTES);
        read.map(Some).map_err(|error| Error::io("read", blob.path, &error))
    }

    fn keep(&self, bytes: &[u8]) -> Result<()> {
        use std::io::Write as _;
        let mut draft = self.cache.draft()?;
        draft.file()?.write_all(bytes).map_err(|error| Error::keeping(&error))?;
        draft.keep(digest::of_bytes(bytes)).map(drop)
    }

    /// The documents that the registry lists as remarks about another one; none when it keeps no
    /// such list.
    fn listed_remarks(&self, subject: &Digest) -> Result<Option<Vec<Remark>>> {
        let url = self.client.url(&self.repository, &format!("referrers/{subject}"))?;
        let request = HttpRequest::get(url).header("accept", documents::INDEX);
        let answer = self.client.send(&self.repository, RegistryAccess::Pull, &request)?;
        if answer.status() != 200 {
            return Ok(None);
        }
        let bytes = answer.bytes(DOCUMENT_BYTES)?;
        match ArtifactDocument::parse(&bytes, documents::INDEX) {
            Ok(ArtifactDocument::Index(index)) => {
                let remark = |descriptor: Descriptor| Remark { descriptor, tag: None };
                Ok(Some(index.manifests.into_iter().map(remark).collect()))
            }
            _ => Ok(None),
        }
    }
}

/// Asks for all types of documents.
fn accept(request: HttpRequest<'_>) -> HttpRequest<'_> {
    request.header("accept", documents::DOCUMENTS.join(", "))
}

impl MaybeRefusal for Outcome<'_> {
    fn challenges(&self) -> Vec<&str> {
        match self {
            Outcome::Complete(_) => Vec::new(),
            Outcome::Other(answer) => answer.challenges(),
        }
    }
}

impl ArtifactPlace for RegistryPlace<'_> {
    fn shown(&self) -> String {
        format!("oci://{}/{}", self.client.host(), self.repository)
    }

    fn document(&self, wanted: &Descriptor) -> Result<StoredDocument> {
        documents::check_type(&self.shown(), wanted)?;
        if let Some(bytes) = self.cached(&wanted.digest)? {
            return documents::checked(&self.shown(), wanted, bytes);
        }
        let answer = self.get(&wanted.digest.to_string(), None)?;
        let stored = self.received(answer, &self.shown())?;
        if stored.media_type != wanted.media_type {
            let reason = format!(
                "`{}` is of the type `{}`, and `{}` was announced",
                wanted.digest,
                stored.media_type.escape_debug(),
                wanted.media_type.escape_debug()
            );
            return Err(documents::wrong(&self.shown(), &reason));
        }
        let stored = documents::checked(&self.shown(), wanted, stored.bytes)?;
        self.keep(&stored.bytes)?;
        Ok(stored)
    }

    fn blob(&self, wanted: &Descriptor) -> Result<File> {
        let hash = FileHash::from(wanted.digest);
        if let Some(blob) = self.cache.blob(hash)? {
            if blob.bytes != wanted.size {
                let reason = format!("`{}` has {} bytes", wanted.digest, blob.bytes);
                return Err(documents::wrong(&self.shown(), &reason));
            }
            return Ok(blob.file);
        }
        if wanted.size > self.limit {
            return Err(err!(
                TooLarge,
                "a layer of `{}` is too large: {} bytes, and at most {} MiB are read",
                self.shown(),
                wanted.size,
                self.limit / 1024 / 1024
            ));
        }
        let url = self.client.url(&self.repository, &format!("blobs/{}", wanted.digest))?;
        let mut draft = self.cache.draft()?;
        let expected = Expected { hash: Some(hash), bytes: Some(wanted.size), limit: self.limit };
        let file = draft.file()?;
        let request = HttpRequest::get(url);
        let mut send = |request: &HttpRequest<'_>| {
            let outcome = self.client.http().download(request, file, expected)?;
            let is_refused = matches!(&outcome, Outcome::Other(answer) if answer.status() == 401);
            Ok((is_refused, outcome))
        };
        let access = RegistryAccess::Pull;
        let (_, outcome) = self.client.exchange(&self.repository, access, &request, &mut send)?;
        match outcome {
            Outcome::Complete(_) => Ok(draft.keep(hash)?.file),
            Outcome::Other(answer) => Err(answer.refusal()),
        }
    }

    fn about(&self, subject: &Digest) -> Result<Vec<Remark>> {
        let mut remarks = self.listed_remarks(subject)?.unwrap_or_default();
        for end in REMARK_ENDS {
            let tag = format!("{}{end}", documents::remark_tag(subject));
            if let Some(digest) = self.digest_of(&tag, RegistryAccess::Pull)? {
                let stored = self.by_digest(&digest)?;
                remarks.push(Remark { descriptor: stored.descriptor(), tag: Some(tag) });
            }
        }
        Ok(remarks)
    }
}
