//! `skills man`: the manual page, or all of them.

use std::path::Path;

use anyhow::Result;
use clap::{Arg, Command};
use clap_mangen::Man;

use crate::cli::exit::ExitStatus;
use crate::cli::help;
use crate::cli::printer::Printer;
use crate::skills::model::error::Error;

/// Columns for text on a manual page, on a terminal of the usual width.
const COLUMNS: usize = 72;

/// Runs the command.
pub fn run(directory: Option<&Path>, printer: &Printer) -> Result<ExitStatus> {
    match directory {
        None => {
            let mut page = Vec::new();
            // Without `help`, which has no page.
            let command = pages().disable_help_subcommand(true);
            Man::new(command).render(&mut page)?;
            printer.bytes(&page)?;
        }
        Some(directory) => {
            std::fs::create_dir_all(directory)
                .map_err(|error| Error::io("create", directory, &error))?;
            clap_mangen::generate_to(pages(), directory)
                .map_err(|error| Error::io("write to", directory, &error))?;
        }
    }
    Ok(ExitStatus::Success)
}

/// The commands for the generator, which leaves out aliases of flags.
fn pages() -> Command {
    let mut command = help::fitted(COLUMNS);
    let names: Vec<String> =
        command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(name, |verb| verb.mut_args(with_aliases));
    }
    command
}

fn with_aliases(argument: Arg) -> Arg {
    let (Some(aliases), Some(help)) = (argument.get_visible_aliases(), argument.get_help()) else {
        return argument;
    };
    let help = format!("{help} [also: --{}]", aliases.join(", --"));
    argument.help(help)
}
