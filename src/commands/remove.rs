//! `skills remove`: the reverse of install, and as careful.

use anyhow::Result;

use crate::cli::args::ReportFormat;
use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{RemoveSettings, Verb};
use crate::commands::install::{print, say};
use crate::commands::refusals::{conflicts, failed};
use crate::skills::model::error::ErrorKind;
use crate::skills::put::install;

/// Runs the command.
///
/// # Errors
/// Whatever keeps the skills from being removed; nothing has changed then.
pub fn run(settings: &RemoveSettings, printer: &Printer) -> Result<ExitStatus> {
    let (common, options) = (&settings.common, &settings.options);
    let json = settings.format == ReportFormat::Json;
    let reporter =
        progress::careful_bar(common.progress, "removed", settings.names.len(), *printer)?;
    let directories = &settings.destinations.directories;
    let removed = install::remove(&settings.names, directories, options, reporter.as_ref());
    let report = match removed {
        Err(error) if error.kind == ErrorKind::NotFound => {
            return Err(Ending::refused(error).into());
        }
        Err(error) => return Err(failed(error, reporter.as_ref())),
        Ok(report) => report,
    };
    say(&report.notices, common, printer);
    if !report.conflicts.is_empty() {
        return Err(conflicts(&report.conflicts, Verb::Remove, common, json, printer).into());
    }
    let home = settings.destinations.home.as_deref();
    print(&report, home, options.dry_run, common, json, printer)?;
    Ok(ExitStatus::Success)
}
