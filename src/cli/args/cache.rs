//! The flags of `skills cache`.

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::ReportFormat;
use super::install::size_value;
use super::mount::age_value;

/// `skills cache`
#[derive(Debug, Args)]
#[command(
    after_help = "The cache has what was fetched: git repositories, archives, and artifacts of sites and \
    registries.\nAll of it can be fetched again. What another run is using stays.\n\nExamples:\n  \
    skills cache                         show what is in the cache\n  \
    skills cache clean                   empty it\n  \
    skills cache clean --older-than 30d  remove what was not used lately\n  \
    skills cache clean --max-size 1GiB   remove the least recently used"
)]
pub struct CacheArgs {
    /// What to do [default: show what is in the cache]
    #[arg(value_enum, value_name = "ACTION")]
    pub action: Option<CacheAction>,
    /// Remove what was not used for this long, such as 12h or 30d
    #[arg(long, value_name = "AGE", value_parser = age_value, requires = "action")]
    pub older_than: Option<Duration>,
    /// Remove what was used least recently, until this much is left
    #[arg(long, value_name = "SIZE", value_parser = size_value, requires = "action")]
    pub max_size: Option<u64>,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: ReportFormat,
}

/// What to do with the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CacheAction {
    /// Remove entries; all of them without --older-than and --max-size
    Clean,
}
