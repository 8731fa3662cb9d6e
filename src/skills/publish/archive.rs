//! Makes `.skill` archives, decides where they go, and writes the index of a site.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::skills::fetch::archive::{self, NewFile};
use crate::skills::fetch::site::SCHEMA;
use crate::skills::files::digest::{self, Digest, portable};
use crate::skills::files::{self, Directory, atomic};
use crate::skills::model::error::{Error, Result, err};
use crate::skills::put::install::Done;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::source_files::{self, Allowance};
use crate::skills::text::document::{Document, SKILL_MD};

/// An archive that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// The skill.
    pub name: String,
    /// The archive.
    pub bytes: Vec<u8>,
    pub files: usize,
    /// The digest of the skill in it, as an installation would record it.
    pub digest: Digest,
}

/// Packs a skill into an archive with one root directory, which has the skill's name.
pub fn pack(candidate: &Candidate, allowance: &Allowance) -> Result<Packed> {
    let name = candidate.name.to_string();
    let contents = source_files::contents(candidate, allowance)?;
    let files: Vec<NewFile> = contents
        .into_iter()
        .map(|(path, executable, content)| NewFile {
            path: format!("{name}/{}", portable(&path)),
            executable,
            content,
        })
        .collect();
    let count = files.len();
    let bytes = archive::write(files)?;
    // Read the archive back, to be sure that it can be installed.
    let path = PathBuf::from(format!("{name}.skill"));
    let archive = std::sync::Arc::new(archive::of_bytes(&path, bytes.clone())?);
    let skills = archive.skills();
    let skill = skills
        .first()
        .ok_or_else(|| err!(MissingSkillMd, "`{name}` was packed without its SKILL.md"))?;
    let digest = skill
        .digest()
        .ok_or_else(|| err!(Validation, "`{name}` has a file name that cannot be recorded"))?;
    Ok(Packed { digest, name, bytes, files: count })
}

// The files of a site that publishes skills: one artifact for each skill, and the index.

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

// Decides where archives go, and what happens to existing files.

/// The destination of archives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivePlace {
    /// A directory, or the path of a single archive.
    pub output: PathBuf,
    /// Whether it is a single archive.
    pub is_file: bool,
    /// Whether to replace archives that differ.
    pub force: bool,
}

/// An archive, its path, and what happens there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedArchive {
    /// The archive.
    pub packed: Packed,
    pub path: PathBuf,
    /// What happens at that path.
    pub done: Done,
}

impl ArchivePlace {
    /// Plans all archives, and writes none.
    pub fn plan(&self, packed: Vec<Packed>) -> Result<Vec<PlacedArchive>> {
        if self.is_file && packed.len() > 1 {
            let (number, output) = (packed.len(), self.output.display());
            return Err(err!(Usage, "{number} skills do not fit into one archive, `{output}`")
                .help("name a directory with `-o`"));
        }
        packed.into_iter().map(|packed| self.decide(packed)).collect()
    }

    /// Decides what happens to one archive.
    pub fn decide(&self, packed: Packed) -> Result<PlacedArchive> {
        let path = if self.is_file {
            self.output.clone()
        } else {
            self.output.join(format!("{}.skill", packed.name))
        };
        let in_the_way = |what: &str, help: &str| {
            Err(err!(Conflict, "`{}` already exists and {what}", path.display())
                .at(&path)
                .help(help))
        };
        let done = match there(&path, packed.bytes.len()) {
            Ok(ExistingArchive::Nothing) => Done::Created,
            Ok(ExistingArchive::File(bytes)) if bytes == packed.bytes => Done::Unchanged,
            Ok(ExistingArchive::File(_)) if self.force => Done::Replaced,
            Ok(ExistingArchive::File(_)) => {
                return in_the_way("differs", "use `--force` to replace it");
            }
            Ok(ExistingArchive::Other) => {
                return in_the_way("is not a file", "choose another path with `-o`");
            }
            Err(error) => return Err(Error::io("read", path, &error)),
        };
        Ok(PlacedArchive { packed, path, done })
    }
}

/// The current entry at the path of an archive.
enum ExistingArchive {
    Nothing,
    /// Its content, cut off after the requested size.
    File(Vec<u8>),
    /// A directory, a pipe or a device.
    Other,
}

/// Reads the current entry at the path of an archive of this size, without blocking.
fn there(path: &Path, length: usize) -> io::Result<ExistingArchive> {
    // The path is the user's own, so links are followed.
    let real = match path.canonicalize() {
        Ok(real) => real,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(ExistingArchive::Nothing);
        }
        Err(error) => return Err(error),
    };
    let file = files::open_without_following(&real)?;
    if !file.metadata()?.is_file() {
        return Ok(ExistingArchive::Other);
    }
    let mut bytes = Vec::new();
    // One more byte shows that the file is longer.
    file.take(length as u64 + 1).read_to_end(&mut bytes)?;
    Ok(ExistingArchive::File(bytes))
}

/// Writes the planned archives of one directory.
pub fn write_all(planned: &[PlacedArchive]) -> Result<()> {
    let mut changed = planned.iter().filter(|placed| placed.done != Done::Unchanged).peekable();
    let Some(first) = changed.peek() else { return Ok(()) };
    let parent = first.path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    let directory = fs::create_dir_all(parent)
        .and_then(|()| Directory::open(parent))
        .map_err(|error| Error::writing("write", &first.path, &error))?;
    atomic::reap(&directory);
    changed.try_for_each(|placed| {
        let name = placed.path.file_name().unwrap_or_default();
        atomic::replace_next(&directory, name, &placed.packed.bytes)
            .map_err(|error| Error::writing("write", &placed.path, &error))
    })
}
