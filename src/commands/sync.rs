//! `skills sync`: installs exactly the skills of a manifest and its lock.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;

use crate::cli::args::ReportFormat;
use crate::cli::context::Context;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{CopySettings, LockSettings, SyncSettings, Verb};
use crate::commands::event_log::{open_log, write_events};
use crate::commands::gather::{SkillsToCopy, gather};
use crate::commands::install::{events, print, say, warn_of_budgets, warn_of_winners};
use crate::commands::refusals::{conflicts, failed, within};
use crate::commands::{lock, notices};
use crate::output::json::report::SyncReport;
use crate::output::{json, layout};
use crate::skills::find::lock::{LockFile, OpenedLock};
use crate::skills::find::selection;
use crate::skills::model::error::Error;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::{self, DirectoryChange, InstallSummary};
use crate::skills::put::sync::news::AllNews;
use crate::skills::put::sync::{self, Brought, Leftover, LeftoverFate};

/// Runs the command.
pub fn run(settings: &SyncSettings, printer: &Printer) -> Result<ExitStatus> {
    let (target, context) = (&settings.install, &settings.install.context);
    let json = target.format == ReportFormat::Json;
    let mut skills = target.skills.clone();
    let locked = settings.upgrade.as_ref().map(|lock| upgrade(lock, &mut skills)).transpose()?;
    let unread = set_unreadable_aside(&mut skills)?;
    let directories = &target.destinations.directories;
    let existing: Vec<PathBuf> =
        directories.iter().filter_map(|directory| directory.canonicalize().ok()).collect();
    let gathered = gather(&skills, &existing, context, json, printer)
        .map_err(|failure| within(failure, directories))?;
    if skills.selection.requests.is_empty() {
        printer.warning(&format!("{}, so nothing is installed", notices::NOTHING_ENABLED));
    }
    let SkillsToCopy { candidates, skipped, cautions, expanded } = gathered;
    let brought = Brought {
        owner: &settings.owner,
        candidates: &candidates,
        skipped: &skipped,
        claims: &settings.claims,
        prompt_only: skills.policy.prompt_only,
        is_complete: unread.is_empty(),
        force: target.options.force,
    };
    let (mut changes, mut leftovers) = (Vec::new(), Vec::new());
    let mut news = AllNews::new(&target.options, &context.remotes);
    for directory in directories {
        let left = sync::leftovers(directory, &brought)?;
        changes.push(change(directory, &candidates, &left));
        if json {
            news.look(directory, &candidates, &left)?;
        }
        leftovers.extend(left);
    }
    let log = open_log(target.events.file.as_deref().filter(|_| !target.options.dry_run))?;
    let reporter = progress::careful_bar(context.progress, "copied", candidates.len(), *printer)?;
    let changed = install::change(&changes, &target.options, reporter.as_ref());
    let report = changed.map_err(|error| failed(error, reporter.as_ref()))?;
    say(&report.notices, context, printer);
    if !report.conflicts.is_empty() {
        let refusal = conflicts(&report.conflicts, &candidates, Verb::Sync, context, json, printer);
        return Err(refusal.into());
    }
    if let (Some(new), Some(lock)) = (&locked, &settings.upgrade)
        && settings.writes_lock
    {
        lock::write(lock, new)?;
    }
    warn_of_winners(target, &candidates, printer);
    warn_of_budgets(target, &candidates, printer);
    let report = with_kept(InstallSummary { skipped, cautions, ..report }, &leftovers);
    let home = target.destinations.home.as_deref();
    let dry_run = target.options.dry_run;
    if json {
        let report = SyncReport {
            home,
            dry_run,
            summary: &report,
            leftovers: &leftovers,
            news: &news.skills,
            unread: &unread,
        };
        printer.text(|out| json::report::sync(out, &report))?;
    } else {
        print(&report, home, dry_run, context, false, printer)?;
    }
    write_events(log, &events(&expanded, &report, &target.events.source), printer)?;
    notices::errors(unread.iter(), printer);
    explain_kept(&leftovers, context, printer);
    let is_edited = leftovers.iter().any(|leftover| leftover.fate == LeftoverFate::Edited);
    Ok(match (unread.is_empty(), is_edited) {
        (false, _) => ExitStatus::Failure,
        (true, true) => ExitStatus::Refused,
        (true, false) => ExitStatus::Success,
    })
}

/// Makes a new lock for the current sources, and uses its versions.
fn upgrade(settings: &LockSettings, skills: &mut CopySettings) -> Result<LockFile> {
    // Gathering the skills prints the notices later.
    let (lock, _) = lock::renew(settings, &Printer::silent())?;
    let opened = OpenedLock { path: settings.path.clone(), lock: lock.clone(), frozen: false };
    opened.pin(&mut skills.selection.requests)?;
    skills.selection.lock = Some(Arc::new(opened));
    Ok(lock)
}

/// Leaves out sources that cannot be read, so that an unreachable server does not block the others.
/// With `--frozen`, or if nothing is left, the first error ends the run.
fn set_unreadable_aside(skills: &mut CopySettings) -> Result<Vec<Error>> {
    let read = selection::try_sources(&skills.selection);
    let is_frozen = skills.selection.lock.as_ref().is_some_and(|lock| lock.frozen);
    let all_fail = !read.is_empty() && read.iter().all(Option::is_some);
    if let Some(first) = read.iter().flatten().next().filter(|_| is_frozen || all_fail) {
        return Err(first.clone().into());
    }
    let mut is_read = read.iter().map(Option::is_none);
    skills.selection.requests.retain(|_| is_read.next().unwrap_or(true));
    let mut is_read = read.iter().map(Option::is_none);
    skills.read.follow.retain(|_| is_read.next().unwrap_or(true));
    Ok(read.into_iter().flatten().collect())
}

/// The changes to one skills directory.
fn change<'a>(
    directory: &Path,
    candidates: &'a [Candidate],
    leftovers: &[Leftover],
) -> DirectoryChange<'a> {
    let dropped = leftovers.iter().filter(|leftover| leftover.fate == LeftoverFate::Dropped);
    DirectoryChange {
        directory: directory.to_owned(),
        install: candidates.iter().collect(),
        remove: dropped.map(|leftover| leftover.name.clone()).collect(),
    }
}

/// Adds the skills that stay.
fn with_kept(mut report: InstallSummary, leftovers: &[Leftover]) -> InstallSummary {
    report.outcomes.extend(leftovers.iter().filter_map(Leftover::kept));
    report.outcomes.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    report
}

/// Explains why skills stay that the manifest no longer provides.
fn explain_kept(leftovers: &[Leftover], context: &Context, printer: &Printer) {
    let home = context.environment.home.as_deref();
    for leftover in leftovers {
        let path = layout::shown(&leftover.path, &context.directory, home);
        match leftover.fate {
            LeftoverFate::Dropped => {}
            LeftoverFate::Edited => printer.warning(&format!(
                "kept `{path}`, which the manifest no longer names: it was edited since it was \
                 installed; `--force` removes it and keeps a copy"
            )),
            LeftoverFate::Unknown => printer.warning(&format!(
                "kept `{path}`: it may come from a source that could not be read"
            )),
            LeftoverFate::Unusable => {
                printer
                    .warning(&format!("kept the copy in `{path}`: the new version cannot be used"));
            }
            LeftoverFate::Disabled if context.verbose => {
                printer.note(&format!("kept `{path}`: its entry in the manifest is disabled now"));
            }
            LeftoverFate::Disabled | LeftoverFate::InPrompt => {}
        }
    }
    let is_in_prompt = |leftover: &&Leftover| leftover.fate == LeftoverFate::InPrompt;
    let copies: Vec<&Leftover> = leftovers.iter().filter(is_in_prompt).collect();
    let words = copies.iter().map(|copy| {
        let shown = |path: &Path| layout::shown(path, &context.directory, home);
        let parent = copy.path.parent().map(shown).unwrap_or_default();
        let (path, name) = (shown(&copy.path), &copy.name);
        format!(
            "kept `{path}`, which this manifest had installed: agents still load it; `skills \
             remove {name} --dir {parent}` removes it"
        )
    });
    let more = ("more skill", " kept like this");
    notices::some(words, more, context.verbose, printer);
}
