//! `skills show`: everything about one skill, before or after installing it.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;

use crate::cli::args::ReportFormat;
use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{CopyPlaces, ShowSettings, SkillToShow};
use crate::commands::notices;
use crate::output::json::skills::SkillDifference;
use crate::output::{card as human, count, diff, json};
use crate::skills::find::discovery::{self, disabled_skills};
use crate::skills::find::scan::{Scan, ScanOptions};
use crate::skills::find::selection::{self, Selection};
use crate::skills::judge::needs::{Machine, OperatingSystem};
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::verdict::{Judged, TargetAgents};
use crate::skills::model::environment::RepositoryMark;
use crate::skills::model::error::{Error, ErrorKind, err};
use crate::skills::model::scope::{Provenance, Scope};
use crate::skills::model::source::Skill;
use crate::skills::put::compare;
use crate::skills::put::install::candidate::{self, Candidate, CandidateOptions};
use crate::skills::show::card::{self, FoundSkill, SkillCard};
use crate::skills::show::listing::{self, ListLine};
use crate::skills::show::loading;
use crate::skills::text::suggest;

/// Runs the command.
pub fn run(settings: &ShowSettings, printer: &Printer) -> Result<ExitStatus> {
    if settings.diff {
        return diff(settings, printer);
    }
    let mut card = match &settings.what {
        SkillToShow::Source(selection) => from_source(selection, settings, printer)?,
        SkillToShow::Named(name, or_source) => {
            match (named(name, &settings.places, settings, printer), or_source) {
                (Err(error), Some(selection)) if is_missing(&error) => {
                    from_source(selection, settings, printer)?
                }
                (card, _) => card?,
            }
        }
    };
    let environment = &settings.context.environment;
    card.compare_needs(&Machine { environment, system: OperatingSystem::current(), agents: &[] });
    match settings.format {
        ReportFormat::Json => printer.text(|out| json::skills::card(out, &card))?,
        ReportFormat::Human => {
            let screen = settings.context.screen();
            printer.results(|out| human::card(out, &card, settings.context.verbose, &screen))?;
        }
    }
    let row = &card.row;
    if notices::errors(row.entry.unseen.iter(), printer) {
        return Ok(ExitStatus::Failure);
    }
    let Some(why) = &row.unusable else { return Ok(ExitStatus::Success) };
    let skill = &row.entry.skill;
    printer.error(&why.refusal(&skill.name, &skill.path, skill.kind(), "used"));
    Ok(ExitStatus::Refused)
}

/// The skill of this name that is used, with its other copies.
fn named(
    name: &str,
    places: &CopyPlaces,
    settings: &ShowSettings,
    printer: &Printer,
) -> Result<SkillCard> {
    let options =
        discovery::DiscoveryOptions { only: vec![name.to_owned()], ..places.options.clone() };
    let read = |opened: &OpenedSkill<'_>| card::read(opened, &settings.judge);
    let found = discovery::discover(&places.environment, &options, &read);
    let disabled = disabled_skills::discover(&places.environment, &options, &read);
    let disabled_names = disabled.iter().map(|one| one.judged.skill.name.clone());
    let names: Vec<String> = found.names.into_iter().chain(disabled_names).collect();
    selection::require(&options.only, &names)?;
    let disabled = disabled.into_iter().map(|one| (one.origin, one.judged));
    let copies = found.skills.into_iter().chain(disabled);
    let copies = copies.map(|(origin, judged)| card::row(judged, origin));
    let Some(mut card) = SkillCard::of_copies(copies.collect(), name) else {
        return Err(err!(NotFound, "no skill named `{name}`").about(name, None).into());
    };
    let damaged = listing::attach_records(std::slice::from_mut(&mut card.row), &places.environment);
    damaged.iter().for_each(|error| printer.warning(&error.message));
    card.origin = card::recorded(&card.row);
    if places.has_agents {
        let path = &card.row.entry.skill.path;
        card.details.agents =
            loading::from_here(path, &places.environment, settings.context.threads);
    }
    Ok(card)
}

/// The only skill of a source.
fn from_source(
    selection: &Selection,
    settings: &ShowSettings,
    printer: &Printer,
) -> Result<SkillCard> {
    let context = &settings.context;
    let reporter = progress::reporter(context.progress, "read");
    let read = |opened: &OpenedSkill<'_>| {
        reporter.step();
        card::read_if_named(opened, &settings.judge)
    };
    let (skills, scan) = selection::select(selection, &read)?;
    reporter.finish();
    notices::scan(&scan, &context.directory, context.verbose, printer);
    let only = &selection.scan.only;
    let found: Vec<FoundSkill> =
        skills.into_iter().filter(|found| !only.is_empty() || !found.skill().is_nested).collect();
    let names: HashSet<&str> = found.iter().map(|one| one.skill().name.as_str()).collect();
    if names.len() != 1 {
        let found: Vec<&Skill> = found.iter().map(FoundSkill::skill).collect();
        return Err(Ending::refused(several(only, &found, &scan)).into());
    }
    let judged = found.into_iter().map(|one| one.read(&settings.judge)).collect();
    let judged = the_one(selection::settled(judged), only, &scan)?;
    let (row, details) = card::row(judged, Provenance::default());
    let origin = selection.requests.first().map(|request| card::source(&row, request));
    Ok(SkillCard { row, details, origin, copies: Vec::new(), needs: Vec::new() })
}

/// Prints what differs between the installed skill and its source.
fn diff(settings: &ShowSettings, printer: &Printer) -> Result<ExitStatus> {
    let context = &settings.context;
    let (installed, candidate) = match &settings.what {
        SkillToShow::Named(name, _) => {
            let card = named(name, &settings.places, settings, printer)?;
            let selection = recorded_source(&card, settings)?;
            let candidate = to_install(&selection)?;
            (card, candidate)
        }
        SkillToShow::Source(selection) => {
            let candidate = to_install(selection)?;
            (named(candidate.name.as_str(), &settings.places, settings, printer)?, candidate)
        }
    };
    let path = &installed.row.entry.skill.path;
    let changes = compare::changes(path, &candidate)?;
    if settings.format == ReportFormat::Json {
        let (name, source) = (candidate.name.as_str(), candidate.source());
        let found = SkillDifference { name, path, source: Path::new(&source), changes: &changes };
        printer.text(|out| json::skills::difference(out, &found))?;
        return Ok(ExitStatus::Success);
    }
    if changes.is_empty() {
        let screen = context.screen();
        let (path, source) = (screen.path(path), screen.path(Path::new(&candidate.source())));
        printer.note(&format!("`{path}` has the same files as `{source}`"));
    }
    printer.results(|out| diff::file_changes(out, &changes, Path::new("")))?;
    Ok(ExitStatus::Success)
}

/// The source that the record of an installed skill names.
fn recorded_source(card: &SkillCard, settings: &ShowSettings) -> Result<Selection> {
    let (context, row) = (&settings.context, &card.row);
    let Some(record) = &row.record else {
        let path = context.screen().path(&row.entry.skill.path);
        let error = err!(NotFound, "nothing is recorded about where `{path}` came from");
        let error = error.help("name its source: `skills show SOURCE --diff`");
        return Err(Ending::refused(in_error(row, error)).into());
    };
    let root = context.environment.repository(RepositoryMark::AnyEntry);
    let root = root.unwrap_or(&context.environment.directory);
    let real = row.entry.skill.path.canonicalize().unwrap_or_default();
    let is_projects = row.origin.scope == Some(Scope::Project) || real.starts_with(root);
    let request = compare::source_of(record, is_projects.then_some(root));
    let request = request.map_err(|error| in_error(row, error))?;
    // A repository or an archive may hold others, and another plugin may have one of this name.
    let (only, plugins) = match record.kind.as_str() {
        "git" | "archive" => {
            (vec![row.entry.skill.name.clone()], record.plugin.iter().cloned().collect())
        }
        _ => (Vec::new(), Vec::new()),
    };
    Ok(Selection {
        requests: vec![request],
        scan: ScanOptions { only, plugins, threads: context.threads, ..ScanOptions::default() },
        remotes: Arc::clone(&context.remotes),
        ..Selection::default()
    })
}

/// The error, about an installed skill.
fn in_error(row: &ListLine, error: Error) -> Error {
    let skill = &row.entry.skill;
    let error = skill.in_error(error);
    match skill.path.parent() {
        Some(directory) => error.within(directory),
        None => error,
    }
}

/// The only skill of a source, as it would be installed.
fn to_install(selection: &Selection) -> Result<Candidate> {
    let judge = JudgeOptions { errors_only: true, ..JudgeOptions::default() };
    let audience = TargetAgents::Regardless(Vec::new());
    let options = CandidateOptions { judge, audience, ..CandidateOptions::default() };
    let read = |opened: &OpenedSkill<'_>| candidate::read(opened, &options);
    let (skills, scan) = selection::judge_some(selection, &read)?;
    let only = &selection.scan.only;
    let is_meant = |skill: &Skill| !only.is_empty() || !skill.is_nested;
    let skills = skills.into_iter().filter(|one| is_meant(&one.skill)).collect();
    let Judged { skill, made, .. } = the_one(skills, only, &scan)?;
    Ok(made.candidate.map_err(|error| skill.in_error(error))?)
}

/// The skill that is used, or else the only one.
fn the_one<T>(mut judged: Vec<Judged<T>>, only: &[String], scan: &Scan) -> Result<Judged<T>> {
    let usable: Vec<usize> =
        (0..judged.len()).filter(|at| judged[*at].verdict.is_usable()).collect();
    match (usable.as_slice(), judged.len()) {
        ([at], _) => Ok(judged.swap_remove(*at)),
        (_, 1) => Ok(judged.swap_remove(0)),
        _ => {
            let found: Vec<&Skill> = judged.iter().map(|one| &one.skill).collect();
            Err(Ending::refused(several(only, &found, scan)).into())
        }
    }
}

/// A source with several skills, or with several of one name.
fn several(only: &[String], found: &[&Skill], scan: &Scan) -> Error {
    // Of plugins that were chosen, only their skills.
    let mut names: Vec<&str> = match found.is_empty() {
        true => scan.names.iter().map(String::as_str).collect(),
        false => found.iter().map(|skill| skill.name.as_str()).collect(),
    };
    names.sort_unstable();
    names.dedup();
    let shared = match (only, names.as_slice()) {
        ([name], _) => Some(name.as_str()),
        (_, [name]) if found.len() > 1 => Some(*name),
        _ => None,
    };
    if let Some(name) = shared {
        let error = err!(Duplicate, "several skills of the source are named `{name}`");
        let error = match found.first() {
            Some(first) => first.in_error(error.about(name, Some(first.kind().as_str()))),
            None => error.about(name, None),
        };
        let mut plugins: Vec<&str> = found.iter().filter_map(|skill| skill.plugin_name()).collect();
        plugins.sort_unstable();
        plugins.dedup();
        if plugins.len() == found.len() {
            let help = format!("choose a plugin with `--plugin NAME`: {}", suggest::some(&plugins));
            return error.help(help);
        }
        let mut places: Vec<String> = found.iter().map(|skill| skill.source_path()).collect();
        places.sort_unstable();
        let places: Vec<&str> = places.iter().map(String::as_str).collect();
        let help = format!("name one of them as the source: {}", suggest::some(&places));
        return error.help(help);
    }
    let help = format!("choose one with `--only NAME`: {}", suggest::some(&names));
    err!(Usage, "the source has {}", count(names.len(), "skill")).help(help)
}

fn is_missing(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Error>().is_some_and(|error| error.kind == ErrorKind::NotFound)
}
