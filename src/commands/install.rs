//! `skills install`: read, judge, plan, and only then write.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cli::args::ReportFormat;
use crate::cli::context::Context;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{InstallSettings, Verb};
use crate::commands::event_log::{open_log, write_events};
use crate::commands::gather::{SkillsToCopy, gather};
use crate::commands::notices;
use crate::commands::refusals::{conflicts, failed, within};
use crate::output::{json, layout, report as output};
use crate::skills::model::source::{RecordedKind, SkillKind};
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::{self, InstallNotice, InstallSummary, catalogue, link};
use crate::skills::show::events::{Event, EventContext, EventSource};

/// Runs the command.
pub fn run(settings: &InstallSettings, printer: &Printer) -> Result<ExitStatus> {
    let json = settings.format == ReportFormat::Json;
    let context = &settings.context;
    let directories = &settings.destinations.directories;
    let existing: Vec<PathBuf> =
        directories.iter().filter_map(|directory| directory.canonicalize().ok()).collect();
    let gathered = gather(&settings.skills, &existing, context, json, printer)
        .map_err(|failure| within(failure, directories))?;
    if settings.skills.selection.requests.is_empty() {
        printer.warning(&format!("{}, so nothing is installed", notices::NOTHING_ENABLED));
    }
    let SkillsToCopy { candidates, skipped, cautions, expanded } = gathered;
    let events_file = settings.events.file.as_deref().filter(|_| !settings.options.dry_run);
    let log = open_log(events_file)?;
    let reporter =
        progress::careful_bar(settings.context.progress, "copied", candidates.len(), *printer)?;
    let (environment, agents) = (&context.environment, &settings.destinations.agents);
    let lacking = notices::lacking(&candidates, environment, agents, context.verbose, printer);
    let install = if settings.link { link::link } else { install::install };
    let installed = install(&candidates, directories, &settings.options, reporter.as_ref());
    let report = installed.map_err(|error| failed(error, reporter.as_ref()))?;
    for outcome in &report.outcomes {
        let (skill, action) = (&outcome.name, outcome.action.as_str());
        tracing::debug!(skill, action, path = ?outcome.path, "decided");
    }
    let report = InstallSummary { skipped, lacking, cautions, ..report };
    say(&report.notices, context, printer);
    if !report.conflicts.is_empty() {
        let refusal =
            conflicts(&report.conflicts, &candidates, Verb::Install, context, json, printer);
        return Err(refusal.into());
    }
    warn_of_winners(settings, &candidates, printer);
    warn_of_budgets(settings, &candidates, printer);
    let home = settings.destinations.home.as_deref();
    print(&report, home, settings.options.dry_run, &settings.context, json, printer)?;
    if settings.link {
        printer.note("agents see every edit of a linked skill at once");
    }
    write_events(log, &events(&expanded, &report, &settings.events.source), printer)?;
    Ok(ExitStatus::Success)
}

/// Warns about project skills that an agent would not see, because the user has skills of the same
/// name.
pub fn warn_of_winners(settings: &InstallSettings, candidates: &[Candidate], printer: &Printer) {
    let (winning, context) = (&settings.destinations.winning, &settings.context);
    let shadowed: Vec<String> = candidates
        .iter()
        .flat_map(|candidate| winning.iter().map(|root| root.join(candidate.name.as_str())))
        .filter(|path| path.is_dir())
        .map(|path| layout::shown(&path, &context.directory, context.environment.home.as_deref()))
        .map(|path| format!("`{path}` takes precedence over the project's skill"))
        .collect();
    let more = ("more skill", " of the user with precedence");
    notices::some(shadowed.into_iter(), more, context.verbose, printer);
}

/// Warns about agents that would not show their whole catalogue.
pub fn warn_of_budgets(settings: &InstallSettings, candidates: &[Candidate], printer: &Printer) {
    let readers = settings.destinations.readers.iter();
    for (agent, directory) in readers.filter(|(agent, _)| agent.budget.is_some()) {
        notices::budget(agent, catalogue::characters(agent, directory, candidates), printer);
    }
}

/// What happened: skills were expanded, then installed.
pub fn events(
    expanded: &[(String, String)],
    report: &InstallSummary,
    source: &EventSource,
) -> Vec<Event> {
    const INLINE: RecordedKind = RecordedKind::Known(SkillKind::Inline);
    let opened = |(name, key): &(String, String)| Event::SkillExpanded {
        skill_name: name.clone(),
        skill_key: key.clone(),
        common: EventContext::now(source),
    };
    let installed = |directory: &PathBuf| {
        let names = |inline: bool| {
            let here = report.outcomes.iter().filter(|one| one.path.parent() == Some(directory));
            let of_kind = here.filter(|outcome| (outcome.kind == INLINE) == inline);
            of_kind.map(|outcome| outcome.name.clone()).collect()
        };
        Event::SkillsInstalled {
            inline_skills: names(true),
            referenced_skills: names(false),
            skills_dir: directory.to_string_lossy().into_owned(),
            common: EventContext::now(source),
        }
    };
    expanded.iter().map(opened).chain(report.directories.iter().map(installed)).collect()
}

/// Prints notices.
pub fn say(notices: &[InstallNotice], context: &Context, printer: &Printer) {
    let home = context.environment.home.as_deref();
    let shown = |path: &Path| layout::shown(path, &context.directory, home);
    for notice in notices {
        match notice {
            InstallNotice::Linked(link, real) => {
                let (link, real) = (shown(link), shown(real));
                printer.note(&format!("`{link}` is a link to `{real}`"));
            }
            InstallNotice::Recovered(path) => {
                printer.note(&format!("cleaned up after an interrupted run in `{}`", shown(path)))
            }
            InstallNotice::Removed(path, names) => {
                const NAMED: usize = 3;
                let named = names.iter().take(NAMED).map(|name| format!("`{name}`"));
                let mut named = named.collect::<Vec<_>>().join(", ");
                if names.len() > NAMED {
                    named = format!("{named} and {} more", names.len() - NAMED);
                }
                let path = shown(path);
                printer.note(&format!(
                    "finished removing {named} from `{path}`, which an interrupted run had started"
                ));
            }
            InstallNotice::Kept(name, path) => {
                printer.note(&format!("the edited copy of `{name}` is kept in `{}`", shown(path)));
            }
            InstallNotice::Interrupted(path) => printer.warning(&format!(
                "a run was interrupted in `{}`; its remains are cleaned up first",
                shown(path)
            )),
            InstallNotice::NotCleaned(path, reason) => printer.warning(&format!(
                "finished in `{}`, but could not clean up: {reason}",
                shown(path)
            )),
            InstallNotice::SkillMdInRoot(path) => printer.warning(&format!(
                "`{}` contains a SKILL.md, so Pi and Copilot see none of the skills in it",
                shown(path)
            )),
        }
    }
}

/// Prints the result.
pub fn print(
    report: &InstallSummary,
    home: Option<&Path>,
    dry_run: bool,
    context: &Context,
    json: bool,
    printer: &Printer,
) -> Result<()> {
    if json {
        let context = json::report::Context { home, dry_run, ..Default::default() };
        printer.text(|out| json::report::install(out, report, &context))?;
        return Ok(());
    }
    table(report, dry_run, context, printer)
}

/// Prints what was done, for people.
pub fn table(
    report: &InstallSummary,
    dry_run: bool,
    context: &Context,
    printer: &Printer,
) -> Result<()> {
    let screen = context.screen();
    printer.results(|out| {
        report.directories.iter().try_for_each(|directory| {
            let here = report.outcomes.iter().filter(|one| one.path.parent() == Some(directory));
            let here: Vec<_> = here.collect();
            output::outcomes(out, directory, &here, report.skipped.len(), dry_run, &screen)
        })
    })?;
    Ok(())
}
