//! `skills cache`: shows what was fetched, and removes it.

use std::time::SystemTime;

use anyhow::Result;

use crate::cli::args::{CacheAction, CacheArgs, ReportFormat};
use crate::cli::context::Context;
use crate::cli::exit::ExitStatus;
use crate::output::{json, report as table};
use crate::skills::fetch::cache::{self, CleaningRules, clean, contents};

/// Runs the command.
pub fn run(args: &CacheArgs, context: &Context) -> Result<ExitStatus> {
    let (printer, screen) = (context.printer, context.screen());
    let root = &cache::root(&context.environment)?;
    let rules = CleaningRules { older_than: args.older_than, max_bytes: args.max_size };
    let cleaned = args.action.map(|CacheAction::Clean| clean(root, rules, SystemTime::now()));
    let entries = contents(root);
    match args.format {
        ReportFormat::Json => {
            printer.text(|out| json::report::cache(out, root, &entries, cleaned.as_ref()))?;
        }
        ReportFormat::Human => {
            printer.results(|out| table::cache(out, root, &entries, cleaned.as_ref(), &screen))?;
        }
    }
    // One reason usually holds for all of them, such as a disk that cannot be written to.
    match cleaned.as_ref().and_then(|cleaned| cleaned.failed.first()) {
        None => Ok(ExitStatus::Success),
        Some((_, error)) => {
            printer.error(error);
            Ok(error.kind.into())
        }
    }
}
