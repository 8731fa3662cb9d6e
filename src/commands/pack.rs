//! `skills pack`: one archive for each skill, all of them checked before the first is written.

use std::path::Path;

use anyhow::Result;

use crate::cli::args::ReportFormat;
use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::printer::Printer;
use crate::cli::settings::PackSettings;
use crate::commands::gather::{SkillsToCopy, gather};
use crate::output::{json, report as table};
use crate::skills::fetch::oci::documents::Annotations;
use crate::skills::files::parallel;
use crate::skills::model::error::{Error, ErrorKind};
use crate::skills::publish::archive::{self, Packed, PlacedArchive, pack, write_all};
use crate::skills::publish::artifact::{self, PushTarget, build};
use crate::skills::publish::layout::{self, LayoutPlace};
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::source_files::Allowance;

/// Runs the command.
pub fn run(settings: &PackSettings, printer: &Printer) -> Result<ExitStatus> {
    let json = settings.format == ReportFormat::Json;
    let SkillsToCopy { candidates, .. } =
        gather(&settings.skills, &[], &settings.context, json, printer)?;
    if let Some((place, target)) = &settings.layout {
        return as_layout(&candidates, place, target, settings, printer);
    }
    let planned = match &settings.index {
        Some(directory) => publish(&candidates, directory, settings)?,
        None => {
            let planned = settings.place.plan(archives(&candidates, settings)?)?;
            write_all(&planned)?;
            planned
        }
    };
    let screen = settings.context.screen();
    match settings.format {
        ReportFormat::Json => printer.text(|out| json::report::packed(out, &planned))?,
        ReportFormat::Human => printer.results(|out| table::packed(out, &planned, &screen))?,
    }
    Ok(ExitStatus::Success)
}

/// Writes all skills to a layout.
fn as_layout(
    candidates: &[Candidate],
    place: &LayoutPlace,
    target: &PushTarget,
    settings: &PackSettings,
    printer: &Printer,
) -> Result<ExitStatus> {
    let allowance = Allowance::new(settings.skills.max_skill_bytes, u64::MAX);
    let make = |one: &Candidate| build(one, &allowance, &Annotations::new());
    let built = parallel::map_long(candidates, settings.context.threads, make);
    let publication = artifact::plan(built.into_iter().collect::<Result<_, Error>>()?, target)?;
    let done = layout::write(&publication, place).map_err(|error| match error.kind {
        ErrorKind::Conflict => Ending::refused(error).into(),
        _ => anyhow::Error::from(error),
    })?;
    let published = layout::published(&publication, place, done);
    let screen = settings.context.screen();
    match settings.format {
        ReportFormat::Json => printer.text(|out| json::report::published(out, &published, &[]))?,
        ReportFormat::Human => {
            printer.results(|out| table::written(out, &published, &place.path, done, &screen))?
        }
    }
    Ok(ExitStatus::Success)
}

/// Writes the files of a site: artifacts, and the index that names them.
fn publish(
    candidates: &[Candidate],
    directory: &Path,
    settings: &PackSettings,
) -> Result<Vec<PlacedArchive>, Error> {
    let allowance =
        Allowance::new(settings.skills.max_skill_bytes, settings.skills.max_total_bytes);
    let make = |candidate: &Candidate| archive::publish(candidate, &allowance);
    let made = parallel::map_long(candidates, settings.context.threads, make);
    let made = made.into_iter().collect::<Result<_, Error>>()?;
    let site = archive::plan(directory, settings.place.force, made)?;
    archive::write(&site)?;
    Ok(site.artifacts.into_iter().chain([site.index]).collect())
}

/// Packs all skills in memory.
fn archives(candidates: &[Candidate], settings: &PackSettings) -> Result<Vec<Packed>, Error> {
    let (skill, total) = (settings.skills.max_skill_bytes, settings.skills.max_total_bytes);
    let allowance = Allowance::new(skill, total);
    let packed =
        parallel::map_long(candidates, settings.context.threads, |one| pack(one, &allowance));
    packed.into_iter().collect()
}
