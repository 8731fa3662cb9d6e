//! Copies artifacts from one place to a registry, byte for byte, with what others say about them, so
//! that digests stay the same and signatures stay valid.

use std::collections::BTreeSet;

use crate::skills::fetch::oci::documents::{
    self, Annotations, ArtifactDocument, ArtifactIndex, ArtifactPlace, Descriptor, Remark,
    StoredDocument, annotation,
};
use crate::skills::files::digest::Digest;
use crate::skills::model::address::is_tag;
use crate::skills::model::error::{Result, err};
use crate::skills::model::name::SkillName;
use crate::skills::model::reporter::Reporter;
use crate::skills::publish::Published;
use crate::skills::publish::artifact::{self, Destined, PushTarget, Tags};
use crate::skills::publish::registry::{OpenBlob, WritableRegistry};

/// How deep documents may lie in each other, and remarks be about remarks.
const DEPTH: usize = 4;

/// The most documents that are copied together.
const DOCUMENTS: usize = 100_000;

/// Something to copy.
#[derive(Debug, Clone)]
pub struct PlannedCopy {
    /// The skill or the collection.
    name: String,
    is_collection: bool,
    repository: String,
    tags: Tags,
    document: StoredDocument,
}

/// Plans a copy of what a place holds: one skill to the repository itself, a collection there and its
/// skills below it.
pub fn plan(
    from: &dyn ArtifactPlace,
    roots: &[(Descriptor, Vec<String>)],
    target: &PushTarget,
) -> Result<Vec<PlannedCopy>> {
    let mut planned: Vec<PlannedCopy> = Vec::new();
    let mut skills: Vec<StoredDocument> = Vec::new();
    let mut collections = 0;
    for (descriptor, names) in roots {
        let document = from.document(descriptor)?;
        let ArtifactDocument::Index(index) = documents::read(&from.shown(), &document)? else {
            skills.push(document);
            continue;
        };
        collections += 1;
        for entry in index.manifests.iter().filter(|_| index.is_collection()) {
            skills.push(from.document(entry)?);
        }
        let usual = &target.usual_collection;
        let name = annotation(&index.annotations, documents::COLLECTION_NAME).unwrap_or(usual);
        planned.push(PlannedCopy {
            name: name.to_owned(),
            is_collection: true,
            repository: target.repository.clone(),
            tags: tags(target, names, None, &document.digest),
            document,
        });
    }
    if collections > 1 {
        return Err(err!(Usage, "`{}` holds {collections} collections", from.shown())
            .help("copy them one after the other"));
    }
    let is_single = collections == 0 && skills.len() == 1;
    let mut seen = BTreeSet::new();
    skills.retain(|skill| seen.insert(skill.digest));
    for document in skills {
        let ArtifactDocument::Manifest(manifest) = documents::read(&from.shown(), &document)?
        else {
            continue;
        };
        let version = annotation(&manifest.annotations, documents::VERSION);
        let name = annotation(&manifest.annotations, documents::SKILL_NAME)
            .or_else(|| annotation(&manifest.annotations, documents::TITLE))
            .filter(|name| SkillName::new(name).is_ok());
        let (repository, names) = match (is_single, name) {
            (true, _) => (target.repository.clone(), roots[0].1.as_slice()),
            (false, Some(name)) => (format!("{}/{name}", target.repository), &[][..]),
            // It is in the collection, and has no name of its own.
            (false, None) => continue,
        };
        planned.push(PlannedCopy {
            name: name.unwrap_or(&target.usual_collection).to_owned(),
            is_collection: false,
            repository,
            tags: tags(target, names, version, &document.digest),
            document,
        });
    }
    Ok(planned)
}

/// The tags of a copy: the user's choice, else those that it has, else those of something new.
fn tags(target: &PushTarget, names: &[String], version: Option<&str>, digest: &Digest) -> Tags {
    let kept: Vec<String> = names.iter().filter(|name| is_tag(name)).cloned().collect();
    let usual = Tags::new(target.tag.as_deref(), version, digest);
    match target.tag.is_some() || kept.is_empty() {
        true => usual,
        false => {
            Tags { version: usual.version.filter(|version| kept.contains(version)), all: kept }
        }
    }
}

/// Copies what is missing.
///
/// # Errors
/// A version that is something else there, and places that cannot be read or written.
pub fn copy(
    from: &dyn ArtifactPlace,
    planned: &[PlannedCopy],
    registry: &WritableRegistry<'_>,
    force: bool,
    dry_run: bool,
    reporter: &dyn Reporter,
) -> Result<Vec<Published>> {
    let destined: Vec<Destined<'_>> = planned
        .iter()
        .map(|one| Destined {
            repository: &one.repository,
            tags: &one.tags,
            digest: one.document.digest,
        })
        .collect();
    let states = artifact::ask(registry, &destined, force)?;
    let (mut done, mut left) = (Vec::new(), DOCUMENTS);
    for (one, state) in planned.iter().zip(&states) {
        let mut copier = Copier {
            from,
            registry,
            repository: &one.repository,
            left: &mut left,
            done: BTreeSet::new(),
            sent: false,
        };
        if !dry_run {
            copier.document(&one.document, 0)?;
            for tag in &state.tags {
                registry.put_document(&one.repository, tag, &one.document)?;
            }
            reporter.step();
        }
        done.push(Published {
            name: one.name.clone(),
            is_collection: one.is_collection,
            place: registry.shown(&one.repository),
            digest: one.document.digest,
            tags: one.tags.all.clone(),
            uploaded: copier.sent || !state.tags.is_empty(),
        });
    }
    reporter.finish();
    Ok(done)
}

/// Copies into one repository.
struct Copier<'a> {
    from: &'a dyn ArtifactPlace,
    registry: &'a WritableRegistry<'a>,
    repository: &'a str,
    /// How many documents may still be copied.
    left: &'a mut usize,
    done: BTreeSet<Digest>,
    sent: bool,
}

impl Copier<'_> {
    /// Copies a document with all its parts, and with what is said about it.
    fn document(&mut self, stored: &StoredDocument, depth: usize) -> Result<()> {
        if depth > DEPTH {
            let reason = format!("its documents are nested more than {DEPTH} deep");
            return Err(documents::wrong(&self.from.shown(), &reason));
        }
        if !self.done.insert(stored.digest) {
            return Ok(());
        }
        *self.left = self.left.checked_sub(1).ok_or_else(|| {
            let reason = format!("it has more than {DOCUMENTS} documents");
            documents::wrong(&self.from.shown(), &reason)
        })?;
        let reference = stored.digest.to_string();
        if self.registry.digest_of(self.repository, &reference)?.is_none() {
            self.parts(stored, depth)?;
            let keeps_list = self.registry.put_document(self.repository, &reference, stored)?;
            self.sent = true;
            let document = documents::read(&self.from.shown(), stored)?;
            if let Some(subject) = document.subject().filter(|_| !keeps_list) {
                self.list(&subject.digest, stored, &document)?;
            }
        } else if let Ok(ArtifactDocument::Index(index)) = stored.read() {
            // What it lists is there, but not what others say about that.
            for entry in &index.manifests {
                let inner = self.from.document(entry)?;
                self.document(&inner, depth + 1)?;
            }
        }
        self.remarks(&stored.digest, depth)
    }

    fn parts(&mut self, stored: &StoredDocument, depth: usize) -> Result<()> {
        match documents::read(&self.from.shown(), stored)? {
            ArtifactDocument::Index(index) => {
                for entry in &index.manifests {
                    let inner = self.from.document(entry)?;
                    self.document(&inner, depth + 1)?;
                }
            }
            document @ ArtifactDocument::Manifest(_) => {
                for blob in document.parts() {
                    let content = || self.from.blob(blob).map(OpenBlob::File);
                    self.registry.put_blob(self.repository, blob, &content, None)?;
                }
            }
        }
        Ok(())
    }

    /// Copies what is said about a document.
    fn remarks(&mut self, subject: &Digest, depth: usize) -> Result<()> {
        for Remark { descriptor, tag } in self.from.about(subject)? {
            let stored = self.from.document(&descriptor)?;
            let list = documents::remark_tag(subject);
            match (stored.read(), tag) {
                // A list for places that keep none: it is made anew where it is needed.
                (Ok(ArtifactDocument::Index(index)), Some(tag)) if tag == list => {
                    for entry in &index.manifests {
                        let inner = self.from.document(entry)?;
                        self.document(&inner, depth + 1)?;
                    }
                }
                (_, tag) => {
                    self.document(&stored, depth + 1)?;
                    if let Some(tag) = tag.filter(|tag| is_tag(tag)) {
                        let there = self.registry.digest_of(self.repository, &tag)?;
                        if there != Some(stored.digest) {
                            self.registry.put_document(self.repository, &tag, &stored)?;
                            self.sent = true;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds a document to the list of what is said about another one, in a registry that keeps no such
    /// list itself.
    fn list(
        &mut self,
        subject: &Digest,
        stored: &StoredDocument,
        document: &ArtifactDocument,
    ) -> Result<()> {
        let tag = documents::remark_tag(subject);
        let to = self.registry.place(self.repository);
        let known = match self.registry.digest_of(self.repository, &tag)? {
            Some(digest) => to.by_digest(&digest)?.read().ok(),
            None => None,
        };
        let mut entries = match known {
            Some(ArtifactDocument::Index(index)) => index.manifests,
            _ => Vec::new(),
        };
        if entries.iter().any(|entry| entry.digest == stored.digest) {
            return Ok(());
        }
        let (artifact_type, annotations) = match document {
            ArtifactDocument::Manifest(manifest) => {
                (Some(manifest.purpose().to_owned()), manifest.annotations.clone())
            }
            ArtifactDocument::Index(index) => {
                (index.artifact_type.clone(), index.annotations.clone())
            }
        };
        entries.push(Descriptor { artifact_type, annotations, ..stored.descriptor() });
        let index = ArtifactIndex::new(None, entries, Annotations::new());
        self.registry.put_document(self.repository, &tag, &StoredDocument::of_index(&index))?;
        Ok(())
    }
}
