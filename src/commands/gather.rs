//! Skills that are about to be copied: found, read and judged, the same way by every command.

use std::path::PathBuf;

use anyhow::Result;

use crate::cli::exit::Ending;
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{CommonSettings, CopySettings, Verb};
use crate::commands::locked;
use crate::commands::notices;
use crate::output::human::{self, Hints};
use crate::output::{self, count, paths};
use crate::skills::files::directory::OpenDirectory;
use crate::skills::find::selection;
use crate::skills::judge::rule::CheckedSkill;
use crate::skills::judge::rule::{Finding, Severity};
use crate::skills::judge::validate::{Validation, conclude};
use crate::skills::model::error::{Error, ErrorKind};
use crate::skills::model::source::Skill;
use crate::skills::put::install;
use crate::skills::put::install::candidate::{self, Candidate};

/// Finds, reads and judges the skills; says what is wrong with them.
///
/// # Errors
/// Skills that cannot be read, that are invalid, or that are not what was locked.
pub(super) fn gather(
    skills: &CopySettings,
    existing: &[PathBuf],
    common: &CommonSettings,
    json: bool,
    printer: &Printer,
) -> Result<Vec<Candidate>> {
    let reporter = progress::reporter(common.progress, "read");
    let read = |skill: Skill, open: Option<OpenDirectory>| {
        let read = candidate::read(skill, open, &skills.read);
        reporter.step();
        read
    };
    let (read, scan) = selection::select(&skills.selection, &read)?;
    reporter.finish();
    let unreadable = notices::scan(&scan, &common.directory, common.verbose, printer);
    let mut checked: Vec<CheckedSkill> = Vec::new();
    let mut candidates = Vec::new();
    for (judged, candidate) in read {
        let skill = &judged.skill;
        if skills.is_installed_already(skill, existing) {
            continue;
        }
        if let Some(inline) = skill.inline.as_ref().filter(|inline| !inline.tools.is_empty()) {
            // No lock is about what a manifest holds itself.
            if skills.verb != Verb::Lock {
                printer.note(&format!("`{}` has tools and stays in the prompt", inline.name));
            }
            continue;
        }
        checked.push(judged);
        candidates.push(candidate);
    }
    let unseen = notices::errors(checked.iter().flat_map(|one| &one.unseen), printer);
    let validation = conclude(checked, &skills.read.judge);
    if validation.has_failed() {
        return Err(Ending::refused(invalid(validation, skills, common, json, printer)).into());
    }
    if unreadable || unseen {
        let message =
            format!("not everything could be read, so nothing was {}", skills.verb.done());
        return Err(Error::new(ErrorKind::Io, message).into());
    }
    warn(&validation, common, printer);
    let mut candidates: Vec<Candidate> = candidates.into_iter().collect::<Result<_, Error>>()?;
    candidate::attribute(&mut candidates, &scan.again);
    let bounds = skills.bounds(common.threads);
    locked::compare(&skills.selection, &mut candidates, bounds, common, printer)?;
    // Digests of two skills of one name can be written down; in one place they cannot be.
    if skills.verb != Verb::Lock {
        install::refuse_duplicates(&candidates).map_err(Ending::refused)?;
    }
    Ok(candidates)
}

/// Prints what is wrong, and makes one error of it.
fn invalid(
    mut validation: Validation,
    skills: &CopySettings,
    common: &CommonSettings,
    json: bool,
    printer: &Printer,
) -> Error {
    let total = validation.skills.len();
    validation.findings.retain(|finding| finding.severity == Severity::Error);
    let broken = validation.skills_with(|_| true).len();
    if !json {
        let view = output::FindingsView { directory: &common.directory, notes: false };
        let (screen, hints) = (common.error_screen(printer), Hints::of(printer.is_quiet(), true));
        printer.diagnostics(|out| human::validation(out, &validation, &view, &screen, hints));
    }
    let place = |finding: &Finding| {
        let place = finding.place.map(|place| format!(":{}", place.start));
        let path = paths::relative(&finding.path, &common.directory);
        format!("{path}{}: {}: {}", place.unwrap_or_default(), finding.rule.id, finding.message)
    };
    let details: Vec<String> = validation.findings.iter().map(place).collect();
    let (total, done) = (count(total, "skill"), skills.verb.done());
    let message = format!("{broken} of {total} cannot be {done}, so nothing was {done}");
    let error = Error::new(kind(&validation.findings), message);
    let is_safety = |finding: &Finding| finding.rule.is_safety();
    if json {
        error.help(details.join("\n"))
    } else if skills.validates && !validation.findings.iter().any(is_safety) {
        error.help("`--no-validate` takes them all the same")
    } else {
        error
    }
}

/// The kind that all findings have in common.
fn kind(findings: &[Finding]) -> ErrorKind {
    let mut kinds = findings.iter().map(|finding| finding.rule.failure());
    let first = kinds.next().unwrap_or(ErrorKind::Validation);
    if kinds.all(|kind| kind == first) { first } else { ErrorKind::Validation }
}

/// Says what a careful reader would want to know before an agent reads it.
fn warn(validation: &Validation, common: &CommonSettings, printer: &Printer) {
    let warnings: Vec<String> = validation
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Warning)
        .map(|finding| {
            let line = finding.place.map(|place| format!(":{}", place.start.line));
            let path = paths::relative(&finding.path, &common.directory);
            format!("`{path}{}`: {}", line.unwrap_or_default(), finding.message)
        })
        .collect();
    notices::some(warnings.into_iter(), ("more warning", ""), common.verbose, printer);
}
