//! `skills validate`: find the skills, judge them, repair what was asked for, print.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;
use tracing::debug;

use crate::cli::args::FindingsFormat;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{Repairs, ValidateSettings};
use crate::commands::locked::{self, LockUse};
use crate::commands::notices;
use crate::output::human::Hints;
use crate::output::wrap::wrap;
use crate::output::{
    FindingsView, Screen, count, diff, github, human, json_v1, junit, paths, sanitize, sarif,
};
use crate::skills::files::atomic;
use crate::skills::files::directory::OpenDirectory;
use crate::skills::find::scan::Scan;
use crate::skills::find::selection;
use crate::skills::judge::fix::{self, Repair};
use crate::skills::judge::rule::Check;
use crate::skills::judge::rule::{Finding, Severity};
use crate::skills::judge::validate::{self, Validation, conclude};
use crate::skills::model::error::Error;
use crate::skills::model::source::Skill;

/// Runs the command.
///
/// # Errors
/// Whatever keeps the skills from being judged or the result from being written.
pub fn run(settings: &ValidateSettings, printer: &Printer) -> Result<ExitStatus> {
    let warnings = settings.concerns.warnings();
    warnings.iter().for_each(|warning| printer.warning(warning));
    let (scan, mut validation) = judge(settings, LockUse::Always, printer)?;
    let mut failed =
        notices::scan(&scan, &settings.common.directory, settings.common.verbose, printer);
    validation.require_read()?;

    match settings.repairs {
        Repairs::Report => print(settings, &validation, printer)?,
        Repairs::Show => show_repairs(settings, &validation, printer)?,
        Repairs::Make => {
            let repaired = make_repairs(settings, &validation, printer);
            failed |= repaired.failed;
            (_, validation) = judge(settings, LockUse::Never, printer)?;
            print(settings, &validation, printer)?;
            report_repairs(settings, &repaired, printer)?;
        }
    }
    failed |= notices::errors(validation.skills.iter().flat_map(|one| &one.unseen), printer);
    // What could not be read or written outweighs what was found.
    let warned = validation.strict && !warnings.is_empty();
    Ok(match (failed, validation.has_failed() || warned) {
        (true, _) => ExitStatus::Failure,
        (false, true) => ExitStatus::Refused,
        (false, false) => ExitStatus::Success,
    })
}

/// Finds, reads and judges the skills in one pass.
fn judge(
    settings: &ValidateSettings,
    lock: LockUse,
    printer: &Printer,
) -> Result<(Scan, Validation)> {
    let (selection, options, common) = (&settings.selection, &settings.options, &settings.common);
    let reporter = progress::reporter(common.progress, "validated");
    let make = |skill: Skill, open: Option<&OpenDirectory>, content: &_, inventory: &_| {
        validate::judge(skill, open, content, inventory, options)
    };
    let output = (reporter.as_ref(), printer);
    let (skills, mut scan) = locked::find(selection, lock, options.look, common, output, &make)?;
    selection::require_some(selection, skills.len(), &mut scan)?;
    let validation = conclude(skills, &settings.options);
    debug!(skills = validation.skills.len(), findings = validation.findings.len(), "validated");
    Ok((scan, validation))
}

fn view(settings: &ValidateSettings) -> FindingsView<'_> {
    FindingsView { directory: &settings.common.directory, notes: settings.common.verbose }
}

/// What there is to repair, one skill after the other. One that has several names is one still.
fn repairs(settings: &ValidateSettings, validation: &Validation) -> impl Iterator<Item = Repair> {
    let mut fixable = validation.skills_with(|finding| finding.fix.is_some());
    let skills = validation.skills.iter().map(|checked| &checked.skill);
    skills
        .filter(move |skill| fixable.remove(skill.path.as_path()))
        .filter_map(|skill| fix::plan(skill, &settings.options))
}

fn show_repairs(
    settings: &ValidateSettings,
    validation: &Validation,
    printer: &Printer,
) -> io::Result<()> {
    let view = view(settings);
    printer.results(|out| {
        let (mut findings, mut left) = (0, 0);
        let mut skills = HashSet::new();
        for repair in repairs(settings, validation) {
            diff::repair(out, &repair, &settings.common.directory)?;
            findings += repair.settled;
            left += repair.left.iter().filter(|one| view.notes || **one > Severity::Note).count();
            skills.insert(repair.skill);
        }
        // Repairs of one skill do not settle findings about several skills.
        let is_left = |finding: &&Finding| {
            let is_alone = matches!(finding.rule.check, Check::Skill(_));
            view.shows(finding) && !(is_alone && skills.contains(&finding.skill_path))
        };
        left += validation.findings.iter().filter(is_left).count();
        let (findings, skills) = (count(findings, "finding"), count(skills.len(), "skill"));
        let mut text = format!("{findings} would be repaired in {skills}");
        if left > 0 {
            text += &format!(", {left} would be left (`skills validate` shows what is wrong)");
        }
        writeln!(out, "{}", wrap(&text, printer.width(), 0, ""))
    })
}

/// What was repaired, how many findings that settled, and whether a repair failed.
#[derive(Default)]
struct Repaired {
    repairs: Vec<Repair>,
    findings: usize,
    failed: bool,
}

fn make_repairs(
    settings: &ValidateSettings,
    validation: &Validation,
    printer: &Printer,
) -> Repaired {
    let mut repaired = Repaired::default();
    for repair in repairs(settings, validation) {
        // One file that cannot be written must not keep the others from being repaired.
        match fix::apply(&repair) {
            Ok(()) => {
                repaired.findings += repair.settled;
                repaired.repairs.push(repair);
            }
            Err(error) => {
                printer.error(&error);
                repaired.failed = true;
            }
        }
    }
    repaired
}

/// One line for people, and with `-v` one for each file; they would spoil a document for machines.
fn report_repairs(
    settings: &ValidateSettings,
    repaired: &Repaired,
    printer: &Printer,
) -> io::Result<()> {
    let for_people = settings.format == FindingsFormat::Human || settings.output.is_some();
    if repaired.findings == 0 || !for_people {
        return Ok(());
    }
    let name = |path: &Path| {
        let path = paths::relative(path, &settings.common.directory);
        sanitize::line(&path).into_owned()
    };
    let skills = count(repaired.repairs.len(), "skill");
    printer.text(|out| {
        for repair in repaired.repairs.iter().filter(|_| settings.common.verbose) {
            if repair.before != repair.after {
                writeln!(out, "repaired {}", name(&repair.file))?;
            }
            if let Some(target) = &repair.rename {
                writeln!(out, "renamed {} to {}", name(&repair.file), name(target))?;
            }
            for path in &repair.executable {
                writeln!(out, "made {} executable", name(&repair.skill.join(path)))?;
            }
        }
        writeln!(out, "repaired {} in {skills}", count(repaired.findings, "finding"))
    })
}

/// The chosen format to the terminal; or to a file, and human text to the terminal.
fn print(settings: &ValidateSettings, validation: &Validation, printer: &Printer) -> Result<()> {
    // What could not be repaired just now cannot be repaired the same way.
    let hints = Hints::of(printer.is_quiet(), settings.repairs == Repairs::Report);
    let screen = settings.common.screen(printer);
    let show = |format: FindingsFormat| {
        let write = |out: &mut dyn Write| write(out, format, validation, settings, &screen, hints);
        let has_styles = format == FindingsFormat::Human && screen.styled;
        if has_styles { printer.results(write) } else { printer.text(write) }
    };
    let Some(path) = &settings.output else { return Ok(show(settings.format)?) };
    let plain = Screen { width: None, styled: false, ..screen };
    let mut text = Vec::new();
    write(&mut text, settings.format, validation, settings, &plain, Hints::None)?;
    atomic::write_named(path, &text).map_err(|error| Error::writing("write", path, &error))?;
    Ok(show(FindingsFormat::Human)?)
}

fn write(
    out: &mut dyn Write,
    format: FindingsFormat,
    validation: &Validation,
    settings: &ValidateSettings,
    screen: &Screen<'_>,
    hints: Hints,
) -> io::Result<()> {
    let view = view(settings);
    match format {
        FindingsFormat::Human => human::validation(out, validation, &view, screen, hints),
        FindingsFormat::Json => json_v1::validation(out, validation),
        FindingsFormat::Sarif => sarif::validation(out, validation, &view),
        FindingsFormat::Github => github::validation(out, validation, &view),
        FindingsFormat::Junit => junit::validation(out, validation, &view),
    }
}
