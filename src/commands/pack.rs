//! `skills pack`: one archive for each skill, all of them checked before the first is written.

use std::path::Path;

use anyhow::Result;

use crate::cli::args::ReportFormat;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::settings::PackSettings;
use crate::commands::gather::{SkillsToCopy, gather};
use crate::output::{install as table, json_v1};
use crate::skills::files::parallel;
use crate::skills::model::error::Error;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::source_files::Allowance;
use crate::skills::put::pack::place::{PlacedArchive, write_all};
use crate::skills::put::pack::{Packed, index, pack};

/// Runs the command.
///
/// # Errors
/// Skills that cannot be read, and archives that cannot be written.
pub fn run(settings: &PackSettings, printer: &Printer) -> Result<ExitStatus> {
    let json = settings.format == ReportFormat::Json;
    let SkillsToCopy { candidates, .. } =
        gather(&settings.skills, &[], &settings.common, json, printer)?;
    let planned = match &settings.index {
        Some(directory) => publish(&candidates, directory, settings)?,
        None => {
            let planned = settings.place.plan(archives(&candidates, settings)?)?;
            write_all(&planned)?;
            planned
        }
    };
    let screen = settings.common.screen(printer);
    match settings.format {
        ReportFormat::Json => printer.text(|out| json_v1::install::packed(out, &planned))?,
        ReportFormat::Human => printer.results(|out| table::packed(out, &planned, &screen))?,
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
    let make = |candidate: &Candidate| index::publish(candidate, &allowance);
    let made = parallel::map_long(candidates, settings.common.threads, make);
    let made = made.into_iter().collect::<Result<_, Error>>()?;
    let site = index::plan(directory, settings.place.force, made)?;
    index::write(&site)?;
    Ok(site.artifacts.into_iter().chain([site.index]).collect())
}

/// Packs all skills in memory.
fn archives(candidates: &[Candidate], settings: &PackSettings) -> Result<Vec<Packed>, Error> {
    let (skill, total) = (settings.skills.max_skill_bytes, settings.skills.max_total_bytes);
    let allowance = Allowance::new(skill, total);
    let packed =
        parallel::map_long(candidates, settings.common.threads, |one| pack(one, &allowance));
    packed.into_iter().collect()
}
