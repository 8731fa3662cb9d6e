//! `skills validate`: find the skills, judge them, repair what was asked for, print.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::Result;
use tracing::debug;

use crate::cli::args::Format;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{Repairs, Validate};
use crate::output::{View, count, diff, github, human, json_v1, junit, paths, sarif};
use crate::skills::error::{Error, ErrorKind};
use crate::skills::fix::{self, Repair};
use crate::skills::scan::{OpenDirectory, Scan};
use crate::skills::selection;
use crate::skills::source::Skill;
use crate::skills::validate::{Validation, check_skill, conclude};

/// Links named one by one before they are only counted.
const LINKS_SHOWN: usize = 3;

/// Runs the command.
///
/// # Errors
/// Whatever keeps the skills from being judged or the result from being written.
pub fn run(settings: &Validate, printer: &Printer) -> Result<ExitStatus> {
    let (scan, mut validation) = judge(settings)?;
    report_scan(&scan, settings, printer);
    refuse_if_nothing_was_read(&validation)?;

    let mut repaired = Repaired::default();
    match settings.repairs {
        Repairs::Report => {}
        Repairs::Show => return show_repairs(settings, &validation, printer),
        Repairs::Make => {
            repaired = make_repairs(settings, &validation, printer);
            (_, validation) = judge(settings)?;
        }
    }
    print(settings, &validation, printer)?;
    report_repairs(settings, &repaired, printer)?;
    // What could not be read or written outweighs what was found.
    let unseen = validation.skills.iter().flat_map(|checked| &checked.unseen);
    let failed = !scan.unreadable.is_empty() || repaired.failed || report_errors(unseen, printer);
    Ok(if failed { ExitStatus::Failure } else { status(settings, &validation) })
}

/// Finds, reads and judges the skills in one pass.
fn judge(settings: &Validate) -> Result<(Scan<()>, Validation)> {
    let reporter = progress::reporter(settings.common.progress, "validated");
    let read = |skill: &Skill, open: Option<OpenDirectory>| {
        let checked = check_skill(skill, open, &settings.options);
        reporter.step();
        checked
    };
    let found = selection::select(&settings.selection, &read)?;
    reporter.finish();
    let (skills, scan) = found.split();
    let validation = conclude(skills, &settings.options);
    debug!(skills = validation.skills.len(), findings = validation.findings.len(), "validated");
    Ok((scan, validation))
}

/// Prints each error; true when there was one.
fn report_errors<'a>(errors: impl Iterator<Item = &'a Error>, printer: &Printer) -> bool {
    errors.inspect(|error| printer.error(error)).count() > 0
}

/// Says what the scan passed over, so that nothing is left out in silence.
fn report_scan(scan: &Scan<()>, settings: &Validate, printer: &Printer) {
    let shown = if settings.common.verbose { scan.links.len() } else { LINKS_SHOWN };
    for link in scan.links.iter().take(shown) {
        let path = paths::relative(link, &settings.common.directory);
        printer.warning(&format!("`{path}` is a link to a directory and was not followed"));
    }
    if scan.links.len() > shown {
        let more = count(scan.links.len() - shown, "more link");
        printer.warning(&format!("{more} not followed, shown with -v"));
    }
    report_errors(scan.unreadable.iter(), printer);
}

/// A run that could not open a single file has judged nothing.
fn refuse_if_nothing_was_read(validation: &Validation) -> Result<()> {
    let first = validation.skills.first().and_then(|checked| {
        checked.unreadable.as_ref().map(|reason| (checked.skill.file(), reason))
    });
    match first {
        Some((file, reason)) if validation.skills.iter().all(|one| one.unreadable.is_some()) => {
            let message = format!("cannot read `{}`: {reason}", file.display());
            Err(Error::new(ErrorKind::Io, message).at(file).into())
        }
        _ => Ok(()),
    }
}

fn status(settings: &Validate, validation: &Validation) -> ExitStatus {
    let view = view(settings);
    if validation.findings.iter().any(|finding| view.fails(finding)) {
        ExitStatus::Refused
    } else {
        ExitStatus::Success
    }
}

fn view(settings: &Validate) -> View<'_> {
    View {
        directory: &settings.common.directory,
        notes: settings.common.verbose,
        strict: settings.strict,
    }
}

/// What there is to repair.
fn repairs(settings: &Validate, validation: &Validation) -> Vec<Repair> {
    let fixable = |path: &Path| {
        validation.findings.iter().any(|one| one.fix.is_some() && one.skill_path == path)
    };
    validation
        .skills
        .iter()
        .filter(|checked| fixable(&checked.skill.path))
        .filter_map(|checked| fix::plan(&checked.skill, &settings.options))
        .collect()
}

fn show_repairs(
    settings: &Validate,
    validation: &Validation,
    printer: &Printer,
) -> Result<ExitStatus> {
    let repairs = repairs(settings, validation);
    printer.results(|out| {
        for repair in &repairs {
            diff::repair(out, repair, &settings.common.directory)?;
        }
        let settled: usize = repairs.iter().map(|repair| repair.settled).sum();
        let findings = count(settled, "finding");
        writeln!(out, "{findings} would be repaired in {}", count(repairs.len(), "skill"))
    })?;
    Ok(status(settings, validation))
}

/// How many findings of how many skills were repaired, and whether a repair failed.
#[derive(Default)]
struct Repaired {
    skills: usize,
    findings: usize,
    failed: bool,
}

fn make_repairs(settings: &Validate, validation: &Validation, printer: &Printer) -> Repaired {
    let mut repaired = Repaired::default();
    for repair in repairs(settings, validation) {
        // One file that cannot be written must not keep the others from being repaired.
        match fix::apply(&repair) {
            Ok(()) => {
                repaired.findings += repair.settled;
                repaired.skills += 1;
            }
            Err(error) => {
                printer.error(&error);
                repaired.failed = true;
            }
        }
    }
    repaired
}

/// One line for people; it would spoil a document for machines.
fn report_repairs(settings: &Validate, repaired: &Repaired, printer: &Printer) -> io::Result<()> {
    let for_people = settings.format == Format::Human || settings.output.is_some();
    if repaired.findings == 0 || !for_people {
        return Ok(());
    }
    let (findings, skills) = (count(repaired.findings, "finding"), count(repaired.skills, "skill"));
    printer.results(|out| writeln!(out, "repaired {findings} in {skills}"))
}

/// The chosen format to the terminal; or to a file, and human text to the terminal.
fn print(settings: &Validate, validation: &Validation, printer: &Printer) -> Result<()> {
    let Some(path) = &settings.output else {
        let look = terminal_look(printer);
        printer.results(|out| write(out, settings.format, validation, settings, look))?;
        return Ok(());
    };
    let file = File::create(path).map_err(|error| Error::io("write", path, &error))?;
    let mut out = BufWriter::new(file);
    let plain = human::Look { styled: false, width: None, hints: false };
    write(&mut out, settings.format, validation, settings, plain)
        .and_then(|()| out.flush())
        .map_err(|error| Error::io("write", path, &error))?;
    let look = terminal_look(printer);
    printer.results(|out| write(out, Format::Human, validation, settings, look))?;
    Ok(())
}

fn terminal_look(printer: &Printer) -> human::Look {
    human::Look { styled: true, width: printer.width(), hints: !printer.is_quiet() }
}

fn write(
    out: &mut dyn Write,
    format: Format,
    validation: &Validation,
    settings: &Validate,
    look: human::Look,
) -> io::Result<()> {
    let view = view(settings);
    match format {
        Format::Human => human::validation(out, validation, &view, look),
        Format::Json => json_v1::validation(out, validation, &view),
        Format::Sarif => sarif::validation(out, validation, &view),
        Format::Github => github::validation(out, validation, &view),
        Format::Junit => junit::validation(out, validation, &view),
    }
}
