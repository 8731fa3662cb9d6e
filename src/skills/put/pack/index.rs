//! The files of a site that publishes skills: one artifact for each skill, and the index.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Packed;
use super::place::{ArchivePlace, PlacedArchive, write_all};
use crate::skills::files::digest::{self, Digest, portable};
use crate::skills::find::archive::{self, NewFile};
use crate::skills::find::site::SCHEMA;
use crate::skills::model::error::{Result, err};
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::source_files::{self, Allowance};
use crate::skills::text::document::{Document, SKILL_MD};

/// A skill as a site publishes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedSkill {
    packed: Packed,
    /// `skill-md` or `archive`.
    kind: &'static str,
    description: String,
}

/// The index and its artifacts, before anything is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedSite {
    pub artifacts: Vec<PlacedArchive>,
    pub index: PlacedArchive,
}

#[derive(Serialize)]
struct IndexText<'a> {
    #[serde(rename = "$schema")]
    schema: &'a str,
    skills: Vec<EntryText<'a>>,
}

#[derive(Serialize)]
struct EntryText<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    description: &'a str,
    url: String,
    digest: String,
}

/// Makes the artifact of a skill: its `SKILL.md` if that is all, else an archive with `SKILL.md` at
/// its root.
pub fn publish(candidate: &Candidate, allowance: &Allowance) -> Result<PublishedSkill> {
    let name = candidate.name.to_string();
    let contents = source_files::contents(candidate, allowance)?;
    let is_skill_md = |path: &Path| path == Path::new(SKILL_MD);
    let text = contents.iter().find(|(path, ..)| is_skill_md(path));
    let text = text.and_then(|(_, _, bytes)| std::str::from_utf8(bytes).ok()).unwrap_or_default();
    let description = Document::parse(text).string("description").unwrap_or_default().to_owned();
    let mut builder = digest::DigestBuilder::default();
    for (path, executable, bytes) in &contents {
        builder.add(path, *executable, digest::of_bytes(bytes));
    }
    let digest = builder
        .finish()
        .ok_or_else(|| err!(Validation, "`{name}` has a file name that cannot be recorded"))?;
    let files = contents.len();
    let (kind, bytes) = match contents.as_slice() {
        [(path, _, bytes)] if is_skill_md(path) => ("skill-md", bytes.clone()),
        _ => {
            let file = |(path, executable, content): (PathBuf, bool, Vec<u8>)| NewFile {
                path: portable(&path),
                executable,
                content,
            };
            let bytes = archive::write(contents.into_iter().map(file).collect())?;
            // Read it back, to be sure that it can be installed.
            archive::of_bytes(Path::new(&file_name(&name, "archive")), bytes.clone())?;
            ("archive", bytes)
        }
    };
    Ok(PublishedSkill { packed: Packed { digest, name, bytes, files }, kind, description })
}

/// The file of an artifact.
fn file_name(name: &str, kind: &str) -> String {
    if kind == "archive" { format!("{name}.zip") } else { format!("{name}.md") }
}

/// Decides what happens to each file of the site.
pub fn plan(directory: &Path, force: bool, mut skills: Vec<PublishedSkill>) -> Result<PlannedSite> {
    skills.sort_unstable_by(|one, other| one.packed.name.cmp(&other.packed.name));
    let entry = |skill: &PublishedSkill| -> (String, String) {
        let digest = Digest::from(digest::of_bytes(&skill.packed.bytes)).to_string();
        (file_name(&skill.packed.name, skill.kind), digest)
    };
    let entries: Vec<(String, String)> = skills.iter().map(entry).collect();
    let text = IndexText {
        schema: SCHEMA,
        skills: skills
            .iter()
            .zip(entries)
            .map(|(skill, (url, digest))| EntryText {
                name: &skill.packed.name,
                kind: skill.kind,
                description: &skill.description,
                url,
                digest,
            })
            .collect(),
    };
    let mut bytes = serde_json::to_vec_pretty(&text)
        .map_err(|error| err!(Io, "cannot write the index: {error}"))?;
    bytes.push(b'\n');
    let files = skills.len();
    let digest = Digest::from(digest::of_bytes(&bytes));
    let index = Packed { name: "index.json".to_owned(), bytes, files, digest };
    let place = |file: String, packed: Packed| {
        let output = directory.join(file);
        let place = ArchivePlace { output, is_file: true, force };
        place.decide(packed)
    };
    let placed =
        |skill: PublishedSkill| place(file_name(&skill.packed.name, skill.kind), skill.packed);
    let artifacts = skills.into_iter().map(placed).collect::<Result<_>>()?;
    Ok(PlannedSite { artifacts, index: place("index.json".to_owned(), index)? })
}

/// Writes the artifacts, and the index last, so that it names nothing that is not there.
pub fn write(site: &PlannedSite) -> Result<()> {
    write_all(&site.artifacts)?;
    write_all(std::slice::from_ref(&site.index))
}
