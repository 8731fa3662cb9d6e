//! `skills unmount`: removes homes that `skills mount` made.

use anyhow::Result;

use crate::cli::args::UnmountArgs;
use crate::cli::context::Context;
use crate::cli::exit::ExitStatus;
use crate::cli::settings::mount::temporary;
use crate::commands::notices;
use crate::output::sanitize;
use crate::skills::model::environment::normalized;
use crate::skills::mount::home::{self, Unmounted};

/// Runs the command.
pub fn run(args: &UnmountArgs, context: &Context) -> Result<ExitStatus> {
    let printer = &context.printer;
    let mut refused = false;
    for path in args.homes.iter().map(|home| normalized(home)) {
        // A home that cannot be removed must not block the others.
        match home::unmount(&path) {
            Ok(Unmounted::Removed(words)) => words.iter().for_each(|word| printer.warning(word)),
            Ok(Unmounted::Absent) => {
                printer.note(&format!("no home is at `{}`; nothing was removed", path.display()));
            }
            Err(error) => {
                printer.error(&error);
                refused = true;
            }
        }
    }
    if args.stale {
        let reaped = home::reap(&temporary(&context.environment), args.older_than);
        reaped.words.iter().for_each(|word| printer.warning(word));
        refused |= notices::errors(reaped.problems.iter(), printer);
        printer.text(|out| {
            reaped.gone.iter().try_for_each(|path| {
                writeln!(out, "removed {}", sanitize::line(&path.to_string_lossy()))
            })
        })?;
    }
    Ok(if refused { ExitStatus::Refused } else { ExitStatus::Success })
}
