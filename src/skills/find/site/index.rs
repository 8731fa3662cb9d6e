//! Reads the index of a site: version 0.2.0, and 0.1, which lists files and has no digests.
//!
//! <https://github.com/cloudflare/agent-skills-discovery-rfc>

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::skills::files::digest::Digest;
use crate::skills::model::name::SkillName;

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
