//! Compares a new version of a skill with the installed one: files, findings of the safety rules,
//! contents.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::Path;

use crate::skills::files::digest::portable;
use crate::skills::files::platform::{self, Directory};
use crate::skills::files::tree::Differences;
use crate::skills::find::git::History;
use crate::skills::find::record::InstallRecord;
use crate::skills::judge::deep::FileJudge;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::Finding;
use crate::skills::model::error::Result;
use crate::skills::model::source::Skill;
use crate::skills::put::compare::{FileChange, FileVersion};
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::copy::Modes;
use crate::skills::put::install::source_files::{self, Allowance};
use crate::skills::put::update::UpdateState;
use crate::skills::put::update::places::Place;
use crate::skills::put::update::survey::{Answer, Survey};
use crate::skills::text::document::SKILL_MD;
use crate::skills::text::limits::SKILL_BYTES;

/// A new version of an installed skill.
#[derive(Debug)]
pub struct News {
    /// Its index among the candidates.
    pub candidate: usize,
    /// The files that are new, changed or gone.
    pub files: Differences,
    /// The commits in between, if known.
    pub history: Option<History>,
    /// Findings of the safety rules that the installed version does not have.
    pub findings: Vec<Finding>,
    /// The contents of the files, when they were asked for.
    pub versions: Vec<FileChange>,
}

/// Compares a candidate with the record of the installed skill.
#[must_use]
pub fn compare(record: &InstallRecord, candidate: &Candidate, number: usize) -> Answer {
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
        findings: Vec::new(),
        versions: Vec::new(),
    }))
}

const fn allowance() -> Allowance {
    Allowance::new(SKILL_BYTES, u64::MAX)
}

/// Reads the files that differ: for findings of the safety rules that the installed ones do not
/// have, and for their contents.
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
    let here = Skill::in_directory(installed, Some(SKILL_MD.into()));
    let options = JudgeOptions::default();
    let mut before_judge = FileJudge::new(&here, false, &options);
    let mut after_judge = FileJudge::new(&here, false, &options);
    let mut shown = Vec::new();
    let Differences { changed, added, removed } = &news.files;
    for path in changed.iter().chain(added).chain(removed) {
        let (before, after) = (read(path), after.get(path));
        if let Some(before) = &before {
            before_judge.file(Path::new(path), &before.bytes);
        }
        if let Some(after) = after {
            after_judge.file(Path::new(path), &after.bytes);
        }
        if versions {
            shown.push(FileChange { path: path.clone(), before, after: after.cloned() });
        }
    }
    let key = |finding: &Finding| (finding.rule.id, finding.path.clone());
    let known: BTreeSet<_> = before_judge.finish().iter().map(key).collect();
    news.findings = after_judge.finish();
    news.findings.retain(|finding| !known.contains(&key(finding)));
    shown.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    news.versions = shown;
    Ok(())
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
    Ok(FileVersion { executable: platform::is_executable(&metadata), bytes })
}
