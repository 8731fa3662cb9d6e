//! Changes each skills directory in its own transaction, so that one that cannot be written does
//! not block the others.

use std::path::{Path, PathBuf};

use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::name::SkillName;
use crate::skills::model::reporter::Reporter;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::plan::{Conflict, Reason};
use crate::skills::put::install::{
    self, DirectoryChange, Done, InstallNotice, InstallOptions, InstallSummary, OnConflict,
    SkillOutcome, VersionChange,
};
use crate::skills::put::update::places::Place;
use crate::skills::put::update::survey::{Answer, Survey, SurveyedSkill};
use crate::skills::put::update::{UpdateOutcome, UpdateState};

/// The result of an update, done or planned.
#[derive(Debug, Default)]
pub struct UpdateReport {
    /// The real paths of the skills directories.
    pub directories: Vec<PathBuf>,
    /// The outcome for each skill, directory by directory.
    pub outcomes: Vec<UpdateOutcome>,
    /// Notices for the user.
    pub notices: Vec<InstallNotice>,
    /// Directories that could not be read or written.
    pub failures: Vec<Error>,
    /// Warnings about details that could not be determined.
    pub warnings: Vec<String>,
}

/// Installs new versions; with `prune`, also removes skills that their source no longer has.
pub fn apply(
    survey: Survey,
    places: &[Place],
    prune: bool,
    options: &InstallOptions,
    reporter: &dyn Reporter,
) -> Result<UpdateReport> {
    let Survey { skills, candidates, failures, warnings } = survey;
    let mut report = UpdateReport { failures, warnings, ..UpdateReport::default() };
    let mut skills = skills.into_iter().peekable();
    for (number, place) in places.iter().enumerate() {
        let mut here = Vec::new();
        while let Some(skill) = skills.next_if(|skill| skill.place == number) {
            here.push(skill);
        }
        let change = change_of(place, &here, &candidates, prune, options.force);
        if change.install.is_empty() && change.remove.is_empty() {
            report.directories.push(real(place));
            report.outcomes.extend(here.into_iter().map(|skill| outcome(skill, None, options)));
            continue;
        }
        let done = change_place(place, change, options, reporter);
        if reporter.cancelled().is_some() {
            return Err(interrupted(done.err(), &report));
        }
        match done {
            Ok(summary) => {
                let outcome = |skill: SurveyedSkill| {
                    let result = PlacedOutcome::of(&skill.name, &summary);
                    outcome(skill, result, options)
                };
                report.outcomes.extend(here.into_iter().map(outcome));
                report.directories.extend(summary.directories);
                report.notices.extend(summary.notices);
            }
            Err(error) => {
                report.directories.push(real(place));
                let failed = |skill| outcome(skill, Some(PlacedOutcome::Failed(&error)), options);
                report.outcomes.extend(here.into_iter().map(failed));
                report.failures.push(error);
            }
        }
    }
    Ok(report)
}

/// The error for a signal, with the directories that were changed before it.
pub fn interrupted(error: Option<Error>, before: &UpdateReport) -> Error {
    let is_done = |one: &&UpdateOutcome| one.action != Done::Unchanged;
    let mut done: Vec<&Path> =
        before.outcomes.iter().filter(is_done).filter_map(|one| one.path.parent()).collect();
    done.dedup();
    let error = error.unwrap_or_else(Error::interrupted);
    if done.is_empty() {
        return error;
    }
    let shown: Vec<String> = done.iter().map(|path| format!("`{}`", path.display())).collect();
    let message = format!("interrupted; only {} changed", shown.join(" and "));
    Error { message, ..error }
}

pub fn real(place: &Place) -> PathBuf {
    place.directory.canonicalize().unwrap_or_else(|_| place.directory.clone())
}

/// Changes one directory, and leaves conflicting skills as they are.
pub fn change_place(
    place: &Place,
    change: DirectoryChange<'_>,
    options: &InstallOptions,
    reporter: &dyn Reporter,
) -> Result<InstallSummary> {
    let options = InstallOptions {
        keep_modes: true,
        on_conflict: OnConflict::Leave,
        within: place.within.clone(),
        project: place.project.clone(),
        ..options.clone()
    };
    install::change(&[change], &options, reporter)
}

fn change_of<'a>(
    place: &Place,
    skills: &[SurveyedSkill],
    candidates: &'a [Candidate],
    prune: bool,
    force: bool,
) -> DirectoryChange<'a> {
    let (mut install, mut remove) = (Vec::new(), Vec::new());
    for skill in skills {
        match &skill.answer {
            Answer::New(news) if news.is_held_back() && !force => {}
            Answer::New(news) => install.push(&candidates[news.candidate]),
            Answer::None(UpdateState::Gone, _) if prune => remove.push(skill.name.clone()),
            Answer::Same | Answer::None(..) => {}
        }
    }
    DirectoryChange { directory: place.directory.clone(), install, remove }
}

/// The result of the install engine for a skill.
pub enum PlacedOutcome<'a> {
    Done(&'a SkillOutcome),
    Conflict(&'a Conflict),
    Failed(&'a Error),
}

impl<'a> PlacedOutcome<'a> {
    pub fn of(name: &SkillName, summary: &'a InstallSummary) -> Option<Self> {
        let done = summary.outcomes.iter().find(|one| one.name == name.as_str());
        let is_here = |conflict: &&Conflict| conflict.path.ends_with(name.as_str());
        let conflict = summary.conflicts.iter().find(is_here);
        done.map(Self::Done).or_else(|| conflict.map(Self::Conflict))
    }
}

/// The outcome for a skill.
fn outcome(
    skill: SurveyedSkill,
    result: Option<PlacedOutcome<'_>>,
    options: &InstallOptions,
) -> UpdateOutcome {
    let SurveyedSkill { path, name, record, to, answer, .. } = skill;
    let mut outcome = UpdateOutcome {
        name: name.to_string(),
        path,
        from: record.version(),
        source: record.requested.unwrap_or(record.source),
        kind: record.kind,
        state: UpdateState::Unchanged,
        action: Done::Unchanged,
        reason: None,
        to,
        history: None,
        files: Default::default(),
        findings: Vec::new(),
        versions: Vec::new(),
        version: VersionChange::default(),
        bytes: record.files.iter().map(|file| file.bytes).sum(),
        digest: Some(record.digest),
        backup: None,
    };
    let is_wanted = match answer {
        Answer::Same => false,
        Answer::New(news) => {
            let is_held_back = news.is_held_back() && !options.force;
            outcome.state = UpdateState::Outdated;
            if is_held_back {
                outcome.state = UpdateState::Refused;
                outcome.reason = Some(held_back(&outcome.name));
            }
            outcome.history = news.history;
            outcome.files = news.files;
            outcome.findings = news.findings;
            outcome.versions = news.versions;
            outcome.version = news.version;
            !is_held_back
        }
        Answer::None(state, error) => {
            outcome.state = state;
            outcome.reason = Some(error);
            state == UpdateState::Gone
        }
    };
    match result {
        Some(PlacedOutcome::Done(done)) => finish(&mut outcome, done, options.dry_run),
        Some(PlacedOutcome::Conflict(conflict)) => refuse(&mut outcome, conflict),
        Some(PlacedOutcome::Failed(error)) if is_wanted => {
            outcome.state = UpdateState::Failed;
            outcome.reason = Some(error.clone());
        }
        Some(PlacedOutcome::Failed(_)) | None => {}
    }
    outcome
}

/// Why a new version waits for the user.
fn held_back(name: &str) -> Error {
    err!(Unsafe, "its new version has what the installed one, which you agreed to, does not have").help(format!(
        "`skills update {name} --dry-run --diff` shows it, and `skills update {name} --force` takes it"
    ))
}

fn finish(outcome: &mut UpdateOutcome, done: &SkillOutcome, dry_run: bool) {
    outcome.action = done.action;
    outcome.backup.clone_from(&done.backup);
    outcome.version.clone_from(&done.version);
    match done.action {
        Done::Removed => {
            outcome.state = if dry_run { UpdateState::Gone } else { UpdateState::Removed };
            outcome.digest = None;
            // It says how to remove the skill.
            outcome.reason = outcome.reason.take().map(|error| Error { help: None, ..error });
        }
        Done::Unchanged | Done::Disabled | Done::Enabled => {
            outcome.state = UpdateState::Unchanged;
        }
        Done::Created | Done::Updated | Done::Replaced => {
            outcome.state = if dry_run { UpdateState::Outdated } else { UpdateState::Updated };
            outcome.bytes = done.bytes;
            outcome.digest = done.digest;
        }
    }
}

/// Records why a skill stays as it is.
pub fn refuse(outcome: &mut UpdateOutcome, conflict: &Conflict) {
    let (state, help) = match &conflict.reason {
        Reason::Edited(_) if outcome.state == UpdateState::Gone => {
            (UpdateState::Edited, "`--prune --force` removes it and keeps a backup".to_owned())
        }
        Reason::Edited(_) => {
            let name = &outcome.name;
            let help = format!("`skills update {name} --force` replaces it and keeps a backup");
            (UpdateState::Edited, help)
        }
        Reason::NotADirectory(_) => {
            (UpdateState::Refused, "remove it yourself, then install the skill again".to_owned())
        }
        Reason::Disabled => {
            (UpdateState::Refused, format!("use `skills enable {}` first", outcome.name))
        }
        Reason::Twice(_) => {
            (UpdateState::Refused, "compare the two copies, and remove one of them".to_owned())
        }
        Reason::Different(_)
        | Reason::NotOurs(_)
        | Reason::Owned(_)
        | Reason::Linked
        | Reason::NotALink(_) => {
            (UpdateState::Refused, "`--force` replaces it and keeps a backup".to_owned())
        }
    };
    outcome.state = state;
    outcome.reason =
        Some(err!(Conflict, "it {}", conflict.reason.summary()).at(&conflict.path).help(help));
}
