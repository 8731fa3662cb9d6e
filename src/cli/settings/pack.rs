//! Settings of `skills pack`.

use super::Settings;
use super::install::{Skills, Verb};
use crate::cli::args::{self, ReportFormat};
use crate::skills::find::left_out::Globs;
use crate::skills::model::error::Result;
use crate::skills::model::filter::PathFilter;
use crate::skills::put::pack::place::Place;

/// Settings of `skills pack`.
#[derive(Debug, Clone)]
pub struct Pack {
    /// Those of every command.
    pub common: Settings,
    /// The skills and how they are read.
    pub skills: Skills,
    /// Where archives go.
    pub place: Place,
    /// How to print what was done.
    pub format: ReportFormat,
}

impl Pack {
    /// Resolves the flags of `skills pack`.
    ///
    /// # Errors
    /// Whatever a flag gets wrong.
    pub fn resolve(args: &args::Pack, common: &Settings) -> Result<Self> {
        let selection =
            args::Selection { sources: args.sources.clone(), ..args::Selection::default() };
        let reading = args::Reading { no_validate: args.no_validate, ..args::Reading::default() };
        let mut skills = Skills::resolve(&selection, &reading, Verb::Pack, common)?;
        // Every archive is one of its own.
        skills.max_total_bytes = u64::MAX;
        // Globs that are none are better said once than for every skill.
        PathFilter::new(&args.include)?;
        PathFilter::new(&args.exclude)?;
        skills.read.pack =
            Some(Globs { include: args.include.clone(), exclude: args.exclude.clone() });
        let output = args.output.clone().unwrap_or_default();
        let is_archive =
            output.extension().is_some_and(|extension| extension == "skill" || extension == "zip");
        Ok(Self {
            common: common.clone(),
            skills,
            place: Place {
                is_file: is_archive && !output.is_dir(),
                output: common.directory.join(output),
                force: args.force,
            },
            format: args.format,
        })
    }
}
