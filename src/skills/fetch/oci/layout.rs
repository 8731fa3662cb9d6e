//! An OCI image layout: artifacts in a directory, as other programs write and read them.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Seek as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::skills::fetch::oci::documents::{
    self, ArtifactDocument, ArtifactIndex, ArtifactPlace, DOCUMENT_BYTES, Descriptor, Remark,
    StoredDocument,
};
use crate::skills::files::digest::{self, Digest};
use crate::skills::files::{Directory, content};
use crate::skills::model::error::{Error, Result, err};

/// The file that makes a directory a layout.
pub const MARK: &str = "oci-layout";

/// The list of what is in it.
pub const INDEX: &str = "index.json";

/// The version that is written, and the only one there is.
const VERSION: &str = "1.0.0";

/// The most bytes of the mark.
const MARK_BYTES: u64 = 4 * 1024;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LayoutMark {
    image_layout_version: String,
}

/// A layout that can be read.
#[derive(Debug)]
pub struct ArtifactLayout {
    path: PathBuf,
    directory: Directory,
    /// What is in it.
    pub index: ArtifactIndex,
    /// What each entry of the index is about, if it is about another one.
    subjects: OnceLock<Vec<Option<Digest>>>,
}

/// Whether a directory is a layout.
pub fn is_layout(path: &Path) -> bool {
    path.join(MARK).is_file() && path.join(INDEX).is_file()
}

/// The text of the mark.
pub fn mark() -> Vec<u8> {
    let mark = LayoutMark { image_layout_version: VERSION.to_owned() };
    serde_json::to_vec(&mark).unwrap_or_default()
}

/// Where a blob is, below a layout.
pub fn blob_path(digest: &Digest) -> PathBuf {
    digest.to_string().split(':').fold(PathBuf::from("blobs"), |path, part| path.join(part))
}

impl ArtifactLayout {
    /// Opens a layout and reads its index.
    pub fn open(path: &Path) -> Result<Self> {
        let unreadable = |name: &str, error: &io::Error| Error::io("read", path.join(name), error);
        let directory = Directory::open(path).map_err(|error| Error::io("read", path, &error))?;
        let read = |name: &str, most: u64| {
            let file = directory.file(OsStr::new(name));
            file.and_then(|file| content::whole(file, most))
                .map_err(|error| unreadable(name, &error))
        };
        let shown = path.display().to_string();
        let mark: Option<LayoutMark> = serde_json::from_slice(&read(MARK, MARK_BYTES)?).ok();
        if mark.is_none_or(|mark| mark.image_layout_version != VERSION) {
            return Err(
                err!(Validation, "`{shown}` is not an OCI layout of version {VERSION}").at(path)
            );
        }
        match ArtifactDocument::parse(&read(INDEX, DOCUMENT_BYTES)?, documents::INDEX) {
            Ok(ArtifactDocument::Index(index)) => {
                let subjects = OnceLock::new();
                Ok(Self { path: path.to_owned(), directory, index, subjects })
            }
            Ok(ArtifactDocument::Manifest(_)) => Err(documents::wrong(&shown, "it has no index")),
            Err(reason) => Err(documents::wrong(&shown, &format!("`{INDEX}`: {reason}"))),
        }
    }

    /// What it holds, each once and without remarks about others, with the names it has there.
    pub fn roots(&self) -> Vec<(Descriptor, Vec<String>)> {
        let mut roots: Vec<(Descriptor, Vec<String>)> = Vec::new();
        for (descriptor, subject) in self.index.manifests.iter().zip(self.subjects()) {
            let name = descriptor.annotation(documents::REF_NAME).map(str::to_owned);
            if name.as_deref().is_some_and(is_remark) || subject.is_some() {
                continue;
            }
            match roots.iter_mut().find(|(known, _)| known.digest == descriptor.digest) {
                Some((_, names)) => names.extend(name),
                None => roots.push((descriptor.clone(), name.into_iter().collect())),
            }
        }
        roots
    }

    /// What each entry of the index is about.
    fn subjects(&self) -> &[Option<Digest>] {
        let subject = |descriptor: &Descriptor| {
            let stored = self.document(descriptor).ok()?;
            Some(stored.read().ok()?.subject()?.digest)
        };
        self.subjects.get_or_init(|| self.index.manifests.iter().map(subject).collect())
    }

    fn open_blob(&self, wanted: &Descriptor) -> Result<File> {
        let path = blob_path(&wanted.digest);
        self.directory
            .file_below(&path)
            .map_err(|error| Error::io("read", self.path.join(path), &error))
    }
}

/// Whether a tag stands for remarks about a document.
fn is_remark(tag: &str) -> bool {
    tag.strip_prefix("sha256-").is_some_and(|rest| {
        rest.get(..64).is_some_and(|hex| hex.bytes().all(|one| one.is_ascii_hexdigit()))
    })
}

impl ArtifactPlace for ArtifactLayout {
    fn shown(&self) -> String {
        self.path.display().to_string()
    }

    fn document(&self, wanted: &Descriptor) -> Result<StoredDocument> {
        documents::check_type(&self.shown(), wanted)?;
        let bytes = content::whole(self.open_blob(wanted)?, DOCUMENT_BYTES).map_err(|error| {
            Error::io("read", self.path.join(blob_path(&wanted.digest)), &error)
        })?;
        documents::checked(&self.shown(), wanted, bytes)
    }

    fn blob(&self, wanted: &Descriptor) -> Result<File> {
        let mut file = self.open_blob(wanted)?;
        let unreadable =
            |error: io::Error| Error::io("read", self.path.join(blob_path(&wanted.digest)), &error);
        let size = file.metadata().map_err(unreadable)?.len();
        let found: Digest = digest::of_reader(&file).map_err(unreadable)?.into();
        file.rewind().map_err(unreadable)?;
        if found == wanted.digest && size == wanted.size {
            return Ok(file);
        }
        let reason = format!("`{}` has the digest {found} and {size} bytes", wanted.digest);
        Err(documents::wrong(&self.shown(), &reason))
    }

    fn about(&self, subject: &Digest) -> Result<Vec<Remark>> {
        let start = documents::remark_tag(subject);
        let entries = self.index.manifests.iter().zip(self.subjects());
        let remarks = entries.filter_map(|(descriptor, about)| {
            let tag = descriptor.annotation(documents::REF_NAME);
            let tag = tag.filter(|tag| tag.starts_with(&start)).map(str::to_owned);
            let is_about = tag.is_some() || about.as_ref() == Some(subject);
            is_about.then(|| Remark { descriptor: descriptor.clone(), tag })
        });
        Ok(remarks.collect())
    }
}
