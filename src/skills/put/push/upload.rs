//! Sends a publication to a registry.

use super::Published;
use super::artifact::BuiltArtifact;
use super::plan::{PlannedArtifact, PlannedCollection, Publication};
use super::registry::{OpenBlob, WritableRegistry};
use super::tag_states::{self, Destined, MissingTags};
use crate::skills::files::parallel;
use crate::skills::model::error::Result;
use crate::skills::model::reporter::Reporter;

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
    let mut states = tag_states::ask(registry, &destined, force)?.into_iter();
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
