//! `skills completions`: a script for a shell.

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::args::Cli;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;

/// Runs the command.
///
/// # Errors
/// Those of the stream.
pub fn run(shell: Shell, printer: &Printer) -> Result<ExitStatus> {
    // The generator panics when its stream fails, so it never sees the real one.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), env!("CARGO_PKG_NAME"), &mut script);
    printer.results(|out| out.write_all(&script))?;
    Ok(ExitStatus::Success)
}
