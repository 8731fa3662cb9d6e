//! `skills verify`: compares installed skills with their record and the lock.

use std::path::PathBuf;

use anyhow::Result;

use crate::cli::args::ReportFormat;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::settings::VerifySettings;
use crate::commands::refusals::within;
use crate::output::{json, report as table};
use crate::skills::find::selection;
use crate::skills::put::install::site;
use crate::skills::put::install::verify::{Verified, against, against_manifest, verify};

/// Runs the command.
pub fn run(settings: &VerifySettings, printer: &Printer) -> Result<ExitStatus> {
    let context = &settings.context;
    let mut directories: Vec<(PathBuf, Vec<Verified>)> = Vec::new();
    for path in &settings.destinations.directories {
        let mut skills = Vec::new();
        let mut real = path.clone();
        // A missing directory counts as empty.
        if let Some((path, directory)) = site::existing_directory(path)? {
            if site::left_behind(&directory, &path).is_some() {
                printer.warning(&format!(
                    "a run was interrupted in `{}`; the next `skills install` there cleans up",
                    path.display()
                ));
            }
            skills = verify(&path, &directory, context.threads)?;
            real = path;
        }
        if let Some(locked) = &settings.lock {
            against(&real, &mut skills, locked)?;
        }
        if let Some((owner, claims)) = &settings.claims {
            against_manifest(&mut skills, (owner, claims), settings.lock.as_ref());
        }
        directories.push((path.clone(), skills));
    }
    let all = directories.iter().flat_map(|(_, skills)| skills);
    let available: Vec<String> = all.map(|skill| skill.name.clone()).collect();
    let wanted: Vec<String> = settings.names.iter().map(ToString::to_string).collect();
    selection::require(&wanted, &available)
        .map_err(|error| within(error.into(), &settings.destinations.directories))?;
    if !wanted.is_empty() {
        for (_, skills) in &mut directories {
            skills.retain(|skill| wanted.contains(&skill.name));
        }
    }
    match settings.format {
        ReportFormat::Json => {
            printer.text(|out| json::report::verified(out, &directories))?;
        }
        ReportFormat::Human => {
            let screen = context.screen();
            let verbose = context.verbose || !wanted.is_empty();
            printer.results(|out| {
                directories.iter().try_for_each(|(path, skills)| {
                    table::verified(out, path, skills, verbose, &screen)
                })
            })?;
        }
    }
    let differs = directories.iter().flat_map(|(_, skills)| skills).any(|one| one.state.differs());
    Ok(if differs { ExitStatus::Refused } else { ExitStatus::Success })
}
