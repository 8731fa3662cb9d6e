//! `skills completions`: a script for a shell.

use anyhow::Result;
use clap_complete::Shell;

use crate::cli::completions;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;

/// Runs the command.
pub fn run(shell: Shell, printer: &Printer) -> Result<ExitStatus> {
    printer.bytes(completions::script(shell).as_bytes())?;
    Ok(ExitStatus::Success)
}
