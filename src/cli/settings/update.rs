//! Settings of `skills update`, and of `skills outdated` without a manifest.

use super::install::{destination_choice, names, options};
use crate::cli::args::{self, ApplyArgs, ReportFormat};
use crate::cli::context::Context;
use crate::skills::model::error::Result;
use crate::skills::model::name::SkillName;
use crate::skills::put::install::InstallOptions;
use crate::skills::put::update::places::{self, Place};

/// Settings of `skills update`.
#[derive(Debug, Clone)]
pub struct UpdateSettings {
    /// Settings of every command.
    pub context: Context,
    /// Which skills; empty means all.
    pub names: Vec<SkillName>,
    /// The skills directories that have a record.
    pub places: Vec<Place>,
    /// What to do.
    pub mode: UpdateMode,
    /// Whether to print the changes line by line.
    pub diff: bool,
    /// Whether to remove skills that their sources no longer have.
    pub prune: bool,
    /// How to replace skills.
    pub options: InstallOptions,
    /// How to print the result.
    pub format: ReportFormat,
}

/// What `skills update` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateMode {
    /// Updates skills, or prints the plan.
    Update,
    /// Checks whether something is outdated.
    Check,
    /// Undoes the last update.
    Undo,
}

impl UpdateSettings {
    /// Resolves the flags of `skills update`.
    pub fn resolve(args: &args::UpdateArgs, context: &Context) -> Result<Self> {
        let mode = match (args.undo, args.check) {
            (true, _) => UpdateMode::Undo,
            (false, true) => UpdateMode::Check,
            (false, false) => UpdateMode::Update,
        };
        let options = InstallOptions {
            dry_run: args.apply.dry_run || args.check,
            keep_replaced: !args.undo,
            max_total_bytes: u64::MAX,
            ..options(&args.apply, false, context)
        };
        Ok(Self {
            context: context.clone(),
            names: names(&args.names)?,
            places: places(&args.destination, context)?,
            mode,
            diff: args.diff,
            prune: args.prune,
            options,
            format: args.apply.format,
        })
    }

    /// Resolves the flags of `skills outdated` for installed skills.
    pub fn outdated(args: &args::OutdatedArgs, context: &Context) -> Result<Self> {
        let apply = ApplyArgs { dry_run: true, ..ApplyArgs::default() };
        Ok(Self {
            context: context.clone(),
            names: Vec::new(),
            places: places(&args.destination, context)?,
            mode: UpdateMode::Update,
            diff: false,
            prune: false,
            options: InstallOptions {
                max_total_bytes: u64::MAX,
                ..options(&apply, false, context)
            },
            format: args.sources.format,
        })
    }
}

fn places(args: &args::DestinationArgs, context: &Context) -> Result<Vec<Place>> {
    places::places(&destination_choice(args)?, &context.environment)
}
