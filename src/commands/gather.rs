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
use crate::output::{self, paths};
use crate::skills::judge::rule::{Finding, Severity};
use crate::skills::judge::validate::Validation;
use crate::skills::model::error::Error;
use crate::skills::put::install;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::gather;

/// Finds, reads and judges the skills, and reports what is wrong with them.
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
    let gathered = gather::gather(&skills.selection, existing, &skills.read, reporter.as_ref())?;
    notices::scan(&gathered.scan, &common.directory, common.verbose, printer);
    // A lock says nothing about skills that the manifest holds itself.
    if skills.verb != Verb::Lock {
        for name in &gathered.in_prompt {
            printer.note(&format!("`{name}` has tools and stays in the prompt"));
        }
    }
    notices::errors(gathered.validation.skills.iter().flat_map(|one| &one.unseen), printer);
    if let Some(refusal) = gathered.refusal(skills.verb.done()) {
        if !gathered.validation.has_failed() {
            return Err(refusal.into());
        }
        let refusal = explain(refusal, gathered.validation, skills, common, json, printer);
        return Err(Ending::refused(refusal).into());
    }
    warn(&gathered.validation, common, printer);
    let candidates = gathered.into_candidates()?;
    let bounds = skills.bounds(common.threads);
    locked::compare(&skills.selection, &candidates, bounds, common, printer)?;
    // Digests of two skills of one name can be written down; in one place they cannot be.
    if skills.verb != Verb::Lock {
        install::refuse_duplicates(&candidates).map_err(Ending::refused)?;
    }
    Ok(candidates)
}

/// Prints what is wrong with the skills, and adds to the error what to do about it.
fn explain(
    refusal: Error,
    mut validation: Validation,
    skills: &CopySettings,
    common: &CommonSettings,
    json: bool,
    printer: &Printer,
) -> Error {
    validation.findings.retain(|finding| finding.severity == Severity::Error);
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
    let is_safety = |finding: &Finding| finding.rule.is_safety();
    if json {
        refusal.help(details.join("\n"))
    } else if skills.validates && !validation.findings.iter().any(is_safety) {
        refusal.help("`--no-validate` takes them all the same")
    } else {
        refusal
    }
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
