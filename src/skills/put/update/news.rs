//! Compares a new version of a skill with the installed one: files, findings of the safety rules,
//! contents.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, Read};
use std::path::Path;

use crate::skills::fetch::git::History;
use crate::skills::files::digest::{Differences, FileHash, portable};
use crate::skills::files::{self, Directory};
use crate::skills::find::record::InstallRecord;
use crate::skills::find::scan;
use crate::skills::judge::deep::FileJudge;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::{Finding, Severity};
use crate::skills::judge::{opened, validate, verdict};
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::put::compare::{FileChange, FileVersion};
use crate::skills::put::install::VersionChange;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::copy::Modes;
use crate::skills::put::install::source_files::{self, Allowance};
use crate::skills::put::update::UpdateState;
use crate::skills::put::update::places::Place;
use crate::skills::put::update::survey::{Answer, Survey};
use crate::skills::text::document::{SKILL_BYTES, SKILL_MD};
use crate::skills::text::field_values;

/// A new version of an installed skill.
#[derive(Debug)]
pub struct News {
    /// Its index among the candidates.
    pub candidate: usize,
    /// The files that are new, changed or gone.
    pub files: Differences,
    /// The commits in between, if known.
    pub history: Option<History>,
    /// What a person must know of the new version, and did not have to of the installed one.
    pub findings: Vec<Finding>,
    /// The contents of the files, when they were asked for.
    pub versions: Vec<FileChange>,
    /// The versions in the front matter.
    pub version: VersionChange,
}

impl News {
    /// Whether it has an error, or something that makes it unusable for an agent, that the installed
    /// version does not have: the user agreed to that one.
    pub fn is_held_back(&self) -> bool {
        self.findings.iter().any(|one| one.severity == Severity::Error || !one.agents.is_empty())
    }
}

/// Compares a candidate, with the findings about its `SKILL.md`, with the record of the installed
/// skill.
pub fn compare(
    record: &InstallRecord,
    candidate: &Candidate,
    number: usize,
    findings: &[Finding],
) -> Answer {
    let tree = match candidate.tree(&allowance()) {
        Ok(tree) => Modes::current(record.read_only).copy_of(tree.clone()),
        Err(error) => return Answer::None(UpdateState::Refused, error),
    };
    if tree.digest() == Some(record.digest) {
        return Answer::Same;
    }
    Answer::New(Box::new(News {
        candidate: number,
        files: record.tree().differences(&tree),
        history: None,
        findings: findings.to_vec(),
        versions: Vec::new(),
        version: VersionChange::default(),
    }))
}

const fn allowance() -> Allowance {
    Allowance::new(SKILL_BYTES, u64::MAX)
}

/// Reads the files of new versions: for what a person must know of them, and for the contents of those
/// that differ.
pub fn look_closer(places: &[Place], versions: bool, survey: &mut Survey) {
    for skill in &mut survey.skills {
        let Answer::New(news) = &mut skill.answer else { continue };
        let candidate = &survey.candidates[news.candidate];
        match closer(&skill.path, candidate, news, versions) {
            Ok(()) => {}
            Err(error) => {
                tracing::debug!(place = ?places[skill.place], message = error.message, "not read");
                skill.answer = Answer::None(UpdateState::Refused, error);
            }
        }
    }
}

fn closer(installed: &Path, candidate: &Candidate, news: &mut News, versions: bool) -> Result<()> {
    let after: BTreeMap<String, FileVersion> = source_files::contents(candidate, &allowance())?
        .into_iter()
        .map(|(path, executable, bytes)| (portable(&path), FileVersion { executable, bytes }))
        .collect();
    let directory = Directory::open(installed).ok();
    let read = |path: &str| directory.as_ref().and_then(|open| read(open, Path::new(path)).ok());
    let (here, directory_here) = scan::open_skill(installed);
    let options = JudgeOptions { errors_only: true, safety: true, ..JudgeOptions::default() };
    // Each file by itself: many findings in one must not hide another.
    let judge = |path: &str, version: &FileVersion| {
        let mut judge = FileJudge::new(&here, true, &options);
        if judge.wants(Path::new(path)) {
            judge.file(Path::new(path), &version.bytes);
        }
        judge.finish()
    };
    let mut found: Vec<Finding> = std::mem::take(&mut news.findings);
    for finding in &mut found {
        let inner = finding.path.strip_prefix(&finding.skill_path).unwrap_or(Path::new(SKILL_MD));
        let is_file_skill = inner.as_os_str().is_empty();
        finding.path = installed.join(if is_file_skill { Path::new(SKILL_MD) } else { inner });
    }
    let mut known = opened::open(here.clone(), directory_here.as_ref(), |opened| {
        let from = opened.document.and_then(field_values::version);
        news.version = VersionChange { from, to: candidate.version() };
        validate::check_skill(opened, &options).0.findings().to_vec()
    });
    let Differences { changed, added, removed } = &news.files;
    let differing: BTreeSet<&String> = changed.iter().chain(added).chain(removed).collect();
    for (path, version) in &after {
        let findings = judge(path, version);
        if let Some(unusable) = verdict::in_files(&here, &findings) {
            let kind = unusable.rule.map_or(ErrorKind::Validation, |rule| rule.failure);
            return Err(Error::new(kind, unusable.to_string()).at(&candidate.skill.path));
        }
        if differing.contains(path) {
            found.extend(findings);
        }
    }
    for path in differing {
        let before = read(path);
        known.extend(before.iter().flat_map(|version| judge(path, version)));
        if versions {
            let after = after.get(path).cloned();
            news.versions.push(FileChange { path: path.clone(), before, after });
        }
    }
    news.findings = without_known(&found, &known, changed, installed);
    Ok(())
}

/// What a person must know and is not known: each time that a rule minds the same text in the same
/// file counts, and so does each file that it minds as a whole and that has changed.
fn without_known(
    found: &[Finding],
    known: &[Finding],
    changed: &[String],
    installed: &Path,
) -> Vec<Finding> {
    type Key<'a> = (&'static str, &'static str, &'a Path, Option<FileHash>, &'a str);
    fn key(one: &Finding) -> Key<'_> {
        (one.rule.id, one.severity.as_str(), &one.path, one.matched, &one.message)
    }
    let mut left: HashMap<Key<'_>, usize> = HashMap::new();
    let is_same = |one: &&Finding| {
        let inner = one.path.strip_prefix(installed).ok();
        let is_changed = inner.is_some_and(|path| changed.contains(&portable(path)));
        one.matched.is_some() || !is_changed
    };
    for finding in known.iter().filter(is_same) {
        *left.entry(key(finding)).or_default() += 1;
    }
    let mut new: Vec<Finding> = Vec::new();
    for finding in found.iter().filter(|one| one.is_told()) {
        match left.get_mut(&key(finding)) {
            Some(count) if *count > 0 => *count -= 1,
            _ => new.push(finding.clone()),
        }
    }
    new.sort_by_cached_key(|one| (Reverse(one.severity), one.rule.weight(), one.path.clone()));
    new
}

/// A file of an installed skill.
fn read(directory: &Directory, path: &Path) -> io::Result<FileVersion> {
    let file = directory.file_below(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    file.take(SKILL_BYTES).read_to_end(&mut bytes)?;
    Ok(FileVersion { executable: files::is_executable(&metadata), bytes })
}
