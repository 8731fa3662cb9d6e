//! Skills that are about to be copied: found, read and judged, the same way by every command.

use std::path::PathBuf;

use anyhow::Result;

use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{Settings, Skills, Verb};
use crate::commands::locked;
use crate::commands::notices;
use crate::commands::refusals::is_refusal;
use crate::output::{self, count, human, paths};
use crate::skills::error::{Error, ErrorKind};
use crate::skills::finding::{Finding, Severity};
use crate::skills::install::candidate::{self, Candidate};
use crate::skills::scan::OpenDirectory;
use crate::skills::selection;
use crate::skills::source::Skill;
use crate::skills::validate::{CheckedSkill, Validation, conclude};

/// Finds, reads and judges the skills; says what is wrong with them. The inner error is about the
/// skills, the outer one about reading them.
pub(super) fn gather(
    skills: &Skills,
    existing: &[PathBuf],
    common: &Settings,
    json: bool,
    printer: &Printer,
) -> Result<Result<Vec<Candidate>, Error>> {
    let reporter = progress::reporter(common.progress, "read");
    let read = |skill: Skill, open: Option<OpenDirectory>| {
        let read = candidate::read(skill, open, &skills.read);
        reporter.step();
        read
    };
    let found = match selection::select(&skills.selection, &read) {
        Err(error) if is_refusal(&error) => return Ok(Err(error)),
        other => other?,
    };
    reporter.finish();
    let (read, scan) = found.split();
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
        return Ok(Err(invalid(validation, skills, common, json, printer)?));
    }
    if unreadable || unseen {
        let message =
            format!("not everything could be read, so nothing was {}", skills.verb.done());
        return Err(Error::new(ErrorKind::Io, message).into());
    }
    warn(&validation, common, printer);
    let candidates: Result<Vec<Candidate>, Error> = candidates.into_iter().collect();
    Ok(candidates.and_then(|mut candidates| {
        let bounds = skills.bounds(common.threads);
        locked::compare(&skills.selection, &mut candidates, bounds, common, printer)?;
        Ok(candidates)
    }))
}

/// Prints what is wrong, and makes one error of it.
fn invalid(
    mut validation: Validation,
    skills: &Skills,
    common: &Settings,
    json: bool,
    printer: &Printer,
) -> Result<Error> {
    let total = validation.skills.len();
    validation.findings.retain(|finding| finding.severity == Severity::Error);
    let broken = validation.skills_with(|_| true).len();
    if !json {
        let view = output::View { directory: &common.directory, notes: false };
        let look = human::Look { styled: true, width: printer.width(), hints: true, repairs: true };
        printer.diagnostics(|out| human::validation(out, &validation, &view, look));
    }
    let place = |finding: &Finding| {
        let place =
            finding.place.map(|place| format!(":{}:{}", place.start.line, place.start.column));
        let path = paths::relative(&finding.path, &common.directory);
        format!("{path}{}: {}: {}", place.unwrap_or_default(), finding.rule.id, finding.message)
    };
    let details: Vec<String> = validation.findings.iter().map(place).collect();
    let message = format!(
        "{broken} of {} cannot be {}; nothing was",
        count(total, "skill"),
        skills.verb.done()
    );
    let error = Error::new(kind(&validation.findings), message);
    let is_safety = |finding: &Finding| candidate::is_safety(finding.rule);
    Ok(if json {
        error.help(details.join("\n"))
    } else if skills.validates && !validation.findings.iter().any(is_safety) {
        error.help("`--no-validate` takes them all the same")
    } else {
        error
    })
}

/// The kind that all findings have in common.
fn kind(findings: &[Finding]) -> ErrorKind {
    let kind = |finding: &Finding| match finding.rule.id {
        "missing-skill-md" => ErrorKind::MissingSkillMd,
        "missing-frontmatter" | "unclosed-frontmatter" | "invalid-yaml" | "duplicate-key" => {
            ErrorKind::InvalidFrontmatter
        }
        "name-format" | "name-too-long" | "name-directory-mismatch" | "missing-name" => {
            ErrorKind::InvalidName
        }
        "file-too-large" | "skill-too-large" => ErrorKind::TooLarge,
        _ => ErrorKind::Validation,
    };
    let mut kinds = findings.iter().map(kind);
    let first = kinds.next().unwrap_or(ErrorKind::Validation);
    if kinds.all(|kind| kind == first) { first } else { ErrorKind::Validation }
}

/// Says what a careful reader would want to know before an agent reads it.
fn warn(validation: &Validation, common: &Settings, printer: &Printer) {
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
