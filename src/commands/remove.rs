//! `skills remove`: the reverse of install, and as careful.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cli::args::ReportFormat;
use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{RemoveSettings, Verb};
use crate::commands::install::{print, say};
use crate::commands::refusals::{conflicts, failed};
use crate::output::paths;
use crate::skills::model::error::{Error, ErrorKind};
use crate::skills::model::name::SkillName;
use crate::skills::model::reporter::Reporter;
use crate::skills::put::install::disable::{self, Switch};
use crate::skills::put::install::{self, InstallSummary, chosen};

/// Runs the command.
///
/// # Errors
/// Any failure to remove the skills; nothing has changed then.
pub fn run(settings: &RemoveSettings, printer: &Printer) -> Result<ExitStatus> {
    let (common, options) = (&settings.common, &settings.options);
    let json = settings.format == ReportFormat::Json;
    let directories = &settings.destinations.directories;
    let known = if settings.names.is_exact() { Vec::new() } else { chosen::recorded(directories)? };
    let names = settings.names.among(&known).map_err(Ending::refused)?;
    let reporter = progress::careful_bar(common.progress, "removed", names.len(), *printer)?;
    let report = match remove(&names, settings, reporter.as_ref()) {
        Err(error) if error.kind == ErrorKind::NotFound => {
            return Err(Ending::refused(error).into());
        }
        Err(error) => return Err(failed(error, reporter.as_ref())),
        Ok(report) => report,
    };
    say(&report.notices, common, printer);
    if !report.conflicts.is_empty() {
        return Err(conflicts(&report.conflicts, Verb::Remove, common, json, printer).into());
    }
    let home = settings.destinations.home.as_deref();
    print(&report, home, options.dry_run, common, json, printer)?;
    tell_of_copies(&names, settings, printer);
    Ok(ExitStatus::Success)
}

/// Removes the skills. Disabled ones are enabled for that, and disabled again if they stay.
fn remove(
    names: &[SkillName],
    settings: &RemoveSettings,
    reporter: &dyn Reporter,
) -> Result<InstallSummary, Error> {
    let (directories, options) = (&settings.destinations.directories, &settings.options);
    let mut disabled = disable::disabled_names(directories);
    disabled.retain(|name| names.contains(name));
    let switch = |to: Switch| disable::switch(&disabled, directories, to, options, reporter);
    if disabled.is_empty() || options.dry_run {
        return install::remove(names, directories, options, reporter);
    }
    let enabled = switch(Switch::Enable)?;
    if !enabled.conflicts.is_empty() {
        return Ok(enabled);
    }
    let removed = install::remove(names, directories, options, reporter);
    if !removed.as_ref().is_ok_and(|report| report.conflicts.is_empty()) {
        switch(Switch::Disable)?;
    }
    removed
}

/// Says which other directories of agents still have a copy.
fn tell_of_copies(names: &[SkillName], settings: &RemoveSettings, printer: &Printer) {
    let common = &settings.common;
    let removed = &settings.destinations.directories;
    let is_other = |path: &Path| !removed.iter().any(|one| same_directory(one, path));
    let others: Vec<PathBuf> =
        install::destination::same_scope(&settings.destinations, &common.environment)
            .into_iter()
            .filter(|path| is_other(path))
            .collect();
    let home = common.environment.home.as_deref();
    for name in names {
        let has_copy = |path: &&PathBuf| path.join(name.as_str()).symlink_metadata().is_ok();
        let shown: Vec<String> = others
            .iter()
            .filter(has_copy)
            .map(|path| format!("`{}`", paths::shown(path, &common.directory, home)))
            .collect();
        if !shown.is_empty() {
            let list = shown.join(", ");
            printer.note(&format!("`{name}` is also in {list}; `--agent all` removes every copy"));
        }
    }
}

fn same_directory(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| install::destination::real_path(path);
    one == other || real(one) == real(other)
}
