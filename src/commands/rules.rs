//! `skills rules`: all rules, as a table, as JSON or as the page in `docs/`.

use anyhow::Result;

use crate::cli::args::ListFormat;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::output::{json_v1, rule_docs};

/// Runs the command.
///
/// # Errors
/// Those of the stream.
pub fn run(format: ListFormat, printer: &Printer) -> Result<ExitStatus> {
    printer.results(|out| match format {
        ListFormat::Human => rule_docs::table(out, printer.width()),
        ListFormat::Json => json_v1::rules(out),
        ListFormat::Markdown => rule_docs::page(out),
    })?;
    Ok(ExitStatus::Success)
}
