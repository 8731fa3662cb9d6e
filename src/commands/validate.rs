//! `skills validate`: find the skills, judge them, repair what was asked for, print.

use std::io::{self, Write};

use anyhow::Result;
use tracing::debug;

use crate::cli::args::Format;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{Repairs, Validate};
use crate::commands::locked;
use crate::commands::notices;
use crate::output::wrap::wrap;
use crate::output::{Screen, View, count, diff, github, human, json_v1, junit, sarif};
use crate::skills::atomic;
use crate::skills::error::Error;
use crate::skills::fix::{self, Repair};
use crate::skills::scan::{OpenDirectory, Scan};
use crate::skills::selection;
use crate::skills::source::Skill;
use crate::skills::validate::{Validation, check_skill, conclude};

/// Runs the command.
///
/// # Errors
/// Whatever keeps the skills from being judged or the result from being written.
pub fn run(settings: &Validate, printer: &Printer) -> Result<ExitStatus> {
    locked::read_and_compare(&settings.selection, &settings.common, printer)?;
    let (scan, mut validation) = judge(settings)?;
    let mut failed =
        notices::scan(&scan, &settings.common.directory, settings.common.verbose, printer);
    refuse_if_nothing_was_read(&validation)?;

    match settings.repairs {
        Repairs::Report => print(settings, &validation, printer)?,
        Repairs::Show => show_repairs(settings, &validation, printer)?,
        Repairs::Make => {
            let repaired = make_repairs(settings, &validation, printer);
            failed |= repaired.failed;
            (_, validation) = judge(settings)?;
            print(settings, &validation, printer)?;
            report_repairs(settings, &repaired, printer)?;
        }
    }
    failed |= notices::errors(validation.skills.iter().flat_map(|one| &one.unseen), printer);
    // What could not be read or written outweighs what was found.
    Ok(match (failed, validation.has_failed()) {
        (true, _) => ExitStatus::Failure,
        (false, true) => ExitStatus::Refused,
        (false, false) => ExitStatus::Success,
    })
}

/// Finds, reads and judges the skills in one pass.
fn judge(settings: &Validate) -> Result<(Scan, Validation)> {
    let reporter = progress::reporter(settings.common.progress, "validated");
    let read = |skill: Skill, open: Option<OpenDirectory>| {
        let checked = check_skill(skill, open, &settings.options);
        reporter.step();
        checked
    };
    let (skills, scan) = selection::select(&settings.selection, &read)?;
    reporter.finish();
    let validation = conclude(skills, &settings.options);
    debug!(skills = validation.skills.len(), findings = validation.findings.len(), "validated");
    Ok((scan, validation))
}

/// A run that could not open a single file has judged nothing.
fn refuse_if_nothing_was_read(validation: &Validation) -> Result<()> {
    let first = validation.skills.first().and_then(|checked| {
        checked.unreadable.as_ref().map(|reason| (checked.skill.file(), reason))
    });
    match first {
        Some((file, reason)) if validation.skills.iter().all(|one| one.unreadable.is_some()) => {
            Err(Error::unreadable(file, reason).into())
        }
        _ => Ok(()),
    }
}

fn view(settings: &Validate) -> View<'_> {
    View { directory: &settings.common.directory, notes: settings.common.verbose }
}

/// What there is to repair, one skill after the other. One that has several names is one still.
fn repairs(settings: &Validate, validation: &Validation) -> impl Iterator<Item = Repair> {
    let mut fixable = validation.skills_with(|finding| finding.fix.is_some());
    let skills = validation.skills.iter().map(|checked| &checked.skill);
    skills
        .filter(move |skill| fixable.remove(skill.path.as_path()))
        .filter_map(|skill| fix::plan(skill, &settings.options))
}

fn show_repairs(settings: &Validate, validation: &Validation, printer: &Printer) -> io::Result<()> {
    printer.results(|out| {
        let (mut findings, mut skills) = (0, 0);
        for repair in repairs(settings, validation) {
            diff::repair(out, &repair, &settings.common.directory)?;
            findings += repair.settled;
            skills += 1;
        }
        let (findings, skills) = (count(findings, "finding"), count(skills, "skill"));
        let text = format!("{findings} would be repaired in {skills}");
        writeln!(out, "{}", wrap(&text, printer.width(), 0, ""))
    })
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
    printer.text(|out| writeln!(out, "repaired {findings} in {skills}"))
}

/// The chosen format to the terminal; or to a file, and human text to the terminal.
fn print(settings: &Validate, validation: &Validation, printer: &Printer) -> Result<()> {
    let (screen, hints) = (settings.common.screen(printer), !printer.is_quiet());
    let show = |format: Format| {
        let write = |out: &mut dyn Write| write(out, format, validation, settings, &screen, hints);
        let has_styles = format == Format::Human && screen.styled;
        if has_styles { printer.results(write) } else { printer.text(write) }
    };
    let Some(path) = &settings.output else { return Ok(show(settings.format)?) };
    let plain = Screen { width: None, styled: false, ..screen };
    let mut text = Vec::new();
    write(&mut text, settings.format, validation, settings, &plain, false)?;
    atomic::write_named(path, &text).map_err(|error| Error::writing("write", path, &error))?;
    Ok(show(Format::Human)?)
}

fn write(
    out: &mut dyn Write,
    format: Format,
    validation: &Validation,
    settings: &Validate,
    screen: &Screen<'_>,
    hints: bool,
) -> io::Result<()> {
    let view = view(settings);
    match format {
        Format::Human => human::validation(out, validation, &view, screen, hints),
        Format::Json => json_v1::validation(out, validation),
        Format::Sarif => sarif::validation(out, validation, &view),
        Format::Github => github::validation(out, validation, &view),
        Format::Junit => junit::validation(out, validation, &view),
    }
}
