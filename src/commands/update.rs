//! `skills update`: asks every source once (`survey`), writes each directory in one transaction
//! (`apply`), and prints what changed.

use anyhow::Result;

use crate::cli::args::{ApplyArgs, DestinationArgs, OutdatedArgs, ReportFormat, UpdateArgs};
use crate::cli::context::Context;
use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::progress;
use crate::cli::settings::install::{destination_choice, names, options};
use crate::commands::install::say;
use crate::commands::notices;
use crate::commands::refusals::failed;
use crate::output::{json, report as table};
use crate::skills::model::error::ErrorKind;
use crate::skills::model::name::SkillName;
use crate::skills::put::install::InstallOptions;
use crate::skills::put::update::apply::{UpdateReport, apply};
use crate::skills::put::update::back::back;
use crate::skills::put::update::places::{self, Place};
use crate::skills::put::update::survey::{Survey, SurveyOptions, survey};
use crate::skills::put::update::{UpdateOutcome, UpdateState};

/// One run of `skills update`, or of `skills outdated` without a manifest.
struct Run<'a> {
    context: &'a Context,
    /// Which skills; empty means all.
    names: Vec<SkillName>,
    /// The skills directories that have a record.
    places: Vec<Place>,
    mode: Mode,
    /// Whether to print the changes line by line.
    diff: bool,
    /// Whether to remove skills that their sources no longer have.
    prune: bool,
    options: InstallOptions,
    format: ReportFormat,
}

#[derive(PartialEq, Eq)]
enum Mode {
    /// Updates skills, or prints the plan.
    Update,
    /// Checks whether something is outdated.
    Check,
    /// Undoes the last update.
    Undo,
}

/// Runs `skills update`.
pub fn run(args: &UpdateArgs, context: &Context) -> Result<ExitStatus> {
    let mode = match (args.undo, args.check) {
        (true, _) => Mode::Undo,
        (false, true) => Mode::Check,
        (false, false) => Mode::Update,
    };
    let options = InstallOptions {
        dry_run: args.apply.dry_run || args.check,
        keep_replaced: !args.undo,
        max_total_bytes: u64::MAX,
        ..options(&args.apply, false, context)
    };
    let (names, places) = (names(&args.names)?, places(&args.destination, context)?);
    let (diff, prune, format) = (args.diff, args.prune, args.apply.format);
    report(&Run { context, names, places, mode, diff, prune, options, format })
}

/// Runs `skills outdated` for installed skills.
pub fn outdated(args: &OutdatedArgs, context: &Context) -> Result<ExitStatus> {
    let apply = ApplyArgs { dry_run: true, ..ApplyArgs::default() };
    report(&Run {
        context,
        names: Vec::new(),
        places: places(&args.destination, context)?,
        mode: Mode::Update,
        diff: false,
        prune: false,
        options: InstallOptions { max_total_bytes: u64::MAX, ..options(&apply, false, context) },
        format: args.sources.format,
    })
}

fn places(args: &DestinationArgs, context: &Context) -> Result<Vec<Place>> {
    Ok(places::places(&destination_choice(args)?, &context.environment)?)
}

fn report(run: &Run<'_>) -> Result<ExitStatus> {
    let (context, printer) = (run.context, &run.context.printer);
    let report = match run.mode {
        Mode::Undo => take_back(run)?,
        Mode::Update | Mode::Check => update(run)?,
    };
    say(&report.notices, context, printer);
    notices::some(report.warnings.iter().cloned(), ("more warning", ""), context.verbose, printer);
    notices::errors(report.failures.iter(), printer);
    print(run, &report)?;
    Ok(status(run, &report))
}

/// Finds new versions, then installs them.
fn update(run: &Run<'_>) -> Result<UpdateReport> {
    let survey = look(run)?;
    let new = survey.candidates.len();
    let (context, options) = (run.context, &run.options);
    let reporter = progress::careful_bar(context.progress, "updated", new, context.printer)?;
    apply(survey, &run.places, run.prune, options, reporter.as_ref())
        .map_err(|error| failed(error, reporter.as_ref()))
}

fn look(run: &Run<'_>) -> Result<Survey> {
    let context = run.context;
    let reporter = progress::reporter(context.progress, "looked up");
    let options = SurveyOptions {
        names: &run.names,
        versions: run.diff,
        threads: context.threads,
        remotes: &context.remotes,
    };
    let survey = survey(&run.places, &options, reporter.as_ref());
    survey.map_err(|error| Ending::refused(error).into())
}

fn take_back(run: &Run<'_>) -> Result<UpdateReport> {
    let (context, options) = (run.context, &run.options);
    let number = run.names.len();
    let reporter = progress::careful_bar(context.progress, "restored", number, context.printer)?;
    let done = back(&run.places, &run.names, options, reporter.as_ref());
    done.map_err(|error| match error.kind {
        ErrorKind::NotFound => Ending::refused(error).into(),
        _ => failed(error, reporter.as_ref()),
    })
}

fn print(run: &Run<'_>, report: &UpdateReport) -> Result<()> {
    let (context, dry_run) = (run.context, run.options.dry_run);
    match run.format {
        ReportFormat::Json => {
            context.printer.text(|out| json::report::update(out, report, dry_run))?;
        }
        ReportFormat::Human => {
            let screen = context.screen();
            let view = table::UpdateView { dry_run, verbose: context.verbose, screen: &screen };
            context.printer.results(|out| table::update(out, report, &view))?;
        }
    }
    Ok(())
}

/// The exit code for the worst outcome.
fn status(run: &Run<'_>, report: &UpdateReport) -> ExitStatus {
    let any = |is: fn(&UpdateOutcome) -> bool| report.outcomes.iter().any(is);
    if !report.failures.is_empty() || any(|outcome| outcome.state.is_failure()) {
        ExitStatus::Failure
    } else if any(|outcome| outcome.state.is_refused())
        || run.mode == Mode::Check && any(|outcome| outcome.state == UpdateState::Outdated)
    {
        ExitStatus::Refused
    } else {
        ExitStatus::Success
    }
}
