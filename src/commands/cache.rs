//! `skills cache`: shows what was fetched, and removes it.

use std::time::SystemTime;

use anyhow::Result;

use crate::cli::args::ReportFormat;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::settings::CacheSettings;
use crate::output::{json, report as table};
use crate::skills::fetch::cache::{clean, contents};

/// Runs the command.
pub fn run(settings: &CacheSettings, printer: &Printer) -> Result<ExitStatus> {
    let root = settings.root.as_path();
    let cleaned = settings.clean.map(|rules| clean(root, rules, SystemTime::now()));
    let entries = contents(root);
    let screen = settings.context.screen();
    match settings.format {
        ReportFormat::Json => {
            printer.text(|out| json::report::cache(out, root, &entries, cleaned.as_ref()))?;
        }
        ReportFormat::Human => {
            printer.results(|out| table::cache(out, root, &entries, cleaned.as_ref(), &screen))?;
        }
    }
    // One reason usually holds for all of them, such as a disk that cannot be written to.
    match cleaned.as_ref().and_then(|cleaned| cleaned.failed.first()) {
        None => Ok(ExitStatus::Success),
        Some((_, error)) => {
            printer.error(error);
            Ok(error.kind.into())
        }
    }
}
