//! Makes an artifact of a skill: the same bytes from the same skill, on any machine.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::skills::files::digest::{Digest, portable};
use crate::skills::find::archive::{self, NewFile};
use crate::skills::find::oci::documents::{
    Annotations, ArtifactManifest, Descriptor, StoredDocument,
};
use crate::skills::find::oci::media;
use crate::skills::model::error::{Result, err};
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
    let blobs =
        [BuiltBlob::new(media::SKILL_CONFIG, config), BuiltBlob::new(media::SKILL_CONTENT, layer)];
    let mut all = own_annotations(&name, &fields);
    all.extend(annotations.clone());
    let [config, layer] = blobs.each_ref().map(|blob| blob.descriptor.clone());
    let manifest = ArtifactManifest::new(media::SKILL, config, vec![layer], all);
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
        (media::SKILL_NAME, Some(name)),
        (media::SKILL_COMPATIBILITY, fields.text("compatibility")),
        (media::TITLE, Some(name)),
        (media::VERSION, fields.version()),
        (media::DESCRIPTION, fields.text("description")),
        (media::LICENSES, fields.text("license")),
    ];
    let set = values.into_iter().filter_map(|(key, value)| Some((key, value?)));
    set.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
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
        assert_eq!(annotations[media::VERSION], "1.10");
        assert_eq!(annotations[media::LICENSES], "MIT");
        // The time would change the digest of the same skill.
        assert!(!annotations.contains_key("org.opencontainers.image.created"));
        assert_eq!(own_annotations("pdf", &FieldValues::default()).len(), 2);
    }
}
