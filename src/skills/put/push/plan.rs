//! Decides what is published where, as a pure value that `--dry-run` prints.

use super::artifact::BuiltArtifact;
pub use super::tags::Tags;
use crate::skills::find::oci::documents::{Annotations, ArtifactIndex, Descriptor, StoredDocument};
use crate::skills::find::oci::media;
use crate::skills::model::error::{Result, err};

/// Where artifacts go, as the user wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushTarget {
    /// The registry, before every repository that others are told about; empty for a layout.
    pub host: String,
    /// The repository; empty for a layout.
    pub repository: String,
    /// The tag that replaces all others.
    pub tag: Option<String>,
    /// The name of the collection, if there is one.
    pub collection: Option<String>,
    /// What a collection without a name is called.
    pub usual_collection: String,
}

/// Everything that is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    /// The skills.
    pub artifacts: Vec<PlannedArtifact>,
    /// The list of those that were found.
    pub collection: Option<PlannedCollection>,
}

/// A skill, and where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedArtifact {
    /// The skill.
    pub built: BuiltArtifact,
    pub repository: String,
    /// The tags there.
    pub tags: Tags,
}

/// A list of skills, and where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedCollection {
    pub name: String,
    pub repository: String,
    /// The tags there.
    pub tags: Tags,
    /// The list.
    pub index: StoredDocument,
}

/// Plans where skills go: one that was named to the repository itself, one that was found below it.
/// Several that were found also make a collection.
pub fn plan(mut built: Vec<BuiltArtifact>, target: &PushTarget) -> Result<Publication> {
    built.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    let named = built.iter().filter(|one| one.is_named).count();
    let found = built.len() - named;
    let makes_collection = found > 1 || (found > 0 && target.collection.is_some());
    if named > 1 || (named > 0 && makes_collection) {
        let names: Vec<&str> =
            built.iter().filter(|one| one.is_named).map(|one| one.name.as_str()).collect();
        return Err(err!(
            Usage,
            "`{}` has room for one of these: {}{}",
            target.shown(),
            names.join(", "),
            if makes_collection { ", a collection of the others" } else { "" }
        )
        .help("name the directory that holds the skills, or push one after the other"));
    }
    if target.collection.is_some() && found == 0 {
        return Err(err!(
            Usage,
            "`--collection` needs skills that were found, and these were named"
        )
        .help("name the directory that holds the skills"));
    }
    let artifacts: Vec<PlannedArtifact> = built
        .into_iter()
        .map(|built| PlannedArtifact {
            repository: if built.is_named {
                target.repository.clone()
            } else {
                target.below(&built.name)
            },
            tags: Tags::new(
                target.tag.as_deref(),
                built.version.as_deref(),
                &built.manifest.digest,
            ),
            built,
        })
        .collect();
    let collection = makes_collection.then(|| collection(&artifacts, target));
    Ok(Publication { artifacts, collection })
}

fn collection(artifacts: &[PlannedArtifact], target: &PushTarget) -> PlannedCollection {
    let name = target.collection.as_ref().unwrap_or(&target.usual_collection).clone();
    let entries = artifacts.iter().map(|planned| {
        let tag = planned.tags.all.first().map(|tag| format!(":{tag}")).unwrap_or_default();
        let place = match target.host.as_str() {
            "" => planned.built.name.clone(),
            host => format!("{host}/{}", planned.repository),
        };
        Descriptor {
            artifact_type: Some(media::SKILL.to_owned()),
            annotations: Annotations::from([
                (media::SKILL_NAME.to_owned(), planned.built.name.clone()),
                (media::SKILL_REF.to_owned(), format!("{place}{tag}")),
            ]),
            ..planned.built.manifest.descriptor()
        }
    });
    let annotations = Annotations::from([(media::COLLECTION_NAME.to_owned(), name.clone())]);
    let index = ArtifactIndex::new(Some(media::COLLECTION), entries.collect(), annotations);
    let index = StoredDocument::of_index(&index);
    let tags = Tags::new(target.tag.as_deref(), None, &index.digest);
    PlannedCollection { name, repository: target.repository.clone(), tags, index }
}

impl PushTarget {
    fn below(&self, name: &str) -> String {
        if self.repository.is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", self.repository)
        }
    }

    fn shown(&self) -> String {
        match (self.host.as_str(), self.repository.as_str()) {
            ("", _) => "the layout".to_owned(),
            (host, repository) => format!("oci://{host}/{repository}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::files::digest;
    use crate::skills::find::oci::documents::ArtifactDocument;
    use crate::skills::put::push::artifact::BuiltBlob;

    fn built(name: &str, is_named: bool) -> BuiltArtifact {
        let blob = BuiltBlob { descriptor: Descriptor::of("x", b"{}"), bytes: b"{}".to_vec() };
        let manifest = crate::skills::find::oci::documents::ArtifactManifest::new(
            media::SKILL,
            blob.descriptor.clone(),
            Vec::new(),
            Annotations::from([("n".to_owned(), name.to_owned())]),
        );
        BuiltArtifact {
            name: name.to_owned(),
            is_named,
            version: Some("1.0".to_owned()),
            skill: digest::of_bytes(b"").into(),
            manifest: StoredDocument::of_manifest(&manifest),
            blobs: [blob.clone(), blob],
        }
    }

    fn target(collection: Option<&str>) -> PushTarget {
        PushTarget {
            host: "h.example".to_owned(),
            repository: "team/skills".to_owned(),
            tag: None,
            collection: collection.map(str::to_owned),
            usual_collection: "skills".to_owned(),
        }
    }

    fn places(plan: &Publication) -> Vec<&str> {
        plan.artifacts.iter().map(|one| one.repository.as_str()).collect()
    }

    #[test]
    fn named_skills_go_to_the_repository_and_found_ones_below_it() {
        let one = plan(vec![built("pdf", true)], &target(None)).unwrap();
        assert_eq!((places(&one), &one.collection), (vec!["team/skills"], &None));
        let one = plan(vec![built("pdf", false)], &target(None)).unwrap();
        assert_eq!((places(&one), &one.collection), (vec!["team/skills/pdf"], &None));
        let one = plan(vec![built("pdf", false)], &target(Some("x"))).unwrap();
        assert_eq!(one.collection.unwrap().name, "x");
        assert!(plan(vec![built("pdf", true), built("csv", true)], &target(None)).is_err());
        assert!(plan(vec![built("pdf", true)], &target(Some("x"))).is_err());
        let mixed = vec![built("pdf", true), built("csv", false), built("doc", false)];
        assert!(plan(mixed, &target(None)).is_err());
    }

    #[test]
    fn the_order_of_skills_does_not_change_a_collection() {
        let names = ["pdf", "csv", "doc"];
        let make = |names: &[&str]| {
            let skills = names.iter().map(|name| built(name, false)).collect();
            plan(skills, &target(None)).unwrap()
        };
        let (one, other) = (make(&names), make(&["doc", "pdf", "csv"]));
        assert_eq!(one, other);
        let collection = one.collection.unwrap();
        let Ok(ArtifactDocument::Index(index)) = collection.index.read() else { panic!() };
        assert!(index.is_collection());
        assert_eq!(index.manifests[2].annotation(media::SKILL_NAME), Some("pdf"));
        let reference = index.manifests[2].annotation(media::SKILL_REF);
        assert_eq!(reference, Some("h.example/team/skills/pdf:1.0"));
        assert_eq!(collection.tags.all.len(), 2);
    }
}
