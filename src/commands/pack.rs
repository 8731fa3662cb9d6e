//! `skills pack`: one archive for each skill, all of them checked before the first is written.

use std::path::Path;

use anyhow::Result;

use crate::cli::args::{PackArgs, ReadingArgs, ReportFormat, SelectionArgs};
use crate::cli::context::Context;
use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::settings::{CopySettings, Verb};
use crate::commands::gather::{SkillsToCopy, gather};
use crate::output::{json, report as table};
use crate::skills::fetch::oci::documents::Annotations;
use crate::skills::files::parallel;
use crate::skills::find::left_out::Globs;
use crate::skills::model::environment::normalized;
use crate::skills::model::error::{Error, ErrorKind};
use crate::skills::model::filter::PathFilter;
use crate::skills::publish::archive::{self, ArchivePlace, Packed, PlacedArchive, pack, write_all};
use crate::skills::publish::artifact::{self, PushTarget, build};
use crate::skills::publish::layout::{self, LayoutPlace};
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::source_files::Allowance;

/// Runs the command.
pub fn run(args: &PackArgs, context: &Context) -> Result<ExitStatus> {
    let (printer, json) = (&context.printer, args.format == ReportFormat::Json);
    let skills = skills(args, context)?;
    let SkillsToCopy { candidates, .. } = gather(&skills, &[], context, json, printer)?;
    if let Some(path) = &args.oci {
        return as_layout(&candidates, &normalized(path), &skills, args, context);
    }
    let planned = match &args.index {
        Some(directory) => {
            publish(&candidates, &normalized(directory), &skills, args.force, context)?
        }
        None => {
            let planned = place(args, context).plan(archives(&candidates, &skills, context)?)?;
            write_all(&planned)?;
            planned
        }
    };
    let screen = context.screen();
    match args.format {
        ReportFormat::Json => printer.text(|out| json::report::packed(out, &planned))?,
        ReportFormat::Human => printer.results(|out| table::packed(out, &planned, &screen))?,
    }
    Ok(ExitStatus::Success)
}

/// The skills and how they are read.
fn skills(args: &PackArgs, context: &Context) -> Result<CopySettings, Error> {
    let selection = SelectionArgs {
        sources: args.sources.clone(),
        plugin: args.plugin.clone(),
        ..SelectionArgs::default()
    };
    let reading = ReadingArgs {
        no_validate: args.no_validate,
        nested: args.nested,
        ..ReadingArgs::default()
    };
    let mut skills = CopySettings::resolve(&selection, &reading, Verb::Pack, context)?;
    // Archives are independent, so there is no total limit.
    skills.max_total_bytes = u64::MAX;
    // Report an invalid glob once, not for every skill.
    PathFilter::new(&args.include)?;
    PathFilter::new(&args.exclude)?;
    skills.read.pack = Some(Globs { include: args.include.clone(), exclude: args.exclude.clone() });
    Ok(skills)
}

/// Where archives go.
fn place(args: &PackArgs, context: &Context) -> ArchivePlace {
    let output = args.output.clone().unwrap_or_default();
    let is_archive =
        output.extension().is_some_and(|extension| extension == "skill" || extension == "zip");
    ArchivePlace {
        is_file: is_archive && !output.is_dir(),
        output: normalized(&context.directory.join(output)),
        force: args.force,
    }
}

/// Writes all skills to a layout.
fn as_layout(
    candidates: &[Candidate],
    path: &Path,
    skills: &CopySettings,
    args: &PackArgs,
    context: &Context,
) -> Result<ExitStatus> {
    let place = &LayoutPlace { path: path.to_owned(), force: args.force };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let target = &PushTarget {
        host: String::new(),
        repository: String::new(),
        tag: None,
        collection: None,
        usual_collection: name.unwrap_or_else(|| "skills".to_owned()),
    };
    let allowance = Allowance::new(skills.max_skill_bytes, u64::MAX);
    let make = |one: &Candidate| build(one, &allowance, &Annotations::new());
    let built = parallel::map_long(candidates, context.threads, make);
    let publication = artifact::plan(built.into_iter().collect::<Result<_, Error>>()?, target)?;
    let done = layout::write(&publication, place).map_err(|error| match error.kind {
        ErrorKind::Conflict => Ending::refused(error).into(),
        _ => anyhow::Error::from(error),
    })?;
    let published = layout::published(&publication, place, done);
    let (printer, screen) = (&context.printer, context.screen());
    match args.format {
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
    skills: &CopySettings,
    force: bool,
    context: &Context,
) -> Result<Vec<PlacedArchive>, Error> {
    let allowance = Allowance::new(skills.max_skill_bytes, skills.max_total_bytes);
    let make = |candidate: &Candidate| archive::publish(candidate, &allowance);
    let made = parallel::map_long(candidates, context.threads, make);
    let made = made.into_iter().collect::<Result<_, Error>>()?;
    let site = archive::plan(directory, force, made)?;
    archive::write(&site)?;
    Ok(site.artifacts.into_iter().chain([site.index]).collect())
}

/// Packs all skills in memory.
fn archives(
    candidates: &[Candidate],
    skills: &CopySettings,
    context: &Context,
) -> Result<Vec<Packed>, Error> {
    let (skill, total) = (skills.max_skill_bytes, skills.max_total_bytes);
    let allowance = Allowance::new(skill, total);
    let packed = parallel::map_long(candidates, context.threads, |one| pack(one, &allowance));
    packed.into_iter().collect()
}
