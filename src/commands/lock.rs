//! `skills lock` and `skills outdated`: compare the sources of a manifest with its lock.

use anyhow::Result;

use crate::cli::args::ReportFormat;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::settings::LockSettings;
use crate::commands::gather::{SkillsToCopy, gather};
use crate::output::{json, layout, report as table};
use crate::skills::fetch::git::History;
use crate::skills::files::atomic;
use crate::skills::find::lock::LockFile;
use crate::skills::model::environment::normalized;
use crate::skills::model::error::Error;
use crate::skills::model::location::Location;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::locking::update::{self, SourceChange};

/// Runs `skills lock`.
pub fn run(settings: &LockSettings, printer: &Printer) -> Result<ExitStatus> {
    let (new, _) = renew(settings, printer)?;
    let old = settings.old.clone().unwrap_or_default();
    let changes = update::changes(&old, &new);
    if !settings.dry_run && (settings.old.is_none() || old != new) {
        write(settings, &new)?;
    }
    let changes: Vec<_> = changes.into_iter().map(|change| (change, None)).collect();
    print(settings, &new, &changes, "dry run: nothing was written", printer)
}

/// Runs `skills outdated`.
pub fn outdated(settings: &LockSettings, printer: &Printer) -> Result<ExitStatus> {
    let (new, candidates) = renew(settings, printer)?;
    let mut found = update::changes(&settings.old.clone().unwrap_or_default(), &new);
    update::add_versions(&mut found, &settings.skills.selection, &candidates);
    let mut changes = Vec::new();
    for change in found {
        // The differences are known, so a missing history is not an error.
        let history = history(&change, settings).unwrap_or_else(|error| {
            printer.warning(&error.message);
            None
        });
        changes.push((change, history));
    }
    print(settings, &new, &changes, "run `skills lock --upgrade` to update them", printer)
}

/// Reads all sources, and makes a lock of them.
pub fn renew(settings: &LockSettings, printer: &Printer) -> Result<(LockFile, Vec<Candidate>)> {
    let context = &settings.context;
    let json = settings.format == ReportFormat::Json;
    let SkillsToCopy { candidates, .. } = gather(&settings.skills, &[], context, json, printer)?;
    let old = settings.old.clone().unwrap_or_default();
    let selection = &settings.skills.selection;
    let bounds = settings.skills.bounds(context.threads);
    let new = update::renew(&old, &settings.manifest, selection, &candidates, bounds)?;
    Ok((new, candidates))
}

/// The commits in between, if both ends are known.
fn history(change: &SourceChange, settings: &LockSettings) -> Result<Option<History>, Error> {
    let (Some(from), Some(to)) = (&change.from, &change.to) else { return Ok(None) };
    let Some(location) = Location::parse(&change.source)?.filter(|_| from != to) else {
        return Ok(None);
    };
    settings.context.remotes.git.history(&location, from, to).map(Some)
}

pub fn write(settings: &LockSettings, new: &LockFile) -> Result<(), Error> {
    atomic::write_named(&settings.path, new.to_json()?.as_bytes())
        .map_err(|error| Error::writing("write", &settings.path, &error))
}

fn print(
    settings: &LockSettings,
    new: &LockFile,
    changes: &[(SourceChange, Option<History>)],
    advice: &str,
    printer: &Printer,
) -> Result<ExitStatus> {
    let context = &settings.context;
    let lock = match &settings.manifest.tree {
        Some(_) => settings.path.clone(),
        None => normalized(&settings.path),
    };
    let path = layout::relative(&lock, &context.directory);
    let view = table::LockView {
        path: &path,
        advice,
        is_new: settings.old.is_none(),
        dry_run: settings.dry_run,
        verbose: context.verbose,
    };
    let (dry_run, columns) = (settings.dry_run, printer.width());
    match settings.format {
        ReportFormat::Json => {
            printer.text(|out| json::report::lock(out, &lock, dry_run, changes))?;
        }
        ReportFormat::Human => {
            printer.results(|out| table::lock(out, new, changes, &view, columns))?;
        }
    }
    Ok(ExitStatus::Success)
}
