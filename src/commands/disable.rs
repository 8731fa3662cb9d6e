//! `skills disable` and `skills enable`: move skills out of the agents' sight, and back.

use anyhow::Result;

use crate::cli::args::ReportFormat;
use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{SwitchSettings, Verb};
use crate::commands::install::{print, say};
use crate::commands::refusals::{conflicts, failed};
use crate::skills::model::error::ErrorKind;
use crate::skills::put::install::disable::{self, Switch};

/// Runs either command.
pub fn run(settings: &SwitchSettings, printer: &Printer) -> Result<ExitStatus> {
    let (context, options) = (&settings.context, &settings.options);
    let json = settings.format == ReportFormat::Json;
    let (verb, word) = match settings.switch {
        Switch::Disable => (Verb::Disable, "disabled"),
        Switch::Enable => (Verb::Enable, "enabled"),
    };
    let directories = &settings.destinations.directories;
    let known = match settings.switch {
        _ if settings.names.is_exact() => Vec::new(),
        Switch::Disable => disable::enabled_names(directories),
        Switch::Enable => disable::disabled_names(directories)?,
    };
    let names = settings.names.among(&known).map_err(Ending::refused)?;
    let reporter = progress::careful_bar(context.progress, word, names.len(), *printer)?;
    let moved = disable::switch(&names, directories, settings.switch, options, reporter.as_ref());
    let report = match moved {
        Err(error) if error.kind == ErrorKind::NotFound => {
            return Err(Ending::refused(error).into());
        }
        Err(error) => return Err(failed(error, reporter.as_ref())),
        Ok(report) => report,
    };
    say(&report.notices, context, printer);
    if !report.conflicts.is_empty() {
        return Err(conflicts(&report.conflicts, &[], verb, context, json, printer).into());
    }
    let home = settings.destinations.home.as_deref();
    print(&report, home, options.dry_run, context, json, printer)?;
    Ok(ExitStatus::Success)
}
