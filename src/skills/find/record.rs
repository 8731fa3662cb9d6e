//! `.skills-index.json`: the record of the skills installed in a directory, with source and digest.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use crate::skills::files::digest::{Differences, Digest, FileHash, Tree, TreeFile};
use crate::skills::files::{Directory, content};
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::name::SkillName;
use crate::skills::model::source::RecordedKind;
use crate::skills::text::document::SKILL_ENTRIES;

pub const FILE_NAME: &str = ".skills-index.json";

/// The format that is written.
const VERSION: u32 = 1;

/// Maximum size. Ten thousand skills of ten files need less, and parsing takes several times the
/// size in memory.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The skills installed in one directory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Index {
    /// By name.
    pub records: BTreeMap<SkillName, InstallRecord>,
}

/// One installed skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstallRecord {
    /// Its name, which is that of its directory.
    pub name: String,
    /// Where it came from.
    pub source: String,
    /// How it was stored there.
    pub kind: RecordedKind,
    /// The source as the user wrote it, with its branch, tag or range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested: Option<String>,
    /// The plugin of the source that it belongs to. Another plugin may have a skill of its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin: Option<String>,
    /// The commit it resolved to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The digest of the artifact it came in: an archive by its address, or the manifest of a
    /// skill in a registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<Digest>,
    /// The manifest that keeps it here: its source without a revision, or its real path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The digest of the installed skill.
    pub digest: Digest,
    /// The time of installation, in UTC.
    pub installed_at: String,
    /// The version of this program that installed it.
    pub tool: String,
    /// Whether it was installed read-only.
    #[serde(default)]
    pub read_only: bool,
    /// Whether it is a link to its source instead of a copy.
    #[serde(default)]
    pub linked: bool,
    /// Its files, sorted by path; none for a link.
    pub files: Vec<RecordedFile>,
}

/// One installed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedFile {
    /// Its path below the skill.
    pub path: String,
    /// Its mode, in octal.
    pub mode: String,
    pub bytes: u64,
    /// The SHA-256 of its bytes.
    pub sha256: FileHash,
}

impl InstallRecord {
    /// The version that was installed: a commit, or the digest of an artifact.
    pub fn version(&self) -> Option<String> {
        self.commit.clone().or_else(|| self.artifact.map(|digest| digest.to_string()))
    }

    /// The files that were installed, as a tree.
    pub fn tree(&self) -> Tree {
        let file = |file: &RecordedFile| TreeFile {
            path: file.path.clone(),
            executable: u32::from_str_radix(&file.mode, 8).is_ok_and(|mode| mode & 0o111 != 0),
            bytes: file.bytes,
            sha256: Some(file.sha256),
        };
        let mut tree = Tree { files: self.files.iter().map(file).collect(), foreign: Vec::new() };
        tree.sort();
        tree
    }

    /// The changes to a skill since its installation.
    pub fn edits(&self, there: &Tree) -> Differences {
        let mut differences = self.tree().differences(there);
        differences.added.extend(there.foreign.iter().cloned());
        differences.added.sort_unstable();
        differences
    }
}

/// The recorded form of a source. A path in the project of the record becomes relative to the
/// project's root and starts with `./`, so that it is the same in every clone. Others stay
/// unchanged.
pub fn in_project(source: &str, project: Option<&Path>) -> String {
    let path = Path::new(source);
    let Some(root) = project.filter(|_| path.is_absolute()) else { return source.to_owned() };
    let has_dots = path.components().any(|part| part == Component::ParentDir);
    let real = if has_dots { path.canonicalize().ok() } else { None };
    match real.as_deref().unwrap_or(path).strip_prefix(root) {
        Ok(inner) => {
            let parts: Vec<_> = inner.iter().map(|part| part.to_string_lossy()).collect();
            format!("./{}", parts.join("/"))
        }
        Err(_) => source.to_owned(),
    }
}

/// The mode of a file, before the umask.
pub const fn file_mode(executable: bool, read_only: bool) -> u32 {
    match (executable, read_only) {
        (false, false) => 0o644,
        (true, false) => 0o755,
        (false, true) => 0o444,
        (true, true) => 0o555,
    }
}

/// The files of a tree for a record; none if one of them was not read.
pub fn recorded(tree: &Tree, read_only: bool, umask: u32) -> Option<Vec<RecordedFile>> {
    let file = |file: &TreeFile| {
        Some(RecordedFile {
            path: file.path.clone(),
            mode: format!("{:04o}", file_mode(file.executable, read_only) & !umask),
            bytes: file.bytes,
            sha256: file.sha256?,
        })
    };
    tree.files.iter().map(file).collect()
}

#[derive(Deserialize)]
struct IndexDocument {
    #[serde(default)]
    skills: Vec<InstallRecord>,
}

impl Index {
    /// Reads the index of a skills directory; a missing index is empty.
    pub fn read(directory: &Directory, path: &Path) -> Result<Self> {
        let file = path.join(FILE_NAME);
        let bytes = match bytes(directory) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(Error::io("read", &file, &error)),
        };
        parse(&bytes).map_err(|fault| match fault {
            IndexFault::Version(version) => err!(
                Io,
                "`{}` has version {version}, which this program does not know",
                file.display()
            )
            .at(&file)
            .help("use a newer version of skills"),
            IndexFault::Damaged(reason) => err!(Io, "`{}` is damaged: {reason}", file.display())
                .at(&file)
                .help("restore it or move it away; skills without a record are not changed"),
        })
    }

    /// The text of the file: one line for each value and each file, so that it can be compared.
    pub fn to_json(&self) -> Result<String> {
        let text = self.text().map_err(|error| Error::new(ErrorKind::Io, error.to_string()))?;
        if text.len() as u64 > MAX_BYTES {
            return Err(err!(TooLarge, "the skills have too many files to be recorded"));
        }
        Ok(text)
    }

    fn text(&self) -> serde_json::Result<String> {
        let mut text = format!("{{\n  \"version\": {VERSION},\n  \"skills\": [");
        for (number, record) in self.records.values().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            let _ = write!(text, "{comma}\n    {{\n");
            for (key, value) in [
                ("name", Some(record.name.as_str())),
                ("source", Some(&record.source)),
                ("kind", Some(record.kind.as_str())),
                ("requested", record.requested.as_deref()),
                ("plugin", record.plugin.as_deref()),
                ("commit", record.commit.as_deref()),
                ("artifact", record.artifact.map(|one| one.to_string()).as_deref()),
                ("owner", record.owner.as_deref()),
                ("digest", Some(&record.digest.to_string())),
                ("installed_at", Some(&record.installed_at)),
                ("tool", Some(&record.tool)),
            ] {
                let Some(value) = value else { continue };
                let _ = writeln!(text, "      \"{key}\": {},", serde_json::to_string(value)?);
            }
            if record.read_only {
                text += "      \"read_only\": true,\n";
            }
            if record.linked {
                text += "      \"linked\": true,\n";
            }
            text += "      \"files\": [";
            for (number, file) in record.files.iter().enumerate() {
                let comma = if number == 0 { "" } else { "," };
                let _ = write!(text, "{comma}\n        {}", serde_json::to_string(file)?);
            }
            text += "\n      ]\n    }";
        }
        text += "\n  ]\n}\n";
        Ok(text)
    }
}

fn bytes(directory: &Directory) -> io::Result<Vec<u8>> {
    content::whole(directory.file(OsStr::new(FILE_NAME))?, MAX_BYTES)
}

/// Why an index is invalid.
#[derive(Debug)]
enum IndexFault {
    Version(u32),
    Damaged(String),
}

/// The field that every version has.
#[derive(Deserialize)]
struct IndexVersion {
    version: u32,
}

fn parse(bytes: &[u8]) -> Result<Index, IndexFault> {
    let damaged = |error: serde_json::Error| IndexFault::Damaged(error.to_string());
    let IndexVersion { version } = serde_json::from_slice(bytes).map_err(damaged)?;
    if version != VERSION {
        return Err(IndexFault::Version(version));
    }
    let document: IndexDocument = serde_json::from_slice(bytes).map_err(damaged)?;
    let mut records = BTreeMap::new();
    for record in document.skills {
        let name = SkillName::new(&record.name)
            .map_err(|error| IndexFault::Damaged(format!("`{}`: {error}", record.name)))?;
        if record.files.len() > SKILL_ENTRIES {
            return Err(IndexFault::Damaged(format!("`{name}`: more files than a skill may have")));
        }
        records.insert(name, record);
    }
    Ok(Index { records })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::files::digest;
    use crate::skills::model::source::SkillKind;

    fn record(name: &str) -> (SkillName, InstallRecord) {
        let file = |path: &str, mode: &str| RecordedFile {
            path: path.to_owned(),
            mode: mode.to_owned(),
            bytes: 7,
            sha256: digest::of_bytes(b""),
        };
        let record = InstallRecord {
            name: name.to_owned(),
            source: "/a \"b\"\u{1b}".to_owned(),
            kind: RecordedKind::Known(SkillKind::Directory),
            requested: (name == "csv").then(|| "gh:o/r@v1".to_owned()),
            plugin: (name == "csv").then(|| "office".to_owned()),
            commit: (name == "csv").then(|| "22".repeat(20)),
            artifact: (name == "csv")
                .then(|| Digest::parse(&format!("sha256:{}", "33".repeat(32))).unwrap()),
            owner: (name == "csv").then(|| "gh:team/skills".to_owned()),
            digest: Digest::parse(&format!("sha256:{}", "11".repeat(32))).unwrap(),
            installed_at: "2026-11-16T00:00:00.000Z".to_owned(),
            tool: "0.1.0".to_owned(),
            read_only: name == "csv",
            linked: name == "pdf",
            files: vec![file("SKILL.md", "0644"), file("scripts/run.sh", "0755")],
        };
        (SkillName::new(name).unwrap(), record)
    }

    #[test]
    fn what_is_written_reads_back() {
        for names in [&[][..], &["pdf"], &["csv", "pdf"]] {
            let index = Index { records: names.iter().map(|name| record(name)).collect() };
            let text = index.to_json().unwrap();
            assert_eq!(parse(text.as_bytes()).unwrap(), index, "{text}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn only_paths_in_the_project_are_recorded_relative_to_it() {
        let root = Path::new("/project");
        for (source, recorded) in [
            ("/project/skills/pdf", "./skills/pdf"),
            ("/project", "./"),
            ("/projects/pdf", "/projects/pdf"),
            ("/elsewhere/pdf", "/elsewhere/pdf"),
            ("gh:o/r@v1", "gh:o/r@v1"),
        ] {
            assert_eq!(in_project(source, Some(root)), recorded);
            assert_eq!(in_project(source, None), source);
        }
    }

    #[test]
    fn a_damaged_index_is_refused() {
        for text in [
            "",
            "{",
            "[]",
            r#"{"version":2,"skills":[]}"#,
            r#"{"version":1,"skills":[{"name":"../x","source":"","kind":"","digest":"","installed_at":"","tool":"","files":[]}]}"#,
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn only_the_execute_bit_of_a_mode_counts() {
        let (_, record) = record("pdf");
        let executable: Vec<bool> =
            record.tree().files.iter().map(|file| file.executable).collect();
        assert_eq!(executable, [false, true]);
    }
}
