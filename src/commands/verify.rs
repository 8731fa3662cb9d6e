//! `skills verify`: compares installed skills with their record and the lock.

use std::path::PathBuf;

use anyhow::Result;

use crate::cli::args::{ReportFormat, SelectionArgs, VerifyArgs};
use crate::cli::context::Context;
use crate::cli::exit::ExitStatus;
use crate::cli::settings::install::{destinations, names};
use crate::cli::settings::{lock_that_counts, manifest, sync};
use crate::commands::refusals::within;
use crate::output::{json, report as table};
use crate::skills::find::lock::OpenedLock;
use crate::skills::find::manifest::claims::{self, ManifestClaim};
use crate::skills::find::manifest::resolve::RunChoices;
use crate::skills::find::manifest::{FILE_NAME, Manifest};
use crate::skills::find::selection;
use crate::skills::put::install::destination::Destinations;
use crate::skills::put::install::site;
use crate::skills::put::install::verify::{Verified, against, against_manifest, verify};

/// Runs the command.
pub fn run(args: &VerifyArgs, context: &Context) -> Result<ExitStatus> {
    let printer = &context.printer;
    let destinations = destinations(&args.destination, true, context)?;
    let wanted: Vec<String> = names(&args.names)?.iter().map(ToString::to_string).collect();
    let (lock, claims) = expected(args, &destinations, context)?;
    let mut directories: Vec<(PathBuf, Vec<Verified>)> = Vec::new();
    for path in &destinations.directories {
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
        if let Some(locked) = &lock {
            against(&real, &mut skills, locked)?;
        }
        if let Some((owner, claims)) = &claims {
            against_manifest(&mut skills, (owner, claims), lock.as_ref());
        }
        directories.push((path.clone(), skills));
    }
    let all = directories.iter().flat_map(|(_, skills)| skills);
    let available: Vec<String> = all.map(|skill| skill.name.clone()).collect();
    selection::require(&wanted, &available)
        .map_err(|error| within(error.into(), &destinations.directories))?;
    if !wanted.is_empty() {
        for (_, skills) in &mut directories {
            skills.retain(|skill| wanted.contains(&skill.name));
        }
    }
    match args.format {
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

/// What the manifest says should be there.
type Claims = Option<(String, Vec<ManifestClaim>)>;

/// The lock of the manifest, its name as an owner, and its entries.
fn expected(
    args: &VerifyArgs,
    destinations: &Destinations,
    context: &Context,
) -> Result<(Option<OpenedLock>, Claims)> {
    let named = SelectionArgs { manifest: args.manifest.clone(), ..Default::default() };
    let Some(manifest) = manifest(&named, context)? else {
        let absent = Manifest { path: FILE_NAME.into(), ..Manifest::default() };
        let lock = OpenedLock::of_manifest(&absent, args.frozen)?;
        if args.frozen {
            Manifest::read(&absent.path)?;
        }
        return Ok((lock, None));
    };
    let (choices, project) = (RunChoices::default(), destinations.project.as_deref());
    let claims = claims::claims(&manifest, &choices, &context.environment, project)?;
    let lock = lock_that_counts(&manifest, args.frozen, context)?;
    Ok((lock, Some((sync::owner(&manifest, destinations), claims))))
}
