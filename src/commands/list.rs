//! `skills list`: the skills, who sees them, and why not.

use std::collections::HashSet;
use std::io::Write;

use anyhow::Result;
use tracing::debug;

use crate::cli::args::SkillFormat;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{ListSettings, SkillsToList};
use crate::commands::locked::{self, LockUse};
use crate::commands::notices;
use crate::output::{count, json, list, sanitize};
use crate::skills::agents::{AGENTS, Agent};
use crate::skills::find::discovery::disabled_skills::{self, DisabledSkill};
use crate::skills::find::discovery::{self, DiscoveryNotice};
use crate::skills::find::selection;
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::verdict::Judged;
use crate::skills::model::scope::Provenance;
use crate::skills::show::agent_view;
use crate::skills::show::groups::{self, ListGroup};
use crate::skills::show::listing::{self, ListLine, SkillSummary, Status};
use crate::skills::show::tools::{self, ToolUse};

/// The skills to print.
pub struct Listing {
    /// The skills, in order.
    pub rows: Vec<ListLine>,
    /// Whether something could not be read.
    pub failed: bool,
}

/// Runs the command.
pub fn run(settings: &ListSettings, printer: &Printer) -> Result<ExitStatus> {
    match settings.several.as_slice() {
        [] => {}
        [only] => {
            let id = only.target().id;
            printer.note(&format!(
                "how `{id}` reads skills was not observed; these are the skills in its directories"
            ));
        }
        _ => printer.note(
            "these are the skills in the directories of these agents; name one agent for exactly \
             what it shows",
        ),
    }
    let mut listing = match settings.agent {
        Some(agent) => gather_for(agent, settings, printer)?,
        None => gather(settings, printer)?,
    };
    let is_discovered = matches!(settings.what, SkillsToList::Discovery(_));
    let has_records = settings.long || settings.format == SkillFormat::Json;
    if has_records || (is_discovered && settings.format == SkillFormat::Human) {
        let damaged = listing::attach_records(&mut listing.rows, &settings.context.environment);
        damaged.iter().for_each(|error| printer.warning(&error.message));
        // The long list has read every file already.
        if !settings.long {
            listing::judge_copies(&mut listing.rows, settings.context.threads);
        }
    }
    if settings.found_manifest && settings.format != SkillFormat::Json {
        printer
            .note("these are the skills of skills.yaml; `--discover` lists what agents find here");
    }
    if settings.tools {
        print_tools(settings, &tools::used(&listing.rows), printer)?;
    } else {
        warn_of_budgets(settings, &listing.rows, printer);
        print(settings, &listing.rows, printer)?;
    }
    Ok(if listing.failed { ExitStatus::Failure } else { ExitStatus::Success })
}

/// Finds and reads the skills, and prints warnings.
pub fn gather(settings: &ListSettings, printer: &Printer) -> Result<Listing> {
    let reporter = progress::reporter(settings.context.progress, "read");
    let read = |opened: &OpenedSkill<'_>| listing::read(opened, &settings.read);
    let directory = &settings.context.directory;
    let (rows, mut failed): (Vec<ListLine>, bool) = match &settings.what {
        SkillsToList::Sources(selection) => {
            let output = (reporter.as_ref(), printer);
            let (skills, mut scan) =
                locked::find(selection, LockUse::Frozen, &settings.context, output, &read)?;
            // A manifest with only disabled entries is not an error.
            if !selection.requests.is_empty() {
                selection::require_any(selection, &mut scan)?;
            }
            notices::none_pass(skills.len(), &scan.names, printer);
            let skills = selection::settled(skills);
            let failed = notices::scan(&scan, directory, settings.context.verbose, printer);
            let row = |judged: Judged<SkillSummary>| {
                let request = selection.requests.get(judged.skill.source);
                let section = request.and_then(|request| request.section.clone());
                let row = ListLine { section, ..ListLine::of(judged, Provenance::default()) };
                if settings.prompt_only { row.in_prompt() } else { row }
            };
            (skills.into_iter().map(row).collect(), failed)
        }
        SkillsToList::Discovery(options) => {
            let found = discovery::discover(&settings.context.environment, options, &read);
            let disabled = disabled_skills::discover(&settings.context.environment, options, &read);
            reporter.finish();
            found.require_plugins(&options.plugins)?;
            let disabled_names = disabled.iter().map(|one| one.judged.skill.name.clone());
            let names: Vec<String> = found.names.into_iter().chain(disabled_names).collect();
            selection::require(&options.only, &names)?;
            notices::none_pass(found.skills.len() + disabled.len(), &names, printer);
            let failed = discovered(&found.notices, settings, printer);
            let row = |(origin, judged)| ListLine::of(judged, origin);
            let disabled_row = |one: DisabledSkill<SkillSummary>| ListLine {
                copy_of: one.copy_of,
                ..ListLine::of(one.judged, one.origin)
            };
            let disabled = disabled.into_iter().map(disabled_row);
            (found.skills.into_iter().map(row).chain(disabled).collect(), failed)
        }
    };
    debug!(skills = rows.len(), "listed");
    notices::collisions(&rows, settings.context.verbose, printer);
    failed |= notices::errors(rows.iter().flat_map(|row| &row.entry.unseen), printer);
    Ok(Listing { rows, failed })
}

/// The skills that one agent would show its model; with `-v`, also the others.
fn gather_for(agent: &Agent, settings: &ListSettings, printer: &Printer) -> Result<Listing> {
    let roots = match &settings.what {
        SkillsToList::Sources(selection) => {
            locked::hold_frozen(selection, &settings.context, printer)?;
            Some(selection.directories()?)
        }
        SkillsToList::Discovery(_) => None,
    };
    let threads = settings.context.threads;
    let view = agent_view::of(
        agent,
        &settings.context.environment,
        roots.as_deref(),
        &settings.read,
        threads,
    );
    let problems: Vec<DiscoveryNotice> =
        view.problems.into_iter().map(DiscoveryNotice::Problem).collect();
    let failed = discovered(&problems, settings, printer);
    let title = agent.title;
    let words = view
        .ambiguous
        .iter()
        .map(|name| format!("several skills are named `{name}`; which one {title} shows varies"));
    notices::some(words, ("more name", " of several skills"), settings.context.verbose, printer);
    let names: Vec<String> = view.rows.iter().map(|row| row.shown_name().to_owned()).collect();
    selection::require(settings.what.only(), &names)?;
    let shown = |row: &ListLine| settings.context.verbose || row.status == Status::Active;
    let unseen = view.rows.iter().flat_map(|row| &row.entry.unseen);
    let failed = notices::errors(unseen, printer) || failed;
    let wanted = view.rows.into_iter().filter(|row| settings.what.accepts(row));
    let (rows, hidden): (Vec<ListLine>, Vec<ListLine>) = wanted.partition(shown);
    notices::none_pass(rows.len() + hidden.len(), &names, printer);
    if !hidden.is_empty() {
        let more = count(hidden.len(), "more skill");
        printer.note(&format!("{title} does not show {more} here; use `-v` to see why"));
    }
    Ok(Listing { rows, failed })
}

/// Warns about agents that would not show the whole catalogue.
fn warn_of_budgets(settings: &ListSettings, rows: &[ListLine], printer: &Printer) {
    let characters = listing::catalog_total(rows);
    let asked = |agent: &&Agent| settings.agent.is_none_or(|wanted| wanted == *agent);
    AGENTS.iter().filter(asked).for_each(|agent| notices::budget(agent, characters, printer));
}

/// Prints the notices of discovery; true if something could not be read.
fn discovered(notices: &[DiscoveryNotice], settings: &ListSettings, printer: &Printer) -> bool {
    if settings.context.environment.home.is_none() {
        printer.warning("HOME is not set to an absolute path, so user skills are not listed");
    }
    notices::discovery(notices, &settings.context.directory, settings.context.verbose, printer)
}

fn print(settings: &ListSettings, rows: &[ListLine], printer: &Printer) -> Result<()> {
    match settings.format {
        SkillFormat::Json => {
            printer.text(|out| json::skills::list(out, rows, settings.long))?;
        }
        SkillFormat::Human => {
            let screen = settings.context.screen();
            let write = if settings.long { list::long } else { list::table };
            let groups = grouped_rows(settings, rows);
            if screen.styled {
                printer.results(|out| write(out, &groups, &screen))?;
            } else {
                printer.text(|out| write(out, &groups, &screen))?;
            }
        }
        SkillFormat::Names => {
            let mut names: Vec<&str> = kept(rows).map(ListLine::shown_name).collect();
            // Agents may show two skills of one name.
            if settings.agent.is_none() {
                let mut seen = HashSet::new();
                names.retain(|name| seen.insert(*name));
            }
            printer.text(|out| {
                names.iter().try_for_each(|name| writeln!(out, "{}", sanitize::line(name)))
            })?;
        }
        SkillFormat::Paths => printer.text(|out| {
            kept(rows).try_for_each(|row| {
                writeln!(out, "{}", sanitize::line(&row.entry.skill.path.to_string_lossy()))
            })
        })?,
    }
    Ok(())
}

/// One group per skill; with `-v`, one per copy.
fn grouped_rows<'a>(settings: &ListSettings, rows: &'a [ListLine]) -> Vec<ListGroup<'a>> {
    let context = &settings.context;
    let is_discovered = matches!(settings.what, SkillsToList::Discovery(_));
    let mut groups = if context.verbose { groups::ungrouped(rows) } else { groups::of(rows) };
    if settings.agent.is_none() && is_discovered {
        groups::ask_agents(&mut groups, &context.environment, context.threads);
    }
    groups
}

fn print_tools(settings: &ListSettings, tools: &[ToolUse], printer: &Printer) -> Result<()> {
    let names = |out: &mut dyn Write| {
        tools.iter().try_for_each(|one| writeln!(out, "{}", sanitize::line(&one.tool)))
    };
    match settings.format {
        SkillFormat::Json => printer.text(|out| json::skills::tools(out, tools))?,
        SkillFormat::Names | SkillFormat::Paths => printer.text(names)?,
        SkillFormat::Human => {
            let screen = settings.context.screen();
            printer.results(|out| list::tools(out, tools, &screen))?;
        }
    }
    Ok(())
}

/// Rows for scripts that want one line per skill, without copies.
fn kept(rows: &[ListLine]) -> impl Iterator<Item = &ListLine> {
    rows.iter().filter(|row| !matches!(row.status, Status::Shadowed | Status::Disabled))
}
