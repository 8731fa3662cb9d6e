//! `skills explain`: the full documentation of one rule.

use anyhow::Result;

use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::output::rule_docs;
use crate::skills::judge::rules;

/// Runs the command.
pub fn run(id: &str, printer: &Printer) -> Result<ExitStatus> {
    let rule = rules::find(id)?;
    printer.results(|out| rule_docs::explain(out, rule, printer.width()))?;
    Ok(ExitStatus::Success)
}
