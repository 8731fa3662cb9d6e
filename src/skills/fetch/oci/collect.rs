//! Reads the skills of an artifact or a collection into a bundle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::skills::fetch::Network;
use crate::skills::fetch::archive::{self, ARCHIVE_BYTES};
use crate::skills::fetch::cache::{Cache, Shelf};
use crate::skills::fetch::oci::RegistryClient;
use crate::skills::fetch::oci::documents::{
    self, ArtifactDocument, ArtifactIndex, ArtifactManifest, ArtifactPlace, Descriptor,
    StoredDocument,
};
use crate::skills::fetch::oci::registry::RegistryPlace;
use crate::skills::files::digest::Digest;
use crate::skills::files::parallel;
use crate::skills::model::address::{Address, Pins, RegistryReference};
use crate::skills::model::bundle::{Artifact, Bundle, BundleOrigin, CONTENT_BYTES, Fetched};
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::reporter::Progress;

/// How deep indexes may lie in each other.
const DEPTH: usize = 4;

/// The most artifacts of one source.
const ARTIFACTS: usize = 10_000;

/// The most bytes of their documents.
const DOCUMENT_BYTES: usize = 32 * 1024 * 1024;

/// A manifest of ours.
const MANIFEST: &str = "skills.yaml";

/// Skills that are fetched before they are unpacked.
const FETCHED_AT_ONCE: usize = 16;

/// One skill in a place, of which only the documents were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillArtifact {
    /// The name that it goes by there, if it has one.
    pub name: Option<String>,
    /// The digest of its manifest.
    pub digest: Digest,
    pub manifest: ArtifactManifest,
    /// The layer with its files.
    pub layer: Descriptor,
}

/// What a document of a place stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundArtifacts {
    /// Whether it is a list of skills, and not one skill.
    pub is_collection: bool,
    /// The skills that were asked for.
    pub skills: Vec<SkillArtifact>,
    /// The names of those that were not asked for.
    pub others: Vec<String>,
}

/// Finds the skills that a document stands for. Of a collection, only those whose names are wanted.
pub fn find(
    place: &dyn ArtifactPlace,
    root: &StoredDocument,
    is_wanted: &(dyn Fn(&str) -> bool + Sync),
) -> Result<FoundArtifacts> {
    let mut found = FoundArtifacts { is_collection: false, skills: Vec::new(), others: Vec::new() };
    let mut pending = match documents::read(&place.shown(), root)? {
        ArtifactDocument::Manifest(manifest) => {
            found.skills.push(skill(place, None, root.digest, manifest)?);
            return Ok(found);
        }
        ArtifactDocument::Index(index) => entries(place, index, &mut found)?,
    };
    let mut seen = BTreeSet::from([root.digest]);
    let left = AtomicUsize::new(DOCUMENT_BYTES);
    for _ in 0..DEPTH {
        pending.retain(|entry| match entry.annotation(documents::SKILL_NAME) {
            Some(name) if found.is_collection && !is_wanted(name) => {
                found.others.push(name.to_owned());
                false
            }
            _ => seen.insert(entry.digest),
        });
        if pending.len() + found.skills.len() > ARTIFACTS {
            let reason = format!("it lists more than {ARTIFACTS} artifacts");
            return Err(documents::wrong(&place.shown(), &reason));
        }
        let documents = few(&pending, |entry| {
            let document = place.document(entry)?;
            let rest = |left: usize| left.checked_sub(document.bytes.len());
            match left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest) {
                Ok(_) => Ok(document),
                Err(_) => {
                    let most = DOCUMENT_BYTES / 1024 / 1024;
                    let reason = format!("its documents have more than {most} MiB together");
                    Err(documents::wrong(&place.shown(), &reason))
                }
            }
        })?;
        let mut deeper = Vec::new();
        for (entry, document) in std::mem::take(&mut pending).into_iter().zip(documents) {
            let name = entry.annotation(documents::SKILL_NAME).map(str::to_owned);
            match documents::read(&place.shown(), &document)? {
                ArtifactDocument::Manifest(manifest) => {
                    found.skills.push(skill(place, name, entry.digest, manifest)?);
                }
                ArtifactDocument::Index(index) => {
                    deeper.append(&mut entries(place, index, &mut found)?);
                }
            }
        }
        pending = deeper;
        if pending.is_empty() {
            return Ok(found);
        }
    }
    Err(documents::wrong(&place.shown(), &format!("its indexes are nested more than {DEPTH} deep")))
}

/// The entries of an index that stand for skills.
fn entries(
    place: &dyn ArtifactPlace,
    index: ArtifactIndex,
    found: &mut FoundArtifacts,
) -> Result<Vec<Descriptor>> {
    if index.is_collection() {
        found.is_collection = true;
        return Ok(index.manifests);
    }
    // An image for several systems: its files are the same in all of them.
    let is_image = |entry: &&Descriptor| {
        entry.platform.as_ref().is_none_or(|platform| platform.os != "unknown")
    };
    let images: Vec<&Descriptor> = index.manifests.iter().filter(is_image).collect();
    let is_usual = |entry: &&&Descriptor| {
        let platform = entry.platform.as_ref();
        platform.is_some_and(|one| one.os == "linux" && one.architecture == "amd64")
    };
    match (images.iter().find(is_usual), images.as_slice()) {
        (Some(one), _) | (None, [one]) => Ok(vec![(*one).clone()]),
        _ => {
            let help = "make a collection with `skills push`, or name one of its artifacts";
            Err(err!(
                MissingSkillMd,
                "`{}` is an index, but not a collection of skills: it has neither the type nor the \
                 annotation of one",
                place.shown()
            )
            .help(help))
        }
    }
}

/// Checks that an artifact can be a skill.
fn skill(
    place: &dyn ArtifactPlace,
    name: Option<String>,
    digest: Digest,
    manifest: ArtifactManifest,
) -> Result<SkillArtifact> {
    let mut layers = manifest.layers.iter().filter(|one| documents::is_tar_gzip(&one.media_type));
    let Some(layer) = layers.next().filter(|_| layers.clone().next().is_none()) else {
        return Err(err!(
            MissingSkillMd,
            "`{}` is not a skill: the artifact {digest} of the type `{}` has {} layers that gzip \
             compressed, and a skill has one",
            place.shown(),
            manifest.purpose().escape_debug(),
            manifest.layers.iter().filter(|one| documents::is_tar_gzip(&one.media_type)).count()
        ));
    };
    let own = manifest.annotations.get(documents::SKILL_NAME).cloned();
    Ok(SkillArtifact { name: name.or(own), digest, layer: layer.clone(), manifest })
}

/// A bundle, and which artifact each of its directories came from.
#[derive(Debug)]
pub struct CollectedSkills {
    /// The files of all skills.
    pub bundle: Bundle,
    /// The directory of each skill in the bundle, and the digest of its manifest.
    pub roots: Vec<(String, Digest)>,
}

/// Fetches and unpacks skills: one as it is, several each in a directory of its own.
pub fn unpack(
    place: &dyn ArtifactPlace,
    found: &FoundArtifacts,
    path: PathBuf,
) -> Result<CollectedSkills> {
    if let ([one], false) = (found.skills.as_slice(), found.is_collection) {
        let layer = place.blob(&one.layer)?;
        let bundle = archive::of_tar_gz(&path, layer)?;
        let roots = roots(place, &bundle, one)?;
        let digests = roots.iter().map(|root| (root.clone(), one.digest)).collect();
        let bundle = match roots.as_slice() {
            [root] if !root.is_empty() => {
                bundle.within(root).ok_or_else(|| no_skill(place, one))?
            }
            _ => bundle,
        };
        return Ok(CollectedSkills { bundle, roots: digests });
    }
    let mut bundle = Bundle::new(path.clone(), BundleOrigin::Archive, Vec::new());
    let (mut digests, mut unpacked) = (Vec::new(), 0);
    // A few at a time, so that the files of few skills are in memory twice.
    for part in found.skills.chunks(FETCHED_AT_ONCE) {
        let layers = few(part, |one| place.blob(&one.layer))?;
        for (one, layer) in part.iter().zip(layers) {
            let inner = archive::of_tar_gz(&path, layer)?;
            // Whatever is left out of it took time to unpack.
            unpacked += inner.content_bytes();
            if unpacked > CONTENT_BYTES {
                let most = CONTENT_BYTES / 1024 / 1024;
                let reason = format!("its skills unpack to more than {most} MiB together");
                return Err(documents::wrong(&place.shown(), &reason));
            }
            for root in roots(place, &inner, one)? {
                let name = directory(one, &root, &bundle);
                bundle.absorb(&inner, &root, &name).map_err(|reason| {
                    documents::wrong(&place.shown(), &format!("`{}`: {reason}", one.digest))
                })?;
                digests.push((name, one.digest));
            }
        }
    }
    let bundle = bundle.finish().map_err(|reason| documents::wrong(&place.shown(), &reason))?;
    Ok(CollectedSkills { bundle, roots: digests })
}

/// Where the skills of a layer are: at its root, or one directory down.
fn roots(place: &dyn ArtifactPlace, bundle: &Bundle, one: &SkillArtifact) -> Result<Vec<String>> {
    let roots = bundle.shallow_skills();
    let has_manifest = || {
        let top = bundle.only_directory().unwrap_or_default();
        [Path::new(""), Path::new(top)].iter().any(|one| bundle.has_file(&one.join(MANIFEST)))
    };
    match roots.is_empty() {
        false => Ok(roots),
        // Its manifest may name skills that lie deeper, or elsewhere.
        true if has_manifest() => Ok(vec![String::new()]),
        true => Err(no_skill(place, one)),
    }
}

/// The directory that a skill of a collection gets: its own name, else that of its directory, and a
/// number when that is taken.
fn directory(one: &SkillArtifact, root: &str, bundle: &Bundle) -> String {
    let is_plain = |name: &&str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        !name.is_empty() && name.len() <= 64 && name.chars().all(is_part) && !name.starts_with('.')
    };
    let known = if root.is_empty() { one.name.as_deref() } else { Some(root) };
    let name = known.filter(is_plain).unwrap_or("skill");
    let is_free = |name: &String| !bundle.has_any_below(name);
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
}

fn no_skill(place: &dyn ArtifactPlace, one: &SkillArtifact) -> Error {
    err!(
        MissingSkillMd,
        "no skill in `{}`: the artifact {} has no `SKILL.md` at its root or one directory down",
        place.shown(),
        one.digest
    )
}

/// Does something that waits for a server, for a few items at a time; the first failure ends it.
pub fn few<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> Result<R> + Sync) -> Result<Vec<R>> {
    let failure: Mutex<Option<Error>> = Mutex::new(None);
    let failed = || failure.lock().unwrap_or_else(PoisonError::into_inner);
    let done = parallel::map_waiting(items, |item| {
        if failed().is_some() {
            return None;
        }
        work(item).map_err(|error| *failed() = Some(error)).ok()
    });
    match failed().take() {
        Some(error) => Err(error),
        None => Ok(done.into_iter().flatten().collect()),
    }
}

/// The skills that a collection lists now, each with the digest of its manifest; none for a document
/// that is one skill.
pub fn listed_names(
    place: &dyn ArtifactPlace,
    root: &StoredDocument,
) -> Result<Option<BTreeMap<String, Digest>>> {
    let index = match documents::read(&place.shown(), root)? {
        ArtifactDocument::Manifest(_) => return Ok(None),
        ArtifactDocument::Index(index) => index,
    };
    // Most collections name their skills, so that nothing else has to be read.
    let named = index.manifests.iter().map(|entry| {
        let is_skill =
            documents::kind(&entry.media_type) == Some(documents::DocumentKind::Manifest);
        let name = entry.annotation(documents::SKILL_NAME).filter(|_| is_skill)?;
        Some((name.to_owned(), entry.digest))
    });
    match named.collect::<Option<BTreeMap<String, Digest>>>() {
        Some(named) if index.is_collection() => Ok(Some(named)),
        _ => {
            let found = find(place, root, &|_| true)?;
            let named =
                found.skills.into_iter().filter_map(|one| Some((one.name?, one.digest))).collect();
            Ok(Some(named))
        }
    }
}

/// Reads all skills of a layout.
pub fn of_layout(path: &Path) -> Result<Bundle> {
    let layout = crate::skills::fetch::oci::layout::ArtifactLayout::open(path)?;
    let roots = layout.roots();
    let mut all = FoundArtifacts { is_collection: false, skills: Vec::new(), others: Vec::new() };
    for (descriptor, _) in &roots {
        let document = layout.document(descriptor)?;
        let found = find(&layout, &document, &|_| true)?;
        all.is_collection |= found.is_collection;
        for skill in found.skills {
            if all.skills.iter().all(|known| known.digest != skill.digest) {
                all.skills.push(skill);
            }
        }
    }
    all.is_collection |= all.skills.len() > 1;
    Ok(unpack(&layout, &all, path.to_owned())?.bundle)
}

// Artifacts and collections in registries.

impl Network {
    /// A registry, with what the run has learnt about it.
    pub fn registry(&self, host: &str) -> RegistryClient<'_> {
        let mut registries = self.registries.lock().unwrap_or_else(PoisonError::into_inner);
        let known = Arc::clone(registries.entry(host.to_owned()).or_default());
        RegistryClient::new(&self.http, &self.environment, host, known)
    }

    /// What was fetched from registries before.
    pub fn registry_cache(&self) -> Result<Cache> {
        self.cache(Shelf::Registries)
    }
}

/// Reads an artifact, or the wanted skills of a collection.
pub fn read(
    network: &Network,
    reference: &RegistryReference,
    pins: &Pins,
    wanted: &[String],
) -> Result<Bundle> {
    let cache = network.registry_cache()?;
    let client = network.registry(&reference.host);
    let place = RegistryPlace::new(&client, &cache, &reference.repository, ARCHIVE_BYTES);
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|one| one == name);
    let found = match pins {
        Pins { whole: Some(digest), .. } => find(&place, &place.by_digest(digest)?, &is_wanted)?,
        Pins { skills, .. } if !skills.is_empty() => pinned(&place, pins, &is_wanted)?,
        _ => find(&place, &place.resolve(reference)?, &is_wanted)?,
    };
    let address = Address::Registry(reference.clone());
    if found.skills.iter().any(|one| !cache.has_blob(one.layer.digest.into())) {
        (network.announce)(Progress::Fetching(&address));
    }
    let CollectedSkills { mut bundle, roots } =
        unpack(&place, &found, PathBuf::from(address.to_string()))?;
    let artifact = |(root, digest): (String, Digest)| Artifact {
        // The only artifact is all of it, wherever its skill lies.
        root: if found.is_collection { root } else { String::new() },
        source: exactly(reference, digest),
        digest,
    };
    let mut artifacts: Vec<Artifact> = roots.into_iter().map(artifact).collect();
    artifacts.dedup();
    bundle.origin = BundleOrigin::Network(Fetched { address, artifacts, others: found.others });
    Ok(bundle)
}

/// Exactly this artifact, as a source that can be named again.
fn exactly(reference: &RegistryReference, digest: Digest) -> String {
    let digest = Some(digest);
    Address::Registry(RegistryReference { tag: None, digest, ..reference.clone() }).to_string()
}

/// The skills of a collection that a lock pins. Its index is not needed for that.
fn pinned(
    place: &RegistryPlace<'_>,
    pins: &Pins,
    is_wanted: &(dyn Fn(&str) -> bool + Sync),
) -> Result<FoundArtifacts> {
    let (taken, others): (Vec<_>, Vec<_>) =
        pins.skills.iter().partition(|(name, _)| is_wanted(name));
    let documents = few(&taken, |(_, digest)| place.by_digest(digest))?;
    let mut skills = Vec::new();
    for ((name, _), document) in taken.iter().zip(documents) {
        let found = find(place, &document, &|_| true)?;
        let named = |one: SkillArtifact| SkillArtifact { name: Some((*name).clone()), ..one };
        skills.extend(found.skills.into_iter().map(named));
    }
    let others = others.into_iter().map(|(name, _)| name.clone()).collect();
    Ok(FoundArtifacts { is_collection: true, skills, others })
}

/// The digest of an artifact, or those of the skills of a collection.
pub fn current(network: &Network, reference: &RegistryReference) -> Result<Pins> {
    let cache = network.registry_cache()?;
    let client = network.registry(&reference.host);
    let place = RegistryPlace::new(&client, &cache, &reference.repository, ARCHIVE_BYTES);
    let document = place.resolve(reference)?;
    let names = listed_names(&place, &document)?;
    Ok(match names {
        None => Pins { whole: Some(document.digest), ..Pins::default() },
        Some(skills) => Pins { whole: None, skills },
    })
}
