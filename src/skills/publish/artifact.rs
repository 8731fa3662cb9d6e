//! Makes an artifact of a skill: the same bytes from the same skill, on any machine.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::skills::fetch::archive::{self, NewFile};
use crate::skills::fetch::oci::documents::{
    self, Annotations, ArtifactIndex, ArtifactManifest, Descriptor, StoredDocument,
};
use crate::skills::files::digest::{Digest, portable};
use crate::skills::files::parallel;
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::publish::registry::WritableRegistry;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::source_files::{self, Allowance};
use crate::skills::text::document::Document;
use crate::skills::text::field_values::{FieldValue, FieldValues};

/// A skill as an artifact, with all its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltArtifact {
    /// The skill.
    pub name: String,
    /// Whether the user pointed at this skill itself.
    pub is_named: bool,
    /// Its version, as it says.
    pub version: Option<String>,
    /// The digest of the skill, as an installation would record it.
    pub skill: Digest,
    pub manifest: StoredDocument,
    /// Its configuration and its layer.
    pub blobs: [BuiltBlob; 2],
}

/// Bytes that a manifest points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltBlob {
    /// What points to them.
    pub descriptor: Descriptor,
    /// All of them.
    pub bytes: Vec<u8>,
}

impl BuiltBlob {
    fn new(media_type: &str, bytes: Vec<u8>) -> Self {
        Self { descriptor: Descriptor::of(media_type, &bytes), bytes }
    }
}

/// What an artifact says about its skill. The order of the fields is part of its digest.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SkillConfig<'a> {
    schema_version: &'static str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    license: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compatibility: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    allowed_tools: &'a [String],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<&'a str, Value>,
}

/// Makes an artifact, with these annotations beside its own.
pub fn build(
    candidate: &Candidate,
    allowance: &Allowance,
    annotations: &Annotations,
) -> Result<BuiltArtifact> {
    let name = candidate.name.to_string();
    let contents = source_files::contents(candidate, allowance)?;
    let files = contents.into_iter().map(|(path, executable, content)| NewFile {
        path: format!("{name}/{}", portable(&path)),
        executable,
        content,
    });
    let layer = archive::write_tar_gz(files.collect())?;
    let skill = read_back(&name, &layer)?;
    let text = candidate.skill_md.as_deref().unwrap_or_default();
    let fields = FieldValues::of(&Document::parse(text)).unwrap_or_default();
    let config = serde_json::to_vec(&SkillConfig::of(&name, &fields)).unwrap_or_default();
    let blobs = [
        BuiltBlob::new(documents::SKILL_CONFIG, config),
        BuiltBlob::new(documents::SKILL_CONTENT, layer),
    ];
    let mut all = own_annotations(&name, &fields);
    all.extend(annotations.clone());
    let [config, layer] = blobs.each_ref().map(|blob| blob.descriptor.clone());
    let manifest = ArtifactManifest::new(documents::SKILL, config, vec![layer], all);
    Ok(BuiltArtifact {
        is_named: candidate.skill.is_named,
        version: fields.version().map(str::to_owned),
        manifest: StoredDocument::of_manifest(&manifest),
        name,
        skill,
        blobs,
    })
}

/// Reads a layer back, to be sure that it can be installed.
fn read_back(name: &str, layer: &[u8]) -> Result<Digest> {
    let bundle = archive::of_tar_gz(&PathBuf::from(format!("{name}.tar.gz")), layer)?;
    let skills = Arc::new(bundle).skills();
    let digest = skills.iter().find(|skill| skill.root == name).map(|skill| skill.digest());
    match digest {
        Some(Some(digest)) => Ok(digest),
        Some(None) => Err(err!(Validation, "`{name}` has a file name that cannot be recorded")),
        None => Err(err!(MissingSkillMd, "`{name}` was packed without its SKILL.md")),
    }
}

impl<'a> SkillConfig<'a> {
    fn of(name: &'a str, fields: &'a FieldValues) -> Self {
        let metadata = match fields.get("metadata") {
            Some(FieldValue::Mapping(entries)) => {
                entries.iter().map(|(key, value)| (key.as_str(), json(value))).collect()
            }
            _ => BTreeMap::new(),
        };
        Self {
            schema_version: "1",
            name,
            version: fields.version(),
            description: fields.text("description"),
            license: fields.text("license"),
            compatibility: fields.text("compatibility"),
            allowed_tools: &fields.tools,
            metadata,
        }
    }
}

/// A value as JSON. Metadata are texts by the specification, so numbers stay as they are written.
fn json(value: &FieldValue) -> Value {
    match value {
        FieldValue::Null => Value::String(String::new()),
        FieldValue::Bool(value) => Value::String(value.to_string()),
        FieldValue::Number(text) | FieldValue::Text(text) => Value::String(text.clone()),
        FieldValue::List(items) => Value::Array(items.iter().map(json).collect()),
        FieldValue::Mapping(entries) => {
            Value::Object(entries.iter().map(|(key, value)| (key.clone(), json(value))).collect())
        }
    }
}

/// What every program can read about a skill. Never when it was made: that would change its digest.
fn own_annotations(name: &str, fields: &FieldValues) -> Annotations {
    let values = [
        (documents::SKILL_NAME, Some(name)),
        (documents::SKILL_COMPATIBILITY, fields.text("compatibility")),
        (documents::TITLE, Some(name)),
        (documents::VERSION, fields.version()),
        (documents::DESCRIPTION, fields.text("description")),
        (documents::LICENSES, fields.text("license")),
    ];
    let set = values.into_iter().filter_map(|(key, value)| Some((key, value?)));
    set.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

// Decides what is published where, as a pure value that `--dry-run` prints.

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
            artifact_type: Some(documents::SKILL.to_owned()),
            annotations: Annotations::from([
                (documents::SKILL_NAME.to_owned(), planned.built.name.clone()),
                (documents::SKILL_REF.to_owned(), format!("{place}{tag}")),
            ]),
            ..planned.built.manifest.descriptor()
        }
    });
    let annotations = Annotations::from([(documents::COLLECTION_NAME.to_owned(), name.clone())]);
    let index = ArtifactIndex::new(Some(documents::COLLECTION), entries.collect(), annotations);
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

// The tags that an artifact gets.

/// The longest tag that registries accept.
const TAG_CHARS: usize = 128;

/// Digits of a digest that stand for a version.
const DIGITS: usize = 12;

/// The tag of the newest version.
const LATEST: &str = "latest";

/// The tags of an artifact, and which of them must not be moved to other content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tags {
    /// All of them.
    pub all: Vec<String>,
    /// The one that names a version.
    pub version: Option<String>,
}

impl Tags {
    /// The tag that the user chose, else the version and `latest`.
    pub fn new(chosen: Option<&str>, version: Option<&str>, digest: &Digest) -> Self {
        if let Some(chosen) = chosen {
            let version = is_version(chosen).then(|| chosen.to_owned());
            return Self { all: vec![chosen.to_owned()], version };
        }
        let version = version.map_or_else(|| short(digest), of_version);
        let mut all = vec![version.clone()];
        if version != LATEST {
            all.push(LATEST.to_owned());
        }
        Self { all, version: Some(version) }
    }
}

/// Whether a tag looks like a version, which never means something else later.
fn is_version(tag: &str) -> bool {
    tag.strip_prefix('v').unwrap_or(tag).starts_with(|first: char| first.is_ascii_digit())
}

/// The first digits of a digest.
fn short(digest: &Digest) -> String {
    let text = digest.to_string();
    text.split(':').next_back().unwrap_or_default().chars().take(DIGITS).collect()
}

/// A version with only the characters that a tag may have.
fn of_version(version: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let tag: String =
        version.chars().take(TAG_CHARS).map(|c| if is_plain(c) { c } else { '_' }).collect();
    match tag.strip_prefix(['.', '-']) {
        Some(rest) => format!("_{rest}"),
        None => tag,
    }
}

// What the tags that are about to be set lead to now, and whether they may be moved.

/// A document, and where it goes.
#[derive(Debug, Clone, Copy)]
pub struct Destined<'a> {
    pub repository: &'a str,
    /// The tags there.
    pub tags: &'a Tags,
    /// The document.
    pub digest: Digest,
}

/// The tags of a document that do not lead to it yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingTags {
    pub tags: Vec<String>,
    /// Whether another tag leads to it, so that the repository has it.
    pub is_there: bool,
}

/// Asks what all tags lead to, and refuses to move one that names a version.
pub fn ask(
    registry: &WritableRegistry<'_>,
    destined: &[Destined<'_>],
    force: bool,
) -> Result<Vec<MissingTags>> {
    // The first question finds out which login is wanted, so that the others need not.
    let (first, rest) = match destined.split_first() {
        Some((first, rest)) => (first, rest),
        None => return Ok(Vec::new()),
    };
    let mut states = vec![state(registry, first, force)?];
    let others = parallel::map_waiting(rest, |one| state(registry, one, force));
    for other in others {
        states.push(other?);
    }
    Ok(states)
}

fn state(
    registry: &WritableRegistry<'_>,
    destined: &Destined<'_>,
    force: bool,
) -> Result<MissingTags> {
    let mut missing = MissingTags { tags: Vec::new(), is_there: false };
    for tag in &destined.tags.all {
        match registry.digest_of(destined.repository, tag)? {
            Some(there) if there == destined.digest => missing.is_there = true,
            Some(there) if destined.tags.version.as_ref() == Some(tag) && !force => {
                let shown = registry.shown(destined.repository);
                let message =
                    format!("`{shown}:{tag}` is already {there}, and this is {}", destined.digest);
                return Err(Error::new(ErrorKind::Conflict, message).help(
                    "raise `metadata.version`, or use `--force` to move the tag; whoever pinned \
                     the old digest keeps it",
                ));
            }
            _ => missing.tags.push(tag.clone()),
        }
    }
    Ok(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_artifact_says_comes_from_the_front_matter() {
        let text = "---\nname: pdf\ndescription: Reads PDFs.\nlicense: MIT\n\
                    compatibility: needs poppler\nallowed-tools: Read Bash(pdftotext:*)\n\
                    metadata: {version: 1.10, team: docs, tags: [a, 2]}\n---\n";
        let fields = FieldValues::of(&Document::parse(text)).unwrap();
        assert_eq!(
            serde_json::to_string(&SkillConfig::of("pdf", &fields)).unwrap(),
            "{\"schemaVersion\":\"1\",\"name\":\"pdf\",\"version\":\"1.10\",\
             \"description\":\"Reads PDFs.\",\"license\":\"MIT\",\
             \"compatibility\":\"needs poppler\",\
             \"allowedTools\":[\"Read\",\"Bash(pdftotext:*)\"],\
             \"metadata\":{\"tags\":[\"a\",\"2\"],\"team\":\"docs\",\"version\":\"1.10\"}}"
        );
        let annotations = own_annotations("pdf", &fields);
        assert_eq!(annotations[documents::VERSION], "1.10");
        assert_eq!(annotations[documents::LICENSES], "MIT");
        // The time would change the digest of the same skill.
        assert!(!annotations.contains_key("org.opencontainers.image.created"));
        assert_eq!(own_annotations("pdf", &FieldValues::default()).len(), 2);
    }
}

#[cfg(test)]
mod plan_tests {
    use super::*;
    use crate::skills::fetch::oci::documents::ArtifactDocument;
    use crate::skills::files::digest;
    use crate::skills::publish::artifact::BuiltBlob;

    fn built(name: &str, is_named: bool) -> BuiltArtifact {
        let blob = BuiltBlob { descriptor: Descriptor::of("x", b"{}"), bytes: b"{}".to_vec() };
        let manifest = crate::skills::fetch::oci::documents::ArtifactManifest::new(
            documents::SKILL,
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
        assert_eq!(index.manifests[2].annotation(documents::SKILL_NAME), Some("pdf"));
        let reference = index.manifests[2].annotation(documents::SKILL_REF);
        assert_eq!(reference, Some("h.example/team/skills/pdf:1.0"));
        assert_eq!(collection.tags.all.len(), 2);
    }
}

#[cfg(test)]
mod tags_tests {
    use super::*;

    fn tags(chosen: Option<&str>, version: Option<&str>) -> (Vec<String>, Option<String>) {
        let digest =
            Digest::parse(&format!("sha256:{}", "0123456789ab".repeat(6).get(..64).unwrap()));
        let tags = Tags::new(chosen, version, &digest.unwrap());
        (tags.all, tags.version)
    }

    #[test]
    fn tags_come_from_the_user_the_version_or_the_digest() {
        let of = |all: &[&str], version: Option<&str>| {
            (all.iter().map(|tag| (*tag).to_owned()).collect(), version.map(str::to_owned))
        };
        assert_eq!(tags(None, Some("1.2.0")), of(&["1.2.0", "latest"], Some("1.2.0")));
        assert_eq!(tags(None, Some("1.2+b é")), of(&["1.2_b__", "latest"], Some("1.2_b__")));
        assert_eq!(tags(None, Some(".1")), of(&["_1", "latest"], Some("_1")));
        assert_eq!(tags(None, None), of(&["0123456789ab", "latest"], Some("0123456789ab")));
        assert_eq!(tags(Some("stable"), Some("1.2.0")), of(&["stable"], None));
        assert_eq!(tags(Some("v3"), Some("1.2.0")), of(&["v3"], Some("v3")));
        assert_eq!(tags(None, Some("latest")), of(&["latest"], Some("latest")));
        assert_eq!(tags(None, Some(&"1".repeat(300))).0[0].len(), 128);
    }
}
