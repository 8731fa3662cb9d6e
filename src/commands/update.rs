//! `skills update`: asks every source once (`survey`), writes each directory in one transaction
//! (`apply`), and prints what changed.

use anyhow::Result;

use crate::cli::args::ReportFormat;
use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{UpdateMode, UpdateSettings};
use crate::commands::install::say;
use crate::commands::notices;
use crate::commands::refusals::failed;
use crate::output::{json, report as table};
use crate::skills::model::error::ErrorKind;
use crate::skills::put::update::apply::{UpdateReport, apply};
use crate::skills::put::update::back::back;
use crate::skills::put::update::survey::{Survey, SurveyOptions, survey};
use crate::skills::put::update::{UpdateOutcome, UpdateState};

/// Runs the command.
pub fn run(settings: &UpdateSettings, printer: &Printer) -> Result<ExitStatus> {
    let context = &settings.context;
    let report = match settings.mode {
        UpdateMode::Undo => take_back(settings, printer)?,
        UpdateMode::Update | UpdateMode::Check => update(settings, printer)?,
    };
    say(&report.notices, context, printer);
    notices::some(report.warnings.iter().cloned(), ("more warning", ""), context.verbose, printer);
    notices::errors(report.failures.iter(), printer);
    print(settings, &report, printer)?;
    Ok(status(settings, &report))
}

/// Finds new versions, then installs them.
fn update(settings: &UpdateSettings, printer: &Printer) -> Result<UpdateReport> {
    let survey = look(settings)?;
    let new = survey.candidates.len();
    let (context, options) = (&settings.context, &settings.options);
    let reporter = progress::careful_bar(context.progress, "updated", new, *printer)?;
    apply(survey, &settings.places, settings.prune, options, reporter.as_ref())
        .map_err(|error| failed(error, reporter.as_ref()))
}

fn look(settings: &UpdateSettings) -> Result<Survey> {
    let context = &settings.context;
    let reporter = progress::reporter(context.progress, "looked up");
    let options = SurveyOptions {
        names: &settings.names,
        versions: settings.diff,
        threads: context.threads,
        remotes: &context.remotes,
    };
    let survey = survey(&settings.places, &options, reporter.as_ref());
    survey.map_err(|error| Ending::refused(error).into())
}

fn take_back(settings: &UpdateSettings, printer: &Printer) -> Result<UpdateReport> {
    let (context, options) = (&settings.context, &settings.options);
    let number = settings.names.len();
    let reporter = progress::careful_bar(context.progress, "restored", number, *printer)?;
    let done = back(&settings.places, &settings.names, options, reporter.as_ref());
    done.map_err(|error| match error.kind {
        ErrorKind::NotFound => Ending::refused(error).into(),
        _ => failed(error, reporter.as_ref()),
    })
}

fn print(settings: &UpdateSettings, report: &UpdateReport, printer: &Printer) -> Result<()> {
    let (context, dry_run) = (&settings.context, settings.options.dry_run);
    match settings.format {
        ReportFormat::Json => {
            printer.text(|out| json::report::update(out, report, dry_run))?;
        }
        ReportFormat::Human => {
            let screen = context.screen();
            let view = table::UpdateView { dry_run, verbose: context.verbose, screen: &screen };
            printer.results(|out| table::update(out, report, &view))?;
        }
    }
    Ok(())
}

/// The exit code for the worst outcome.
fn status(settings: &UpdateSettings, report: &UpdateReport) -> ExitStatus {
    let any = |is: fn(&UpdateOutcome) -> bool| report.outcomes.iter().any(is);
    if !report.failures.is_empty() || any(|outcome| outcome.state.is_failure()) {
        ExitStatus::Failure
    } else if any(|outcome| outcome.state.is_refused())
        || settings.mode == UpdateMode::Check
            && any(|outcome| outcome.state == UpdateState::Outdated)
    {
        ExitStatus::Refused
    } else {
        ExitStatus::Success
    }
}
