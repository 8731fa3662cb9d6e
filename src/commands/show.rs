//! `skills show`: everything about one skill, before or after installing it.

use anyhow::Result;

use crate::cli::args::ReportFormat;
use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{CopyPlaces, ShowSettings, SkillToShow};
use crate::commands::notices;
use crate::output::{card as human, json_v1};
use crate::skills::find::discovery;
use crate::skills::find::selection::{self, Selection};
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::model::error::{Error, ErrorKind};
use crate::skills::model::scope::Provenance;
use crate::skills::show::card::{self, FoundSkill, SkillCard};
use crate::skills::show::{listing, loading};
use crate::skills::text::similar;

/// Runs the command.
///
/// # Errors
/// A name or source that is not there, or a source with several skills.
pub fn run(settings: &ShowSettings, printer: &Printer) -> Result<ExitStatus> {
    let card = match &settings.what {
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
    match settings.format {
        ReportFormat::Json => printer.text(|out| json_v1::show::card(out, &card))?,
        ReportFormat::Human => {
            let screen = settings.common.screen(printer);
            printer.results(|out| human::card(out, &card, settings.common.verbose, &screen))?;
        }
    }
    let unseen = notices::errors(card.row.entry.unseen.iter(), printer);
    Ok(if unseen { ExitStatus::Failure } else { ExitStatus::Success })
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
    selection::require(&options.only, &found.names)?;
    let copies = found.skills.into_iter().map(|(origin, judged)| card::row(judged, origin));
    let Some(mut card) = SkillCard::of_copies(copies.collect(), name) else {
        let message = format!("no skill named `{name}`");
        return Err(Error::new(ErrorKind::NotFound, message).into());
    };
    let damaged = listing::attach_records(std::slice::from_mut(&mut card.row));
    damaged.iter().for_each(|error| printer.warning(&error.message));
    card.origin = card::recorded(&card.row);
    if places.has_agents {
        let path = &card.row.entry.skill.path;
        card.details.agents =
            loading::from_here(path, &places.environment, settings.common.threads);
    }
    Ok(card)
}

/// The only skill of a source.
fn from_source(
    selection: &Selection,
    settings: &ShowSettings,
    printer: &Printer,
) -> Result<SkillCard> {
    let common = &settings.common;
    let reporter = progress::reporter(common.progress, "read");
    let read = |opened: &OpenedSkill<'_>| {
        reporter.step();
        card::read_if_named(opened, &settings.judge)
    };
    let (skills, scan) = selection::select(selection, &read)?;
    reporter.finish();
    notices::scan(&scan, &common.directory, common.verbose, printer);
    let only = &selection.scan.only;
    let mut found: Vec<FoundSkill> =
        skills.into_iter().filter(|found| !only.is_empty() || !found.skill().is_nested).collect();
    if found.len() != 1 {
        return Err(Ending::refused(several(only, &found, &scan.names)).into());
    }
    let Some(found) = found.pop() else {
        return Err(Error::new(ErrorKind::NotFound, "no skill").into());
    };
    let judged = found.read(&settings.judge);
    let (row, details) = card::row(judged, Provenance::default());
    let origin = selection.requests.first().map(|request| card::source(&row, request));
    Ok(SkillCard { row, details, origin, copies: Vec::new() })
}

/// A source with several skills, or with several of one name.
fn several(only: &[String], found: &[FoundSkill], names: &[String]) -> Error {
    if let [name] = only {
        let mut places: Vec<String> =
            found.iter().map(|found| found.skill().source_path()).collect();
        places.sort();
        let message = format!("several skills of the source are named `{name}`");
        let places: Vec<&str> = places.iter().map(String::as_str).collect();
        let help = format!("name one of them as the source: {}", similar::some(&places));
        return Error::new(ErrorKind::Duplicate, message).help(help);
    }
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    let message = format!("the source has {} skills", names.len());
    let help = format!("choose one with `--only NAME`: {}", similar::some(&names));
    Error::new(ErrorKind::Usage, message).help(help)
}

fn is_missing(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Error>().is_some_and(|error| error.kind == ErrorKind::NotFound)
}
