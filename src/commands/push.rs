//! `skills push`: publishes skills in a registry. Everything is judged and planned before the first
//! byte is sent.

use anyhow::Result;

use crate::cli::args::ReportFormat;
use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::settings::{CopiedPlace, PushSettings};
use crate::commands::gather::{SkillsToCopy, gather};
use crate::output::{json, report as table};
use crate::skills::fetch::oci::documents::ArtifactPlace;
use crate::skills::fetch::oci::layout::ArtifactLayout;
use crate::skills::files::parallel;
use crate::skills::model::error::{Error, ErrorKind};
use crate::skills::publish::artifact::{self, BuiltArtifact, build};
use crate::skills::publish::registry::{self, WritableRegistry};
use crate::skills::publish::{Published, copy};
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::source_files::Allowance;

/// Runs the command.
///
/// # Errors
/// Skills that cannot be read or used, a version that is something else there, and a registry that
/// does not take them.
pub fn run(settings: &PushSettings, printer: &Printer) -> Result<ExitStatus> {
    let json = settings.format == ReportFormat::Json;
    let SkillsToCopy { candidates, skipped, .. } =
        gather(&settings.skills, &[], &settings.context, json, printer)?;
    let network = &settings.context.remotes.network;
    let cache = network.registry_cache()?;
    let client = network.registry(&settings.target.host);
    let registry = WritableRegistry { client: &client, cache: &cache };
    let published = match &settings.copied {
        Some(place) => copied(place, settings, &registry),
        None => pushed(&candidates, settings, &registry),
    };
    let published = published.map_err(|error| match error.kind {
        ErrorKind::Conflict => Ending::refused(error).into(),
        _ => anyhow::Error::from(error),
    })?;
    let screen = settings.context.screen();
    match settings.format {
        ReportFormat::Json => {
            printer.text(|out| json::report::published(out, &published, &skipped))?
        }
        ReportFormat::Human => {
            printer.results(|out| table::published(out, &published, settings.dry_run, &screen))?
        }
    }
    Ok(ExitStatus::Success)
}

/// Makes artifacts of skills, and sends them.
fn pushed(
    candidates: &[Candidate],
    settings: &PushSettings,
    registry: &WritableRegistry<'_>,
) -> Result<Vec<Published>, Error> {
    let built = artifacts(candidates, settings)?;
    let publication = artifact::plan(built, &settings.target)?;
    let progress = progress::reporter(settings.context.progress, "pushed");
    registry::upload(&publication, registry, settings.force, settings.dry_run, progress.as_ref())
}

/// Makes artifacts of all skills in memory.
fn artifacts(
    candidates: &[Candidate],
    settings: &PushSettings,
) -> Result<Vec<BuiltArtifact>, Error> {
    let (skill, total) = (settings.skills.max_skill_bytes, settings.skills.max_total_bytes);
    let allowance = Allowance::new(skill, total);
    let make = |one: &Candidate| build(one, &allowance, &settings.annotations);
    parallel::map_long(candidates, settings.context.threads, make).into_iter().collect()
}

/// Copies the artifacts of another place.
fn copied(
    place: &CopiedPlace,
    settings: &PushSettings,
    registry: &WritableRegistry<'_>,
) -> Result<Vec<Published>, Error> {
    let progress = progress::reporter(settings.context.progress, "copied");
    let send = |from: &dyn ArtifactPlace, roots: &[_]| {
        let planned = copy::plan(from, roots, &settings.target)?;
        copy::copy(from, &planned, registry, settings.force, settings.dry_run, progress.as_ref())
    };
    match place {
        CopiedPlace::Layout(path) => {
            let layout = ArtifactLayout::open(path)?;
            send(&layout, &layout.roots())
        }
        CopiedPlace::Registry(reference) => {
            let client = settings.context.remotes.network.registry(&reference.host);
            let from = WritableRegistry { client: &client, cache: registry.cache };
            let from = from.place(&reference.repository);
            let document = from.resolve(reference)?;
            let names = reference.tag.iter().cloned().collect();
            send(&from, &[(document.descriptor(), names)])
        }
    }
}
