//! Findings that are known already: a file lists them, so that only new ones count.
//!
//! A finding is recognised by its rule, its file and its message without numbers, so that it stays
//! known when lines move. Files are named relative to the directory of the baseline.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::skills::files::digest::FileHash;
use crate::skills::files::{self, content};
use crate::skills::judge::rule::Finding;
use crate::skills::model::error::{Error, Result, err};

const VERSION: u32 = 1;

/// Maximum size of a baseline.
const BYTES: u64 = 16 * 1024 * 1024;

/// The known findings of a file.
#[derive(Debug, Clone)]
pub struct Baseline {
    /// The directory of the file.
    directory: PathBuf,
    /// How many there are of each.
    known: BTreeMap<Fingerprint, usize>,
}

/// Counts of known findings, and of entries that no longer match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison {
    /// Findings that were known.
    pub known: usize,
    /// Findings of the baseline that are gone.
    pub gone: usize,
}

/// The parts of a finding that stay the same when lines move.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Fingerprint {
    path: String,
    rule: String,
    message: String,
}

/// A baseline as it is written.
#[derive(Debug, Serialize, Deserialize)]
pub struct BaselineFile {
    version: u32,
    findings: Vec<BaselineRow>,
}

#[derive(Debug, Serialize, Deserialize)]
struct BaselineRow {
    rule: String,
    path: String,
    message: String,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    count: usize,
}

impl Baseline {
    /// Reads a baseline.
    pub fn read(path: &Path) -> Result<Self> {
        let help = format!("`skills validate --write-baseline {}` creates one", path.display());
        let bytes = path
            .canonicalize()
            .and_then(|real| files::open_without_following(&real))
            .and_then(|file| content::whole(file, BYTES))
            .map_err(|error| Error::io("read", path, &error).help(&help))?;
        let broken = |reason: String| {
            err!(Usage, "`{}` is not a baseline: {reason}", path.display()).at(path).help(&help)
        };
        let file: BaselineFile =
            serde_json::from_slice(&bytes).map_err(|error| broken(error.to_string()))?;
        if file.version != VERSION {
            return Err(broken(format!("its version is {}, not {VERSION}", file.version)));
        }
        let mut known = BTreeMap::new();
        for row in file.findings {
            let message = without_numbers(&row.message);
            let key = Fingerprint { path: row.path, rule: row.rule, message };
            let count: &mut usize = known.entry(key).or_default();
            *count = count.saturating_add(row.count);
        }
        Ok(Self { directory: directory_of(path), known })
    }

    /// Removes the findings that are known. `is_seen` says which files were judged at all.
    pub fn remove_known(
        &self,
        findings: &mut Vec<Finding>,
        is_seen: impl Fn(&Path) -> bool,
    ) -> Comparison {
        let mut left = self.known.clone();
        let before = findings.len();
        findings.retain(|finding| match left.get_mut(&Fingerprint::of(finding, &self.directory)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        left.retain(|key, count| *count > 0 && is_seen(&self.directory.join(&key.path)));
        let gone = left.values().copied();
        let gone = gone.fold(0, usize::saturating_add);
        Comparison { known: before - findings.len(), gone }
    }
}

/// A baseline at `path` that knows these findings.
pub fn of_findings(findings: &[Finding], path: &Path) -> BaselineFile {
    let directory = directory_of(path);
    let mut rows: BTreeMap<Fingerprint, BaselineRow> = BTreeMap::new();
    for finding in findings {
        let key = Fingerprint::of(finding, &directory);
        let row = BaselineRow {
            rule: finding.rule.id.to_owned(),
            path: key.path.clone(),
            message: finding.message.clone(),
            count: 0,
        };
        rows.entry(key).or_insert(row).count += 1;
    }
    BaselineFile { version: VERSION, findings: rows.into_values().collect() }
}

/// Ids for findings, in their order, that stay the same when lines move. No two are the same.
pub fn ids(findings: &[&Finding], directory: &Path) -> Vec<String> {
    let mut seen: BTreeMap<Fingerprint, usize> = BTreeMap::new();
    let id = |finding: &&Finding| {
        let key = Fingerprint::of(finding, directory);
        let number = seen.entry(key.clone()).or_default();
        *number += 1;
        let text = format!("{}\0{}\0{}\0{number}", key.rule, key.path, key.message);
        FileHash::of(Sha256::new_with_prefix(text)).to_string()
    };
    findings.iter().map(id).collect()
}

impl Fingerprint {
    fn of(finding: &Finding, directory: &Path) -> Self {
        Self {
            path: relative(&finding.path, directory),
            rule: finding.rule.id.to_owned(),
            message: without_numbers(&finding.message),
        }
    }
}

/// The path of a file below a directory, with slashes on every system; other paths as they are.
fn relative(path: &Path, directory: &Path) -> String {
    let Ok(inner) = path.strip_prefix(directory) else {
        return path.to_string_lossy().into_owned();
    };
    let parts = inner.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// The directory of a file, without links, as the paths of findings are.
fn directory_of(path: &Path) -> PathBuf {
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    let above = above.unwrap_or(Path::new("."));
    above.canonicalize().unwrap_or_else(|_| above.to_owned())
}

/// Lines, columns and sizes change with every edit.
fn without_numbers(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    for character in message.chars() {
        match character {
            '0'..='9' if text.ends_with('#') => {}
            '0'..='9' => text.push('#'),
            other => text.push(other),
        }
    }
    text
}

const fn one() -> usize {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_one(count: &usize) -> bool {
    *count == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_count() {
        assert_eq!(without_numbers("512 lines, more than 500"), "# lines, more than #");
        assert_eq!(without_numbers("`v2` at 3:14"), "`v#` at #:#");
        assert_eq!(without_numbers("none"), "none");
    }

    #[test]
    fn paths_have_slashes_and_others_stay() {
        assert_eq!(relative(Path::new("/a/b/c.md"), Path::new("/a")), "b/c.md");
        assert_eq!(relative(Path::new("/x/c.md"), Path::new("/a")), "/x/c.md");
        assert_eq!(relative(Path::new("-"), Path::new("/a")), "-");
    }
}
