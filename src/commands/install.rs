//! `skills install`: read, judge, plan, and only then write.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cli::args::ReportFormat;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{Install, Settings, Skills};
use crate::commands::event_log::{open_log, write_events};
use crate::commands::notices;
use crate::output::{self, count, human, install as table, json_v1, paths};
use crate::skills::error::{Error, ErrorKind};
use crate::skills::events::{Common, Event};
use crate::skills::finding::{Finding, Severity};
use crate::skills::install::candidate::{self, Candidate};
use crate::skills::install::plan::{Conflict, Reason};
use crate::skills::install::{self, Notice, Report};
use crate::skills::platform::{self, FileKind};
use crate::skills::reporter::Reporter;
use crate::skills::scan::OpenDirectory;
use crate::skills::selection;
use crate::skills::source::Skill;
use crate::skills::validate::{CheckedSkill, Validation, conclude};

/// Runs the command.
///
/// # Errors
/// Whatever keeps the skills from being read or written; nothing has changed then.
pub fn run(settings: &Install, printer: &Printer) -> Result<ExitStatus> {
    let json = settings.format == ReportFormat::Json;
    let common = &settings.common;
    let directories = &settings.destinations.directories;
    let existing: Vec<PathBuf> =
        directories.iter().filter_map(|directory| directory.canonicalize().ok()).collect();
    let candidates = match gather(&settings.skills, &existing, common, json, printer)? {
        Ok(candidates) => candidates,
        Err(refusal) => return refuse(&refusal, json, printer),
    };
    let events_file = settings.events.as_deref().filter(|_| !settings.options.dry_run);
    let log = open_log(events_file)?;
    let reporter =
        progress::careful_bar(settings.common.progress, "copied", candidates.len(), *printer)?;
    let installed =
        install::install(&candidates, directories, &settings.options, reporter.as_ref());
    let report = match installed {
        Err(error) if is_refusal(&error) => return refuse(&error, json, printer),
        Err(error) => return failed(error, reporter.as_ref(), json, printer),
        Ok(report) => report,
    };
    say(&report.notices, &settings.common, printer);
    if !report.conflicts.is_empty() {
        return conflicts(&report.conflicts, "installed", &settings.common, json, printer);
    }
    warn_of_winners(settings, &candidates, printer);
    let home = settings.destinations.home.as_deref();
    print(&report, home, settings.options.dry_run, &settings.common, json, printer)?;
    write_events(log, &events(&report, "install"), printer)?;
    Ok(ExitStatus::Success)
}

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
    let read = |skill: &Skill, open: Option<OpenDirectory>| {
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
            printer.note(&format!("`{}` has tools and stays in the prompt", inline.name));
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
        let message = "not everything could be read, so nothing was installed";
        return Err(Error::new(ErrorKind::Io, message).into());
    }
    warn(&validation, common, printer);
    Ok(candidates.into_iter().collect())
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
        let look = human::Look { styled: true, width: printer.width(), hints: true };
        printer.diagnostics(|out| human::validation(out, &validation, &view, look));
    }
    let place = |finding: &Finding| {
        let place =
            finding.place.map(|place| format!(":{}:{}", place.start.line, place.start.column));
        let path = paths::relative(&finding.path, &common.directory);
        format!("{path}{}: {}: {}", place.unwrap_or_default(), finding.rule.id, finding.message)
    };
    let details: Vec<String> = validation.findings.iter().map(place).collect();
    let message = format!("{broken} of {} cannot be installed; nothing was", count(total, "skill"));
    let error = Error::new(kind(&validation.findings), message);
    let is_safety = |finding: &Finding| candidate::is_safety(finding.rule);
    Ok(if json {
        error.help(details.join("\n"))
    } else if skills.validates && !validation.findings.iter().any(is_safety) {
        error.help("`--no-validate` installs them all the same")
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

/// Says which skills of a project an agent would not see, because the user has some of that name.
fn warn_of_winners(settings: &Install, candidates: &[Candidate], printer: &Printer) {
    let winning = &settings.destinations.winning;
    let shadowed: Vec<String> = candidates
        .iter()
        .flat_map(|candidate| winning.iter().map(|root| root.join(candidate.name.as_str())))
        .filter(|path| path.is_dir())
        .map(|path| format!("`{}` wins over the skill of the project", path.display()))
        .collect();
    let verbose = settings.common.verbose;
    notices::some(shadowed.into_iter(), ("more skill", " of the user wins"), verbose, printer);
}

pub(super) fn events(report: &Report, verb: &str) -> Vec<Event> {
    let event = |directory: &PathBuf| {
        let names = |inline: bool| {
            let here = report.outcomes.iter().filter(|one| one.path.parent() == Some(directory));
            let of_kind = here.filter(|outcome| (outcome.kind == "inline") == inline);
            of_kind.map(|outcome| outcome.name.clone()).collect()
        };
        Event::SkillsInstalled {
            inline_skills: names(true),
            referenced_skills: names(false),
            skills_dir: directory.to_string_lossy().into_owned(),
            common: Common::now(verb),
        }
    };
    report.directories.iter().map(event).collect()
}

/// Whether an error is about the user's skills rather than about doing the job.
pub(super) const fn is_refusal(error: &Error) -> bool {
    matches!(
        error.kind,
        ErrorKind::Conflict
            | ErrorKind::Duplicate
            | ErrorKind::TooLarge
            | ErrorKind::InvalidName
            | ErrorKind::Validation
    )
}

/// An end that was asked for has an exit code of its own.
pub(super) fn failed(
    error: Error,
    reporter: &dyn Reporter,
    json: bool,
    printer: &Printer,
) -> Result<ExitStatus> {
    match reporter.cancelled() {
        Some(signal) => {
            refuse(&error, json, printer)?;
            Ok(ExitStatus::Code(platform::code_of_signal(signal)))
        }
        None => Err(error.into()),
    }
}

/// Says why nothing was done.
pub(super) fn refuse(error: &Error, json: bool, printer: &Printer) -> Result<ExitStatus> {
    if json {
        printer.results(|out| json_v1::error(out, error))?;
    } else {
        printer.error(error);
    }
    Ok(ExitStatus::Refused)
}

/// Says what is in the way.
pub(super) fn conflicts(
    conflicts: &[Conflict],
    verb: &str,
    common: &Settings,
    json: bool,
    printer: &Printer,
) -> Result<ExitStatus> {
    let errors: Vec<Error> =
        conflicts.iter().map(|conflict| error(conflict, verb, common)).collect();
    if let (false, [only]) = (json, errors.as_slice()) {
        return refuse(only, json, printer);
    }
    let message = format!("{} in the way; nothing was {verb}", count(errors.len(), "skill"));
    let whole = Error::new(ErrorKind::Conflict, message);
    let whole = match errors.as_slice() {
        [only] => Error { path: only.path.clone(), ..whole },
        _ => whole,
    };
    if json {
        let details: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        return refuse(&whole.help(details.join("\n")), json, printer);
    }
    // One help is enough for all of them.
    let bare: Vec<Error> =
        errors.iter().map(|error| Error { help: None, ..error.clone() }).collect();
    notices::errors(bare.iter(), printer);
    let help = errors.iter().find_map(|error| error.help.clone());
    refuse(&Error { help, ..whole }, json, printer)
}

fn error(conflict: &Conflict, verb: &str, common: &Settings) -> Error {
    let home = common.environment.home.as_deref();
    let path = paths::shown(&conflict.path, &common.directory, home);
    let is_replacing = verb == "installed";
    let (message, help) = match &conflict.reason {
        Reason::NotADirectory(kind) => {
            let what = match kind {
                FileKind::Symlink => "a symbolic link",
                FileKind::Special(word) => word,
                FileKind::Regular | FileKind::Directory => "a file",
            };
            let message = format!("`{path}` is {what}, which is left alone");
            (message, "remove it yourself, or choose another place".to_owned())
        }
        Reason::Different(differences) => {
            let changes = table::summary(differences);
            let message = format!("`{path}` is a different version: {changes}");
            (message, "`--force` replaces it".to_owned())
        }
        Reason::Edited(differences) => {
            let changes = table::summary(differences);
            let message = if is_replacing {
                format!("`{path}` was edited since it was installed; different: {changes}")
            } else {
                format!("`{path}` was edited since it was installed: {changes}")
            };
            let verb = if is_replacing { "replaces" } else { "removes" };
            (message, format!("`--force` {verb} it and keeps a copy of it"))
        }
        Reason::NotOurs(differences) => {
            let changes = table::summary(differences);
            let message = if is_replacing {
                format!(
                    "`{path}` is there already, and not by `skills install`; different: {changes}"
                )
            } else {
                format!("`{path}` was not installed by `skills install`")
            };
            let verb = if is_replacing { "replaces" } else { "removes" };
            (message, format!("`--force` {verb} it and keeps a copy of it"))
        }
    };
    Error::new(ErrorKind::Conflict, message).at(&conflict.path).help(help)
}

/// Says what else there is to say.
pub(super) fn say(notices: &[Notice], common: &Settings, printer: &Printer) {
    let home = common.environment.home.as_deref();
    let shown = |path: &Path| paths::shown(path, &common.directory, home);
    for notice in notices {
        match notice {
            Notice::Linked(link, real) => {
                let (link, real) = (shown(link), shown(real));
                printer.note(&format!("`{link}` is a link to `{real}`"));
            }
            Notice::Recovered(path) => printer
                .note(&format!("cleaned up after a run that was interrupted in `{}`", shown(path))),
            Notice::Interrupted(path) => printer.warning(&format!(
                "a run was interrupted in `{}`; what it left is cleaned up before anything else",
                shown(path)
            )),
            Notice::NotCleaned(path, reason) => printer.warning(&format!(
                "all is done in `{}`, but something is left to clean up: {reason}",
                shown(path)
            )),
            Notice::SkillMdInRoot(path) => printer.warning(&format!(
                "`{}` holds a SKILL.md itself, so Pi and Copilot see none of the skills in it",
                shown(path)
            )),
        }
    }
}

/// Prints what was done.
pub(super) fn print(
    report: &Report,
    home: Option<&Path>,
    dry_run: bool,
    common: &Settings,
    json: bool,
    printer: &Printer,
) -> Result<()> {
    if json {
        let context = json_v1::install::Context { home, dry_run, environment: None };
        printer.results(|out| json_v1::install::report(out, report, &context))?;
        return Ok(());
    }
    let view = table::View {
        directory: &common.directory,
        home: common.environment.home.as_deref(),
        width: printer.width(),
        dry_run,
    };
    printer.results(|out| {
        report.directories.iter().try_for_each(|directory| {
            let here = report.outcomes.iter().filter(|one| one.path.parent() == Some(directory));
            table::outcomes(out, directory, &here.collect::<Vec<_>>(), &view)
        })
    })?;
    Ok(())
}
