//! Writes artifacts to an OCI image layout, for registries that only another program can reach.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::skills::fetch::oci::documents::{
    self, Annotations, ArtifactIndex, Descriptor, StoredDocument,
};
use crate::skills::fetch::oci::layout::{self, INDEX, MARK, blob_path};
use crate::skills::files::{Directory, atomic};
use crate::skills::model::error::{Error, Result, err};
use crate::skills::publish::Published;
use crate::skills::publish::artifact::{PlannedArtifact, Publication};
use crate::skills::put::install::Done;

/// What a collection is called in a layout.
const LATEST: &str = "latest";

/// Where a layout goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayoutPlace {
    /// The directory.
    pub path: PathBuf,
    /// Whether a layout with other content is replaced.
    pub force: bool,
}

/// The names of what is in a layout, as its index has them.
fn names(publication: &Publication, planned: &PlannedArtifact) -> Vec<String> {
    // Beside a collection, each skill is found by its own name.
    let is_alone = publication.collection.is_none() && publication.artifacts.len() == 1;
    match is_alone {
        true => planned.tags.all.clone(),
        false if planned.built.name == LATEST => Vec::new(),
        false => vec![planned.built.name.clone()],
    }
}

/// Writes a layout: its bytes first, then the list of them, so that half a layout never looks like
/// one.
pub fn write(publication: &Publication, place: &LayoutPlace) -> Result<Done> {
    let index = index(publication);
    let done = decide(place, &index.bytes)?;
    if done == Done::Unchanged {
        return Ok(done);
    }
    let mut blobs: Vec<(&Descriptor, &[u8])> = Vec::new();
    let documents = documents(publication);
    for planned in &publication.artifacts {
        blobs.extend(planned.built.blobs.iter().map(|blob| (&blob.descriptor, &blob.bytes[..])));
    }
    blobs.extend(documents.iter().map(|(descriptor, bytes)| (descriptor, &bytes[..])));
    let cannot = |path: &Path, error: &io::Error| Error::writing("write", path, error);
    let directory = place.path.join("blobs").join("sha256");
    let opened = fs::create_dir_all(&directory).and_then(|()| Directory::open(&directory));
    let opened = opened.map_err(|error| cannot(&directory, &error))?;
    atomic::reap(&opened);
    for (descriptor, bytes) in blobs {
        let path = blob_path(&descriptor.digest);
        let name = path.file_name().unwrap_or_default();
        let is_there =
            fs::metadata(directory.join(name)).is_ok_and(|one| one.len() == descriptor.size);
        if !is_there {
            atomic::replace_next(&opened, name, bytes)
                .map_err(|error| cannot(&directory.join(name), &error))?;
        }
    }
    let top = Directory::open(&place.path).map_err(|error| cannot(&place.path, &error))?;
    for (name, bytes) in [(INDEX, &index.bytes), (MARK, &layout::mark())] {
        atomic::replace_in(&top, OsStr::new(name), bytes)
            .map_err(|error| cannot(&place.path.join(name), &error))?;
    }
    Ok(done)
}

/// What a layout holds.
pub fn published(publication: &Publication, place: &LayoutPlace, done: Done) -> Vec<Published> {
    let shown = place.path.display().to_string();
    let uploaded = done != Done::Unchanged;
    let artifacts = publication.artifacts.iter().map(|planned| Published {
        name: planned.built.name.clone(),
        is_collection: false,
        place: shown.clone(),
        digest: planned.built.manifest.digest,
        tags: names(publication, planned),
        uploaded,
    });
    let collection = publication.collection.iter().map(|collection| Published {
        name: collection.name.clone(),
        is_collection: true,
        place: shown.clone(),
        digest: collection.index.digest,
        tags: vec![LATEST.to_owned()],
        uploaded,
    });
    artifacts.chain(collection).collect()
}

/// What becomes of the directory.
fn decide(place: &LayoutPlace, index: &[u8]) -> Result<Done> {
    let path = &place.path;
    let refused = |what: &str, help: &str| {
        Err(err!(Conflict, "`{}` already exists and {what}", path.display()).at(path).help(help))
    };
    let mut entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Done::Created),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return refused("is not a directory", "choose another path");
        }
        Err(error) => return Err(Error::io("read", path, &error)),
    };
    if entries.next().is_none() {
        return Ok(Done::Created);
    }
    if !layout::is_layout(path) {
        return refused("is not an OCI layout", "choose another directory");
    }
    match fs::read(path.join(INDEX)) {
        Ok(known) if known == index => Ok(Done::Unchanged),
        _ if place.force => Ok(Done::Replaced),
        _ => refused("holds other artifacts", "use `--force` to replace its list"),
    }
}

/// Every manifest and index.
fn documents(publication: &Publication) -> Vec<(Descriptor, Vec<u8>)> {
    let manifests = publication.artifacts.iter().map(|planned| &planned.built.manifest);
    let collection = publication.collection.iter().map(|collection| &collection.index);
    let all = manifests.chain(collection);
    all.map(|stored| (stored.descriptor(), stored.bytes.clone())).collect()
}

/// The list of what is in a layout.
fn index(publication: &Publication) -> StoredDocument {
    let mut entries: Vec<Descriptor> = Vec::new();
    let mut add = |document: &StoredDocument, artifact_type: &str, names: Vec<String>| {
        let entry = |name: Option<String>| Descriptor {
            artifact_type: Some(artifact_type.to_owned()),
            annotations: name
                .map(|name| Annotations::from([(documents::REF_NAME.to_owned(), name)]))
                .unwrap_or_default(),
            ..document.descriptor()
        };
        match names.is_empty() {
            true => entries.push(entry(None)),
            false => entries.extend(names.into_iter().map(|name| entry(Some(name)))),
        }
    };
    if let Some(collection) = &publication.collection {
        add(&collection.index, documents::COLLECTION, vec![LATEST.to_owned()]);
    }
    for planned in &publication.artifacts {
        add(&planned.built.manifest, documents::SKILL, names(publication, planned));
    }
    StoredDocument::of_index(&ArtifactIndex::new(None, entries, Annotations::new()))
}
