//! Settings of `skills remove`, `skills disable` and `skills enable`.

use super::install::{destinations, options};
use crate::cli::args::{self, ReportFormat};
use crate::cli::context::Context;
use crate::skills::agents::ALL;
use crate::skills::model::error::Result;
use crate::skills::put::install;
use crate::skills::put::install::chosen::InstalledChoice;
use crate::skills::put::install::destination::Destinations;
use crate::skills::put::install::disable::Switch;

/// Settings of `skills remove`.
#[derive(Debug, Clone)]
pub struct RemoveSettings {
    /// Settings of every command.
    pub context: Context,
    /// Which skills.
    pub names: InstalledChoice,
    /// Where they are.
    pub destinations: Destinations,
    /// How to remove them.
    pub options: install::InstallOptions,
    /// How to print the result.
    pub format: ReportFormat,
}

/// Settings of `skills disable` and `skills enable`.
#[derive(Debug, Clone)]
pub struct SwitchSettings {
    /// Settings of every command.
    pub context: Context,
    /// Whether to disable or enable.
    pub switch: Switch,
    /// Which skills.
    pub names: InstalledChoice,
    /// Where they are.
    pub destinations: Destinations,
    /// How to move them.
    pub options: install::InstallOptions,
    /// How to print the result.
    pub format: ReportFormat,
}

impl RemoveSettings {
    /// Resolves the flags of `skills remove`.
    pub fn resolve(args: &args::RemoveArgs, context: &Context) -> Result<Self> {
        let destinations = destinations(&args.destination, true, context)?;
        let names =
            if args.all { InstalledChoice::all() } else { InstalledChoice::of(&args.names)? };
        Ok(Self {
            context: context.clone(),
            names,
            options: install::InstallOptions {
                within: destinations.within.clone(),
                ..options(&args.apply, false, context)
            },
            destinations,
            format: args.apply.format,
        })
    }
}

impl SwitchSettings {
    /// Resolves the flags of `skills disable` or `skills enable`. Without an agent, all agents
    /// count.
    pub fn resolve(args: &args::SwitchArgs, switch: Switch, context: &Context) -> Result<Self> {
        let mut wanted = args.destination.clone();
        if wanted.agent.is_empty() {
            wanted.agent.push(ALL.to_owned());
        }
        let destinations = destinations(&wanted, true, context)?;
        Ok(Self {
            context: context.clone(),
            switch,
            names: InstalledChoice::of(&args.names)?,
            options: install::InstallOptions {
                dry_run: args.dry_run,
                lock_timeout: args.lock_timeout,
                threads: context.threads,
                within: destinations.within.clone(),
                ..install::InstallOptions::default()
            },
            destinations,
            format: args.format,
        })
    }
}
