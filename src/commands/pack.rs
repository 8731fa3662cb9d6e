//! `skills pack`: one archive for each skill, all of them checked before the first is written.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cli::args::ReportFormat;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::settings::Pack;
use crate::commands::gather::gather;
use crate::commands::refusals::{is_refusal, refuse};
use crate::output::{install as table, json_v1};
use crate::skills::atomic;
use crate::skills::error::{Error, ErrorKind};
use crate::skills::install::candidate::Candidate;
use crate::skills::install::copy::Allowance;
use crate::skills::install::{Done, refuse_duplicates};
use crate::skills::pack::{Packed, pack};
use crate::skills::parallel;

/// Runs the command.
///
/// # Errors
/// Skills that cannot be read, and archives that cannot be written.
pub fn run(settings: &Pack, printer: &Printer) -> Result<ExitStatus> {
    let json = settings.format == ReportFormat::Json;
    let candidates = match gather(&settings.skills, &[], &settings.common, json, printer)? {
        Ok(candidates) => candidates,
        Err(refusal) => return refuse(&refusal, json, printer),
    };
    let planned = refuse_duplicates(&candidates)
        .and_then(|()| archives(&candidates, settings))
        .and_then(|packed| plan(packed, settings));
    let planned = match planned {
        Err(error) if is_refusal(&error) => return refuse(&error, json, printer),
        other => other?,
    };
    for (packed, path, done) in &planned {
        if *done != Done::Unchanged {
            write(path, &packed.bytes)?;
        }
    }
    let view = table::View {
        directory: &settings.common.directory,
        home: settings.common.environment.home.as_deref(),
        width: printer.width(),
        dry_run: false,
    };
    printer.results(|out| match settings.format {
        ReportFormat::Json => json_v1::install::packed(out, &planned),
        ReportFormat::Human => table::packed(out, &planned, &view),
    })?;
    Ok(ExitStatus::Success)
}

/// Packs all skills in memory.
fn archives(candidates: &[Candidate], settings: &Pack) -> Result<Vec<Packed>, Error> {
    let (skill, total) = (settings.skills.max_skill_bytes, settings.skills.max_total_bytes);
    let allowance = Allowance::new(skill, total);
    let packed =
        parallel::map_long(candidates, settings.common.threads, |one| pack(one, &allowance));
    packed.into_iter().collect()
}

/// Decides where each archive goes, and what happens to what is there.
fn plan(packed: Vec<Packed>, settings: &Pack) -> Result<Vec<(Packed, PathBuf, Done)>, Error> {
    if settings.is_file && packed.len() > 1 {
        let message = format!(
            "{} skills do not fit into one archive, `{}`",
            packed.len(),
            settings.output.display()
        );
        return Err(Error::new(ErrorKind::Usage, message).help("name a directory with `-o`"));
    }
    let decide = |packed: Packed| {
        let path = if settings.is_file {
            settings.output.clone()
        } else {
            settings.output.join(format!("{}.skill", packed.name))
        };
        let done = match fs::read(&path) {
            Ok(there) if there == packed.bytes => Done::Unchanged,
            Ok(_) if settings.force => Done::Replaced,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Done::Created,
            Ok(_) => {
                let message = format!("`{}` is there already, and different", path.display());
                return Err(Error::new(ErrorKind::Conflict, message)
                    .at(path)
                    .help("`--force` replaces it"));
            }
            Err(error) => return Err(Error::io("read", path, &error)),
        };
        Ok((packed, path, done))
    };
    packed.into_iter().map(decide).collect()
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)
        .and_then(|()| atomic::write(path, bytes))
        .map_err(|error| Error { kind: ErrorKind::Io, ..Error::io("write", path, &error) })
}
