//! Undoes the last update of skills directories (`update --undo`).

use std::path::Path;

use crate::skills::find::record::{Index, InstallRecord};
use crate::skills::model::error::{Result, err};
use crate::skills::model::name::SkillName;
use crate::skills::model::reporter::Reporter;
use crate::skills::model::source::{RecordedKind, SkillKind};
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::plan::Conflict;
use crate::skills::put::install::undo::LastUpdate;
use crate::skills::put::install::{DirectoryChange, Done, InstallOptions, VersionChange, site};
use crate::skills::put::update::apply::{
    PlacedOutcome, UpdateReport, change_place, interrupted, real, refuse,
};
use crate::skills::put::update::places::Place;
use crate::skills::put::update::{UpdateOutcome, UpdateState};

/// Restores the skills that the last update of each directory replaced or removed. Skills that were
/// changed since stay as they are.
pub fn back(
    places: &[Place],
    names: &[SkillName],
    options: &InstallOptions,
    reporter: &dyn Reporter,
) -> Result<UpdateReport> {
    let mut report = UpdateReport::default();
    for place in places {
        let done = back_in(place, names, options, reporter, &mut report);
        if reporter.cancelled().is_some() {
            return Err(interrupted(done.err(), &report));
        }
        report.failures.extend(done.err());
    }
    if report.outcomes.is_empty() && report.failures.is_empty() {
        let help = "only the last `skills update` of each skills directory is kept, until it is \
                    taken back";
        return Err(err!(NotFound, "there is no update to undo").help(help));
    }
    Ok(report)
}

fn back_in(
    place: &Place,
    names: &[SkillName],
    options: &InstallOptions,
    reporter: &dyn Reporter,
    report: &mut UpdateReport,
) -> Result<()> {
    if !options.dry_run {
        // Recover first: a killed run may not have kept the replaced skills yet.
        let nothing = change(place, Vec::new());
        report.notices.extend(change_place(place, nothing, options, reporter)?.notices);
    }
    let Some(last) = LastUpdate::of(&place.directory)? else { return Ok(()) };
    let Some((path, directory)) = site::existing_directory(&place.directory)? else {
        return Ok(());
    };
    let index = Index::read(&directory, &path)?;
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut outcomes: Vec<UpdateOutcome> = Vec::new();
    let mut is_whole = true;
    for (name, after) in last.skills() {
        if !names.is_empty() && !names.iter().any(|wanted| wanted.as_str() == name) {
            is_whole = false;
            continue;
        }
        let record = index.records.iter().find(|(one, _)| one.as_str() == name);
        let record = record.map(|(_, record)| record);
        let mut outcome = outcome(name, &path, record);
        if record.map(|record| record.digest) != after {
            outcome.state = UpdateState::Refused;
            outcome.reason =
                Some(err!(Conflict, "it was installed again or removed since the last update"));
        } else {
            match last.candidate(name) {
                Ok(candidate) => candidates.push(candidate),
                Err(error) => {
                    outcome.state = UpdateState::Failed;
                    outcome.reason = Some(error);
                }
            }
        }
        outcomes.push(outcome);
    }
    let change = change(place, candidates.iter().collect());
    let summary = change_place(place, change, options, reporter)?;
    for outcome in outcomes.iter_mut().filter(|one| one.state == UpdateState::Outdated) {
        let Ok(name) = SkillName::new(&outcome.name) else { continue };
        match PlacedOutcome::of(&name, &summary) {
            Some(PlacedOutcome::Done(done)) => {
                outcome.state = UpdateState::Restored;
                outcome.action = done.action;
                outcome.bytes = done.bytes;
                outcome.digest = done.digest;
                outcome.backup.clone_from(&done.backup);
                outcome.version.clone_from(&done.version);
                let kept = candidates.iter().find(|one| one.name == name);
                let restored = kept.and_then(|candidate| candidate.restores.as_deref());
                if let Some(before) = restored.map(|restored| &restored.record) {
                    outcome.source =
                        before.requested.clone().unwrap_or_else(|| before.source.clone());
                    outcome.kind = before.kind.clone();
                    outcome.to = before.version();
                }
            }
            Some(PlacedOutcome::Conflict(conflict)) => refuse_back(outcome, conflict),
            Some(PlacedOutcome::Failed(_)) | None => {}
        }
    }
    is_whole &= outcomes.iter().all(|outcome| outcome.state == UpdateState::Restored);
    report.directories.push(real(place));
    report.notices.extend(summary.notices);
    report.outcomes.extend(outcomes);
    if is_whole && !options.dry_run {
        last.forget()?;
    }
    Ok(())
}

fn refuse_back(outcome: &mut UpdateOutcome, conflict: &Conflict) {
    refuse(outcome, conflict);
    if let Some(error) = outcome.reason.take() {
        let help = "`skills update --undo --force` replaces it and keeps a backup";
        outcome.reason = Some(error.help(help));
    }
}

fn change<'a>(place: &Place, install: Vec<&'a Candidate>) -> DirectoryChange<'a> {
    DirectoryChange { directory: place.directory.clone(), install, remove: Vec::new() }
}

fn outcome(name: &str, directory: &Path, record: Option<&InstallRecord>) -> UpdateOutcome {
    let source = record.map(|one| one.requested.clone().unwrap_or_else(|| one.source.clone()));
    UpdateOutcome {
        name: name.to_owned(),
        path: directory.join(name),
        source: source.unwrap_or_default(),
        kind: record
            .map_or(RecordedKind::Known(SkillKind::Directory), |record| record.kind.clone()),
        state: UpdateState::Outdated,
        action: Done::Unchanged,
        reason: None,
        from: record.and_then(InstallRecord::version),
        to: None,
        history: None,
        files: Default::default(),
        findings: Vec::new(),
        versions: Vec::new(),
        version: VersionChange::default(),
        bytes: record.map_or(0, |record| record.files.iter().map(|file| file.bytes).sum()),
        digest: record.map(|record| record.digest),
        backup: None,
    }
}
