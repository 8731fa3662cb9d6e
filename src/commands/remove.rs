//! `skills remove`: the reverse of install, and as careful.

use std::path::Path;

use anyhow::Result;

use crate::cli::args::{RemoveArgs, ReportFormat};
use crate::cli::context::Context;
use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::Verb;
use crate::cli::settings::install::{destinations, options};
use crate::commands::install::{say, table};
use crate::commands::refusals::{conflicts, failed};
use crate::output::{json, layout};
use crate::skills::model::error::ErrorKind;
use crate::skills::model::name::SkillName;
use crate::skills::put::install::chosen::{self, InstalledChoice};
use crate::skills::put::install::destination::{self, CopyElsewhere};
use crate::skills::put::install::{self, InstallOptions};

/// Runs the command.
pub fn run(args: &RemoveArgs, context: &Context) -> Result<ExitStatus> {
    let printer = &context.printer;
    let json = args.apply.format == ReportFormat::Json;
    let destinations = destinations(&args.destination, true, context)?;
    let choice = if args.all { InstalledChoice::all() } else { InstalledChoice::of(&args.names)? };
    let within = destinations.within.clone();
    let options = &InstallOptions { within, ..options(&args.apply, false, context) };
    let directories = &destinations.directories;
    let known = if choice.is_exact() { Vec::new() } else { chosen::recorded(directories)? };
    let names = choice.among(&known).map_err(Ending::refused)?;
    let reporter = progress::careful_bar(context.progress, "removed", names.len(), *printer)?;
    let report = match install::remove(&names, directories, options, reporter.as_ref()) {
        Err(error) if error.kind == ErrorKind::NotFound => {
            return Err(Ending::refused(error).into());
        }
        Err(error) => return Err(failed(error, reporter.as_ref())),
        Ok(report) => report,
    };
    say(&report.notices, context, printer);
    if !report.conflicts.is_empty() {
        return Err(conflicts(&report.conflicts, &[], Verb::Remove, context, json, printer).into());
    }
    let others = destination::other_copies(&names, &destinations, &context.environment);
    if json {
        let context = json::report::Context {
            home: destinations.home.as_deref(),
            dry_run: options.dry_run,
            other_copies: Some(&others),
            ..Default::default()
        };
        printer.text(|out| json::report::install(out, &report, &context))?;
    } else {
        table(&report, options.dry_run, context, printer)?;
    }
    tell_of_copies(&names, &others, context, printer);
    Ok(ExitStatus::Success)
}

/// Says which other directories of agents still have a copy.
fn tell_of_copies(
    names: &[SkillName],
    others: &[CopyElsewhere],
    context: &Context,
    printer: &Printer,
) {
    let home = context.environment.home.as_deref();
    let directory = |path: &Path| layout::shown(path, &context.directory, home);
    for name in names {
        let shown: Vec<String> = others
            .iter()
            .filter(|copy| copy.name == name.as_str())
            .filter_map(|copy| copy.path.parent())
            .map(|path| format!("`{}`", directory(path)))
            .collect();
        if !shown.is_empty() {
            let list = shown.join(", ");
            printer.note(&format!("`{name}` is also in {list}; `--agent all` removes every copy"));
        }
    }
}
