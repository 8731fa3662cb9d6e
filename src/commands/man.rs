//! `skills man`: the manual page, or all of them.

use std::path::Path;

use anyhow::Result;
use clap_mangen::Man;

use crate::cli::exit::ExitStatus;
use crate::cli::help;
use crate::cli::printer::Printer;
use crate::skills::model::error::Error;

/// Room for text on a manual page, on a terminal of the usual width.
const COLUMNS: usize = 72;

/// Runs the command.
///
/// # Errors
/// Those of the stream, or of the directory.
pub fn run(directory: Option<&Path>, printer: &Printer) -> Result<ExitStatus> {
    match directory {
        None => {
            let mut page = Vec::new();
            // As in the files, which have none for `help`.
            let command = help::fitted(COLUMNS).disable_help_subcommand(true);
            Man::new(command).render(&mut page)?;
            printer.bytes(&page)?;
        }
        Some(directory) => {
            std::fs::create_dir_all(directory)
                .map_err(|error| Error::io("create", directory, &error))?;
            clap_mangen::generate_to(help::fitted(COLUMNS), directory)
                .map_err(|error| Error::io("write to", directory, &error))?;
        }
    }
    Ok(ExitStatus::Success)
}
