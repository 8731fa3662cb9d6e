//! Finds, reads and judges the skills to copy, the same way for every verb.

use std::path::{Path, PathBuf};

use crate::skills::find::scan::{Scan, ScanOptions};
use crate::skills::find::selection::{self, Selection};
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::{CheckedSkill, Severity};
use crate::skills::judge::validate::{Validation, conclude};
use crate::skills::judge::verdict::Judged;
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::reporter::Reporter;
use crate::skills::model::request::Request;
use crate::skills::model::source::Skill;
use crate::skills::put::install::candidate::{self, Candidate, CandidateOptions};
use crate::skills::put::install::caution::{self, Cautions};
use crate::skills::put::install::choice::{Choice, CopyPolicy, Skipped};
use crate::skills::put::install::source_files::Allowance;

/// Skills that were read and judged.
#[derive(Debug)]
pub struct Gathered {
    /// The rest of the scan.
    pub scan: Scan,
    /// Which skills are copied, and which are not.
    pub choice: Choice,
    /// Skills that stay in the prompt: inline skills with tools or children, or all.
    pub in_prompt: Vec<Skill>,
    /// Files and directories of skills that could not be read.
    pub unseen: Vec<Error>,
    /// Every error that `validate` would report, if each of them refuses the run.
    pub errors: Option<Validation>,
    policy: CopyPolicy,
    requests: Vec<Request>,
}

/// Why nothing is copied.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The whole as one error.
    pub error: Error,
    /// The skills that cannot be used; empty for other reasons.
    pub skipped: Vec<Skipped>,
}

/// Reads and judges the skills of a selection. Leaves out skills in the `existing` skills
/// directories, unless their source is there too.
pub fn gather(
    selection: &Selection,
    existing: &[PathBuf],
    options: &CandidateOptions,
    policy: CopyPolicy,
    reporter: &dyn Reporter,
) -> Result<Gathered> {
    let read = |opened: &OpenedSkill<'_>| {
        let reading = candidate::read(opened, options);
        reporter.step();
        reading
    };
    // Otherwise a copy could be chosen over the skill that it is a copy of.
    let scan = ScanOptions { installed: existing.to_vec(), ..selection.scan.clone() };
    let selection = &Selection { scan, ..selection.clone() };
    let judged = selection::judge_some(selection, &read);
    reporter.finish();
    let (mut skills, scan) = judged?;
    // A skills directory knows no plugins.
    if !policy.by_plugin {
        selection::flatten(&mut skills);
    }
    skills.sort_by(|one, other| one.skill.path.cmp(&other.skill.path));
    let roots = if existing.is_empty() { Vec::new() } else { selection.roots() };
    skills.retain(|judged| {
        let root = roots.get(judged.skill.source).and_then(Option::as_deref);
        !is_installed_already(&judged.skill, root, existing)
    });
    let mut in_prompt = Vec::new();
    skills.retain(|judged| {
        let inline = judged.skill.inline();
        let stays = policy.prompt_only || inline.is_some_and(|inline| inline.stays_in_prompt());
        in_prompt.extend(stays.then(|| judged.skill.clone()));
        !stays
    });
    let errors = policy.strict.then(|| {
        let checked: Vec<CheckedSkill> =
            skills.iter().map(|judged| judged.made.checked.clone()).collect();
        let mut validation = conclude(checked, &options.judge);
        validation.findings.retain(|finding| finding.severity == Severity::Error);
        validation
    });
    // An unreadable file says nothing about its skill, so the skill is never skipped.
    let unseen = skills.iter().map(|judged| &judged.made.checked).flat_map(|checked| {
        let unread = checked.unreadable.as_deref();
        let unread = unread.map(|reason| checked.skill.unreadable(None, reason));
        checked.unseen.iter().cloned().chain(unread)
    });
    let unseen = unseen.collect();
    let choice = Choice::of(skills, policy);
    let requests = selection.requests.clone();
    Ok(Gathered { scan, choice, in_prompt, unseen, errors, policy, requests })
}

/// Whether a skill was found only because a source contains the destination: inside another skill.
fn is_installed_already(skill: &Skill, root: Option<&Path>, existing: &[PathBuf]) -> bool {
    existing.iter().any(|directory| {
        skill.path != *directory
            && skill.path.starts_with(directory)
            && !root.is_some_and(|root| root.starts_with(directory))
    })
}

impl Gathered {
    /// The reason to refuse the run, if there is one. `done` is the participle of the verb.
    pub fn refusal(&self, done: &str) -> Option<Refusal> {
        let alone = |error| Some(Refusal { error, skipped: Vec::new() });
        let refused = self.choice.refused(self.policy);
        let twice: Vec<Skipped> =
            refused.iter().filter(|one| self.is_twice(one)).map(|one| (*one).clone()).collect();
        if let Some(first) = twice.first() {
            let error = err!(Duplicate, "Duplicate skill name: {}", first.name).at(&first.path);
            let error = error.about(&first.name, Some(first.stored.as_str()));
            let help = twice.iter().find_map(|one| one.why.help.clone());
            return Some(Refusal { error: Error { help, ..error }, skipped: twice });
        }
        if !self.unseen.is_empty() || !self.scan.unreadable.is_empty() {
            let error = err!(Io, "not everything could be read, so nothing was {done}");
            return alone(match (self.unseen.as_slice(), self.scan.unreadable.as_slice()) {
                ([only], []) => {
                    Error { path: only.path.clone(), skill: only.skill.clone(), ..error }
                }
                _ => error,
            });
        }
        if let Some(errors) = self.errors.as_ref().filter(|errors| !errors.findings.is_empty()) {
            let (broken, total) = (errors.skills_with(|_| true), errors.skills.len());
            let number = broken.len();
            let message =
                format!("{number} of {} cannot be {done}, so nothing was {done}", counted(total));
            let error = Error::new(errors.failure(), message);
            let is_broken = |one: &&CheckedSkill| broken.contains(one.skill.path.as_path());
            let first = errors.skills.iter().find(is_broken).filter(|_| number == 1);
            return alone(match first {
                Some(one) => one.skill.in_error(error),
                None => error,
            });
        }
        let skipped: Vec<Skipped> = refused.into_iter().cloned().collect();
        let error = match skipped.as_slice() {
            [] => return None,
            [only] => only.why.refusal(&only.name, &only.path, only.stored, done),
            several => {
                let number = counted(several.len());
                let message = format!("{number} cannot be {done}, so nothing was {done}");
                let help = several.iter().find_map(|one| one.why.help.clone());
                Error { help, ..Error::new(common_kind(several), message) }
            }
        };
        Some(Refusal { error, skipped })
    }

    /// Whether different skills have this name, of which those that the user named may be broken.
    fn is_twice(&self, one: &Skipped) -> bool {
        let taken = self.choice.taken.iter().map(|judged| &judged.skill);
        let taken = taken.filter(|skill| skill.is_named).map(|skill| (&skill.name, &skill.path));
        let is_broken = |one: &&Skipped| one.is_named && one.why.rule.is_some();
        let broken = self.choice.skipped.iter().filter(is_broken);
        let mut named = taken.chain(broken.map(|other| (&other.name, &other.path)));
        one.why.is_duplicate()
            || is_broken(&one) && named.any(|(name, path)| *name == one.name && *path != one.path)
    }

    /// Reads and judges every file of the skills that are copied. What is found there may leave
    /// skills out, and so refuse the run.
    pub fn cautions(
        &mut self,
        judge: &JudgeOptions,
        allowance: &Allowance,
        threads: usize,
    ) -> Result<Cautions> {
        let found = caution::look(&self.choice.taken, judge, allowance, threads)?;
        let found = self.choice.leave_out_unsafe(found);
        Ok(Cautions::of(&self.choice.taken, found))
    }

    /// The skills that are here because a section was opened, or that these keys open in the
    /// prompt, in the order of the manifest: the name and the key of each.
    pub fn expanded(&self, keys: &[String]) -> Vec<(String, String)> {
        let is_from_section = |skill: &&Skill| {
            self.requests.get(skill.source).is_some_and(|request| request.is_opened)
        };
        let is_named = |skill: &&Skill| keys.iter().any(|key| key == skill.prompt_key());
        let copied = self.choice.taken.iter().map(|judged| &judged.skill).filter(is_from_section);
        let in_prompt = self.in_prompt.iter();
        let in_prompt = in_prompt.filter(|skill| is_from_section(skill) || is_named(skill));
        let mut expanded: Vec<&Skill> = copied.chain(in_prompt).collect();
        expanded.sort_by_key(|skill| skill.source);
        expanded.iter().map(|one| (one.name.clone(), one.prompt_key().to_owned())).collect()
    }

    /// The skills to copy, and the skipped ones.
    pub fn into_candidates(self) -> Result<(Vec<Candidate>, Vec<Skipped>)> {
        let taken = self.choice.taken.into_iter().map(|judged| {
            let Judged { skill, made, .. } = judged;
            made.candidate.map_err(|error| skill.in_error(error))
        });
        let mut candidates: Vec<Candidate> = taken.collect::<Result<_>>()?;
        candidate::attribute(&mut candidates, &self.scan.again, &self.requests);
        Ok((candidates, self.choice.skipped))
    }
}

fn counted(number: usize) -> String {
    if number == 1 { "1 skill".to_owned() } else { format!("{number} skills") }
}

/// The kind that all skipped skills share.
fn common_kind(skipped: &[Skipped]) -> ErrorKind {
    let mut kinds = skipped.iter().map(|one| one.why.kind());
    let first = kinds.next().unwrap_or(ErrorKind::Validation);
    if kinds.all(|kind| kind == first) { first } else { ErrorKind::Validation }
}
