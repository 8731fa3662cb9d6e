//! Settings of `skills cache`.

use std::path::PathBuf;

use crate::cli::args::{self, ReportFormat};
use crate::cli::context::Context;
use crate::skills::fetch::cache::{self, CleaningRules};
use crate::skills::model::error::Result;

/// Settings of `skills cache`.
#[derive(Debug, Clone)]
pub struct CacheSettings {
    /// Those of every command.
    pub context: Context,
    /// The cache directory.
    pub root: PathBuf,
    /// What should go; none to show what is there.
    pub clean: Option<CleaningRules>,
    /// How to print it.
    pub format: ReportFormat,
}

impl CacheSettings {
    /// Resolves the flags of `skills cache`.
    pub fn resolve(args: &args::CacheArgs, context: &Context) -> Result<Self> {
        let rules = CleaningRules { older_than: args.older_than, max_bytes: args.max_size };
        Ok(Self {
            root: cache::root(&context.environment)?,
            clean: args.action.map(|args::CacheAction::Clean| rules),
            context: context.clone(),
            format: args.format,
        })
    }
}
