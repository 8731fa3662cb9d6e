//! Artifacts and collections in registries.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use super::Network;
use crate::skills::files::digest::Digest;
use crate::skills::find::announce::Progress;
use crate::skills::find::archive::ARCHIVE_BYTES;
use crate::skills::find::cache::{Cache, Shelf};
use crate::skills::find::oci::client::RegistryClient;
use crate::skills::find::oci::collect::{self, CollectedSkills, FoundArtifacts, SkillArtifact};
use crate::skills::find::oci::registry::RegistryPlace;
use crate::skills::model::address::{Address, Pins, RegistryReference};
use crate::skills::model::bundle::{Artifact, Bundle, BundleOrigin, Fetched};
use crate::skills::model::error::Result;

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
pub(super) fn read(
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
        Pins { whole: Some(digest), .. } => {
            collect::find(&place, &place.by_digest(digest)?, &is_wanted)?
        }
        Pins { skills, .. } if !skills.is_empty() => pinned(&place, pins, &is_wanted)?,
        _ => collect::find(&place, &place.resolve(reference)?, &is_wanted)?,
    };
    let address = Address::Registry(reference.clone());
    if found.skills.iter().any(|one| !cache.has_blob(one.layer.digest.into())) {
        (network.announce)(Progress::Fetching(&address));
    }
    let CollectedSkills { mut bundle, roots } =
        collect::unpack(&place, &found, PathBuf::from(address.to_string()))?;
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
    let documents = collect::few(&taken, |(_, digest)| place.by_digest(digest))?;
    let mut skills = Vec::new();
    for ((name, _), document) in taken.iter().zip(documents) {
        let found = collect::find(place, &document, &|_| true)?;
        let named = |one: SkillArtifact| SkillArtifact { name: Some((*name).clone()), ..one };
        skills.extend(found.skills.into_iter().map(named));
    }
    let others = others.into_iter().map(|(name, _)| name.clone()).collect();
    Ok(FoundArtifacts { is_collection: true, skills, others })
}

/// The digest of an artifact, or those of the skills of a collection.
pub(super) fn current(network: &Network, reference: &RegistryReference) -> Result<Pins> {
    let cache = network.registry_cache()?;
    let client = network.registry(&reference.host);
    let place = RegistryPlace::new(&client, &cache, &reference.repository, ARCHIVE_BYTES);
    let document = place.resolve(reference)?;
    let names = collect::listed_names(&place, &document)?;
    Ok(match names {
        None => Pins { whole: Some(document.digest), ..Pins::default() },
        Some(skills) => Pins { whole: None, skills },
    })
}
