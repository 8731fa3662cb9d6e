//! The index of a site that publishes skills, the artifacts that it names, and an index that lies on this
//! disk.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use crate::skills::fetch::archive::{self, ArchiveFormat};
use crate::skills::files::digest::{self, Digest};
use crate::skills::files::{self, Directory, FileKind, content};
use crate::skills::model::bundle::{Bundle, BundleOrigin, BundledFile, StoredBytes};
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::name::SkillName;
use crate::skills::text::document::{Document, SKILL_BYTES, SKILL_MD, SKILL_MD_BYTES};

/// The most bytes of one artifact.
pub const ARTIFACT_BYTES: u64 = crate::skills::fetch::archive::ARCHIVE_BYTES;

/// Puts artifacts into one bundle, each in a directory with its name.
///
/// # Errors
/// Too many files or bytes, and a skill that has another name than the index says: whoever asks for one
/// name must not get another.
pub fn gather(
    bundle: &mut Bundle,
    artifacts: impl IntoIterator<Item = (String, Bundle)>,
) -> Result<(), String> {
    artifacts.into_iter().try_for_each(|(name, artifact)| {
        let root = root(&artifact)?;
        if let Some(own) = declared_name(&artifact, &root).filter(|own| *own != name) {
            return Err(format!("`{name}` is called `{own}` in its `SKILL.md`"));
        }
        bundle.absorb(&artifact, &root, &name).map_err(|reason| format!("`{name}`: {reason}"))
    })
}

// One skill as a site publishes it: a `SKILL.md`, an archive, or several files.

/// A skill that is a `SKILL.md` and nothing else.
pub fn of_skill_md(shown: &Path, file: File) -> Result<Bundle> {
    let mut bytes = Vec::new();
    let read = file.take(SKILL_MD_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::io("read", shown, &error))?;
    if bytes.len() as u64 > SKILL_MD_BYTES {
        return Err(err!(TooLarge, "`{}` is larger than a `SKILL.md` may be", shown.display()));
    }
    of_files(shown, vec![(SKILL_MD.to_owned(), bytes)])
}

/// A skill in an archive, whose first bytes say how it is stored, and which nobody else changes.
pub fn of_archive(shown: &Path, file: File) -> Result<Bundle> {
    let mut start = [0; 2];
    let format = files::read_at(&file, &mut start, 0).ok();
    let format = format.and_then(|()| ArchiveFormat::of_start(&start));
    archive::of_kept_file(shown, file, format.unwrap_or_else(|| ArchiveFormat::of_name(shown)))
}

/// A skill of several files.
pub fn of_files(shown: &Path, files: Vec<(String, Vec<u8>)>) -> Result<Bundle> {
    let mut bundle = Bundle::new(shown.to_owned(), BundleOrigin::Archive, Vec::new());
    for (path, bytes) in files {
        let range = bundle.store(&bytes).map_err(|error| Error::spooling(&error))?;
        let (kind, size) = (FileKind::Regular, bytes.len());
        let data = StoredBytes::Plain(range);
        let file = BundledFile { kind, executable: false, size, data };
        bundle.add_file(path, file).map_err(|reason| refused(shown, &reason))?;
    }
    bundle.finish().map_err(|reason| refused(shown, &reason))
}

fn refused(shown: &Path, reason: &str) -> Error {
    err!(Validation, "`{}` is refused: {reason}", shown.display())
}

/// Where the skill is in an artifact: at its root, or in its only directory with a `SKILL.md`.
pub fn root(artifact: &Bundle) -> Result<String, String> {
    let shown = artifact.path.display();
    match artifact.shallow_skills().as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(format!("there is no `SKILL.md` in `{shown}`")),
        _ => Err(format!("there are several skills in `{shown}`, and its index names one")),
    }
}

/// The valid name that the `SKILL.md` of an artifact declares.
pub fn declared_name(artifact: &Bundle, root: &str) -> Option<String> {
    let path = if root.is_empty() { SKILL_MD.to_owned() } else { format!("{root}/{SKILL_MD}") };
    let text = String::from_utf8(artifact.read_bounded(&path, SKILL_MD_BYTES)?.ok()?).ok()?;
    let declared = Document::parse(&text).string("name")?.to_owned();
    SkillName::new(&declared).is_ok().then_some(declared)
}

// An index on this disk, with the artifacts that lie beside it: what is about to be published.

/// Where a site has its index; addresses of this form lead to files beside it.
const WELL_KNOWN: &str = "/.well-known/agent-skills/";

/// Whether a file of this name is an index.
pub fn is_index(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "index.json")
}

/// Reads an index, and all artifacts that lie beside it.
pub fn open(path: &Path) -> Result<Bundle> {
    let file = files::open_without_following(path);
    let file = file.map_err(|error| Error::io("read", path, &error))?;
    let bytes =
        content::whole(file, INDEX_BYTES).map_err(|error| Error::io("read", path, &error))?;
    let index = SiteIndex::parse(&bytes).map_err(|reason| refused_files(path, &[reason]))?;
    let faults = index.passed.iter().map(|passed| format!("`{}`: {}", passed.name, passed.reason));
    let mut faults: Vec<String> = faults.collect();
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    let mut artifacts = Vec::new();
    for entry in &index.entries {
        match read(directory, entry) {
            Ok(artifact) => artifacts.push((entry.name.clone(), artifact)),
            Err(reason) => faults.push(format!("`{}`: {reason}", entry.name)),
        }
    }
    let mut bundle = Bundle::new(path.to_owned(), BundleOrigin::Archive, Vec::new());
    if let Err(reason) = gather(&mut bundle, artifacts) {
        faults.push(reason);
    }
    if !faults.is_empty() {
        return Err(refused_files(path, &faults));
    }
    bundle.finish().map_err(|reason| refused_files(path, &[reason]))
}

/// Reads what an entry names.
fn read(directory: &Path, entry: &SiteEntry) -> Result<Bundle, String> {
    let said = |error: Error| error.message;
    match &entry.content {
        EntryContent::SkillMd { url, digest } => {
            let (path, file) = checked(directory, url, *digest)?;
            of_skill_md(&path, file).map_err(said)
        }
        EntryContent::Archive { url, digest } => {
            let (path, file) = checked(directory, url, *digest)?;
            of_archive(&path, file).map_err(said)
        }
        EntryContent::Files(paths) => {
            let root = directory.join(&entry.name);
            let mut files = Vec::new();
            for path in paths {
                let file = below(&root, Path::new(path));
                let bytes = file.and_then(|file| content::whole(file, SKILL_BYTES));
                let bytes = bytes.map_err(|error| format!("`{path}` cannot be read: {error}"))?;
                files.push((path.clone(), bytes));
            }
            of_files(&root, files).map_err(said)
        }
    }
}

/// The file that an address means, if it has this digest.
fn checked(directory: &Path, url: &str, wanted: Digest) -> Result<(PathBuf, File), String> {
    let inner = inner_path(url).ok_or_else(|| {
        format!("its address `{}` does not lead to a file beside the index", url.escape_default())
    })?;
    let shown = inner.display();
    let file =
        below(directory, &inner).map_err(|_| format!("`{shown}` is not beside the index"))?;
    let found = digest::of_reader(&file).map_err(|error| format!("`{shown}`: {error}"))?;
    let found = Digest::from(found);
    if found != wanted {
        return Err(format!("the digest of `{shown}` is {found}, not {wanted}"));
    }
    let file = below(directory, &inner).map_err(|error| format!("`{shown}`: {error}"))?;
    Ok((directory.join(inner), file))
}

/// Opens a file below a directory without following links.
fn below(directory: &Path, path: &Path) -> std::io::Result<File> {
    Directory::open(directory)?.file_below(path)
}

/// The path below the index that an address means.
fn inner_path(url: &str) -> Option<PathBuf> {
    let inner = url.strip_prefix(WELL_KNOWN).unwrap_or(url);
    let inner = inner.strip_prefix("./").unwrap_or(inner);
    let is_plain = !inner.contains(['?', '#', '%', ':', '\\']);
    let path = Path::new(inner);
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    (is_plain && is_inside && !inner.is_empty()).then(|| path.to_owned())
}

fn refused_files(path: &Path, faults: &[String]) -> Error {
    const SHOWN: usize = 20;
    let shown = path.display();
    let message = match faults {
        [only] => format!("`{shown}` cannot be published: {only}"),
        _ => format!("`{shown}` cannot be published, for {} reasons", faults.len()),
    };
    let mut help: Vec<String> = Vec::new();
    if faults.len() > 1 {
        help.extend(faults.iter().take(SHOWN).cloned());
        if faults.len() > SHOWN {
            help.push(format!("and {} more", faults.len() - SHOWN));
        }
    }
    help.push("`skills pack DIRS --index DIR` writes an index with its artifacts".to_owned());
    Error::new(ErrorKind::Validation, message).at(path).help(help.join("\n"))
}

// Reads the index of a site: version 0.2.0, and 0.1, which lists files and has no digests.
//
// <https://github.com/cloudflare/agent-skills-discovery-rfc>

/// The name of version 0.2.0, which is compared as a string.
pub const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// The largest index.
pub const INDEX_BYTES: u64 = 8 * 1024 * 1024;

/// The most entries.
const ENTRIES: usize = 10_000;

/// The most files of one skill in version 0.1.
const FILES: usize = 1_000;

/// What a site publishes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteIndex {
    /// Skills that can be fetched, each name once.
    pub entries: Vec<SiteEntry>,
    /// Entries that cannot.
    pub passed: Vec<PassedEntry>,
}

/// A skill in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteEntry {
    pub name: String,
    /// What is fetched for it.
    pub content: EntryContent,
}

/// What is fetched for a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryContent {
    SkillMd {
        /// Where it is, relative to the index.
        url: String,
        /// The digest of its bytes.
        digest: Digest,
    },
    Archive {
        /// Where it is, relative to the index.
        url: String,
        /// The digest of its bytes.
        digest: Digest,
    },
    /// Files in a directory with the skill's name beside the index.
    Files(Vec<String>),
}

impl EntryContent {
    /// The digest that the index promises.
    pub const fn digest(&self) -> Option<Digest> {
        match self {
            Self::SkillMd { digest, .. } | Self::Archive { digest, .. } => Some(*digest),
            Self::Files(_) => None,
        }
    }
}

/// An entry that is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedEntry {
    /// Its name, or its place in the list.
    pub name: String,
    /// Why.
    pub reason: String,
    /// Whether it may be for newer programs, and so is no fault of the index.
    pub is_unknown: bool,
}

impl SiteIndex {
    /// Reads an index.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let index: Value =
            serde_json::from_slice(bytes).map_err(|error| format!("it is not JSON: {error}"))?;
        let is_old = match index.get("$schema") {
            None => true,
            Some(Value::String(schema)) if schema == SCHEMA => false,
            Some(Value::String(schema)) => {
                let shown: String = schema.escape_default().take(200).collect();
                return Err(format!("its version is unknown: `{shown}`"));
            }
            Some(_) => return Err("its `$schema` is not a string".to_owned()),
        };
        let skills = index.get("skills").and_then(Value::as_array);
        let skills = skills.ok_or("it has no list `skills`")?;
        if skills.len() > ENTRIES {
            return Err(format!("it has more than {ENTRIES} entries"));
        }
        let mut read = Self::default();
        for (number, skill) in skills.iter().enumerate() {
            match entry(skill, is_old) {
                Ok(entry) => read.entries.push(entry),
                Err((reason, is_unknown)) => {
                    let name = shown_name(skill, number);
                    read.passed.push(PassedEntry { name, reason, is_unknown });
                }
            }
        }
        read.pass_over_twins();
        Ok(read)
    }

    /// Two skills of one name cannot both be meant; an entry that is there twice can.
    fn pass_over_twins(&mut self) {
        let mut first: BTreeMap<String, EntryContent> = BTreeMap::new();
        let mut twins: Vec<String> = Vec::new();
        self.entries.retain(|entry| match first.get(&entry.name) {
            None => {
                first.insert(entry.name.clone(), entry.content.clone());
                true
            }
            Some(content) => {
                if *content != entry.content && !twins.contains(&entry.name) {
                    twins.push(entry.name.clone());
                }
                false
            }
        });
        self.entries.retain(|entry| !twins.contains(&entry.name));
        let passed = |name| PassedEntry {
            name,
            reason: "two entries have this name".to_owned(),
            is_unknown: false,
        };
        self.passed.extend(twins.into_iter().map(passed));
    }
}

type EntryRefusal = (String, bool);

fn entry(skill: &Value, is_old: bool) -> Result<SiteEntry, EntryRefusal> {
    let fault = |reason: &str| (reason.to_owned(), false);
    let skill = skill.as_object().ok_or_else(|| fault("it is not an object"))?;
    let name = text(skill, "name").ok_or_else(|| fault("it has no name"))?;
    SkillName::new(name).map_err(|error| fault(&format!("invalid name: {error}")))?;
    let content = if is_old {
        EntryContent::Files(files(skill).map_err(|one| fault(&one))?)
    } else {
        artifact(skill)?
    };
    Ok(SiteEntry { name: name.to_owned(), content })
}

fn artifact(skill: &Map<String, Value>) -> Result<EntryContent, EntryRefusal> {
    let fault = |reason: &str| (reason.to_owned(), false);
    let kind = text(skill, "type").ok_or_else(|| fault("it has no `type`"))?;
    if !matches!(kind, "skill-md" | "archive") {
        let shown: String = kind.escape_default().take(60).collect();
        return Err((format!("its type `{shown}` is unknown"), true));
    }
    let url = text(skill, "url").filter(|url| !url.is_empty());
    let url = url.ok_or_else(|| fault("it has no `url`"))?.to_owned();
    let digest = text(skill, "digest").ok_or_else(|| fault("it has no `digest`"))?;
    let digest = Digest::parse(digest).map_err(|error| fault(&error.to_string()))?;
    Ok(match kind {
        "archive" => EntryContent::Archive { url, digest },
        _ => EntryContent::SkillMd { url, digest },
    })
}

/// The files of version 0.1: plain relative paths, each once, with a `SKILL.md`.
fn files(skill: &Map<String, Value>) -> Result<Vec<String>, String> {
    let files = skill.get("files").and_then(Value::as_array);
    let files = files.ok_or("it has neither a `type` nor `files`")?;
    if files.len() > FILES {
        return Err(format!("it has more than {FILES} files"));
    }
    let mut paths = Vec::new();
    for file in files {
        let path = file.as_str().filter(|path| is_plain(path));
        let path = path.ok_or("it lists a path that is not below the skill")?;
        if !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    if !paths.iter().any(|path| path == "SKILL.md") {
        return Err("it lists no `SKILL.md`".to_owned());
    }
    Ok(paths)
}

fn is_plain(path: &str) -> bool {
    let is_fine = |one: char| !one.is_control() && one != '\\' && one != ':';
    let is_part = |part: &str| !matches!(part, "" | "." | "..");
    path.len() <= 1024 && path.chars().all(is_fine) && path.split('/').all(is_part)
}

fn text<'a>(skill: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    skill.get(key)?.as_str()
}

fn shown_name(skill: &Value, number: usize) -> String {
    match skill.get("name").and_then(Value::as_str) {
        Some(name) => name.escape_default().take(64).collect(),
        None => format!("entry {}", number + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_beside_the_index_mean_files() {
        for (url, path) in [
            ("pdf.zip", Some("pdf.zip")),
            ("./a/pdf.zip", Some("a/pdf.zip")),
            ("/.well-known/agent-skills/pdf.zip", Some("pdf.zip")),
            ("/pdf.zip", None),
            ("../pdf.zip", None),
            ("https://h/pdf.zip", None),
            ("pdf.zip?x", None),
            ("a%2fb", None),
            ("", None),
        ] {
            assert_eq!(inner_path(url).as_deref(), path.map(Path::new), "{url}");
        }
    }
}

#[cfg(test)]
mod index_tests {
    use super::*;
    use serde_json::json;

    fn parse(index: &Value) -> Result<SiteIndex, String> {
        SiteIndex::parse(&serde_json::to_vec(index).unwrap())
    }

    fn digest(digit: &str) -> String {
        format!("sha256:{}", digit.repeat(64))
    }

    fn names(index: &SiteIndex) -> Vec<&str> {
        index.entries.iter().map(|entry| entry.name.as_str()).collect()
    }

    #[test]
    fn both_versions_are_read() {
        let new = parse(&json!({"$schema": SCHEMA, "extra": 1, "skills": [
            {"name": "pdf", "type": "archive", "description": "x", "url": "pdf.zip", "digest": digest("1"), "more": []},
            {"name": "csv", "type": "skill-md", "url": "/csv/SKILL.md", "digest": digest("2")},
        ]}))
        .unwrap();
        assert_eq!(names(&new), ["pdf", "csv"]);
        assert_eq!(new.entries[0].content.digest().unwrap().to_string(), digest("1"));
        assert!(new.passed.is_empty());
        let old = parse(&json!({"skills": [
            {"name": "pdf", "description": "x", "files": ["SKILL.md", "a/b.txt", "a/b.txt"]},
        ]}))
        .unwrap();
        let files = ["SKILL.md", "a/b.txt"].map(str::to_owned).to_vec();
        assert_eq!(old.entries[0].content, EntryContent::Files(files));
    }

    #[test]
    fn what_is_no_index_is_refused_with_the_reason() {
        for (index, reason) in [
            (json!([]), "no list"),
            (json!({"skills": {}}), "no list"),
            (json!({"$schema": SCHEMA}), "no list"),
            (json!({"$schema": 1, "skills": []}), "not a string"),
            (
                json!({"$schema": "https://schemas.agentskills.io/discovery/0.3.0/schema.json", "skills": []}),
                "version is unknown",
            ),
            (json!({"skills": vec![json!({}); 10_001]}), "more than 10000"),
        ] {
            let error = parse(&index).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        assert!(SiteIndex::parse(b"<html>").unwrap_err().contains("not JSON"));
        assert!(SiteIndex::parse("[".repeat(100_000).as_bytes()).is_err());
    }

    #[test]
    fn entries_that_cannot_be_fetched_are_passed_over() {
        let good = json!({"name": "pdf", "type": "archive", "url": "a.zip", "digest": digest("1")});
        let with = |key: &str, value: Value| {
            let mut entry = good.clone();
            entry[key] = value;
            entry
        };
        for (entry, reason, is_unknown) in [
            (json!("x"), "not an object", false),
            (json!({}), "no name", false),
            (with("name", json!("../x")), "invalid name", false),
            (with("name", json!("A")), "invalid name", false),
            (with("type", json!("wasm")), "unknown", true),
            (with("type", Value::Null), "no `type`", false),
            (with("url", json!("")), "no `url`", false),
            (with("digest", Value::Null), "no `digest`", false),
            (with("digest", json!("sha256:1")), "invalid digest", false),
        ] {
            let index = parse(&json!({"$schema": SCHEMA, "skills": [entry, good]})).unwrap();
            assert_eq!(names(&index), ["pdf"], "{reason}");
            assert!(index.passed[0].reason.contains(reason), "{}", index.passed[0].reason);
            assert_eq!(index.passed[0].is_unknown, is_unknown);
        }
        for files in [
            json!(null),
            json!([]),
            json!(["a"]),
            json!(["SKILL.md", "../x"]),
            json!(["SKILL.md", "/x"]),
            json!(["SKILL.md", "a\\b"]),
            json!(["SKILL.md", "a//b"]),
            json!(["SKILL.md", "c:x"]),
            json!(["SKILL.md", 1]),
        ] {
            let index = parse(&json!({"skills": [{"name": "pdf", "files": files}]})).unwrap();
            assert!(index.entries.is_empty(), "{files}");
        }
    }

    #[test]
    fn two_skills_of_one_name_are_both_passed_over() {
        let entry = |url: &str| json!({"name": "pdf", "type": "archive", "url": url, "digest": digest("1")});
        let twice = parse(&json!({"$schema": SCHEMA, "skills": [entry("a"), entry("a")]})).unwrap();
        assert_eq!(names(&twice), ["pdf"]);
        let two =
            parse(&json!({"$schema": SCHEMA, "skills": [entry("a"), entry("b"), entry("c")]}))
                .unwrap();
        assert!(two.entries.is_empty());
        assert_eq!(two.passed.len(), 1);
    }
}
