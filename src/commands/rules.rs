//! `skills rules`: all rules, as a table, as JSON or as the page in `docs/`.

use anyhow::Result;

use crate::cli::args::RuleFormat;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::output::{json, rule_docs};

/// Runs the command.
pub fn run(format: RuleFormat, printer: &Printer) -> Result<ExitStatus> {
    match format {
        RuleFormat::Human => printer.results(|out| rule_docs::table(out, printer.width()))?,
        RuleFormat::Json => printer.text(|out| json::rules(out))?,
        RuleFormat::Markdown => printer.text(|out| rule_docs::page(out))?,
    }
    Ok(ExitStatus::Success)
}
