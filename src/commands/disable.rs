//! `skills disable` and `skills enable`: move skills out of the agents' sight, and back.

use anyhow::Result;

use crate::cli::args::{ReportFormat, SwitchArgs};
use crate::cli::context::Context;
use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::progress;
use crate::cli::settings::Verb;
use crate::cli::settings::install::destinations;
use crate::commands::install::{print, say};
use crate::commands::refusals::{conflicts, failed};
use crate::skills::agents::ALL;
use crate::skills::model::error::ErrorKind;
use crate::skills::put::install::InstallOptions;
use crate::skills::put::install::chosen::InstalledChoice;
use crate::skills::put::install::disable::{self, Switch};

/// Runs either command. Without an agent, all agents count.
pub fn run(args: &SwitchArgs, switch: Switch, context: &Context) -> Result<ExitStatus> {
    let printer = &context.printer;
    let json = args.format == ReportFormat::Json;
    let mut wanted = args.destination.clone();
    if wanted.agent.is_empty() {
        wanted.agent.push(ALL.to_owned());
    }
    let destinations = destinations(&wanted, true, context)?;
    let choice = InstalledChoice::of(&args.names)?;
    let options = &InstallOptions {
        dry_run: args.dry_run,
        lock_timeout: args.lock_timeout,
        threads: context.threads,
        within: destinations.within.clone(),
        ..InstallOptions::default()
    };
    let (verb, word) = match switch {
        Switch::Disable => (Verb::Disable, "disabled"),
        Switch::Enable => (Verb::Enable, "enabled"),
    };
    let directories = &destinations.directories;
    let known = match switch {
        _ if choice.is_exact() => Vec::new(),
        Switch::Disable => disable::enabled_names(directories),
        Switch::Enable => disable::disabled_names(directories)?,
    };
    let names = choice.among(&known).map_err(Ending::refused)?;
    let reporter = progress::careful_bar(context.progress, word, names.len(), *printer)?;
    let moved = disable::switch(&names, directories, switch, options, reporter.as_ref());
    let report = match moved {
        Err(error) if error.kind == ErrorKind::NotFound => {
            return Err(Ending::refused(error).into());
        }
        Err(error) => return Err(failed(error, reporter.as_ref())),
        Ok(report) => report,
    };
    say(&report.notices, context, printer);
    if !report.conflicts.is_empty() {
        return Err(conflicts(&report.conflicts, &[], verb, context, json, printer).into());
    }
    let home = destinations.home.as_deref();
    print(&report, home, options.dry_run, context, json, printer)?;
    Ok(ExitStatus::Success)
}
