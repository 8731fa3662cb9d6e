//! `skills validate --watch`: shows the findings, and again after every change.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::printer::Printer;
use crate::cli::settings::ValidateSettings;
use crate::commands::validate;
use crate::skills::files::watch::{FileWatch, MOST_DIRECTORIES, WatchFailure};
use crate::skills::model::error::{Error, ErrorKind};
use crate::skills::model::request::RequestedSource;

/// Clears a terminal and moves to its top.
const CLEAR: &[u8] = b"\x1b[2J\x1b[3J\x1b[H";

/// Runs until a signal ends the process, or its output is closed.
pub fn run(
    resolve: &dyn Fn() -> Result<ValidateSettings, Error>,
    printer: &Printer,
) -> Result<ExitStatus> {
    let mut settings = Ok(resolve()?);
    let mut roots = settings.as_ref().map(roots_of).unwrap_or_default();
    let exclude = settings.as_ref().ok().map(|settings| settings.selection.scan.exclude.clone());
    let is_excluded = |path: &Path| exclude.as_ref().is_some_and(|one| one.matches(path));
    let mut watch = FileWatch::begin(roots.clone(), &is_excluded).map_err(refused)?;
    let mut shown = None;
    loop {
        // Most changes do not affect the findings, and redrawing makes the screen flicker.
        let now = match &settings {
            Ok(settings) => validate::text(settings).map_err(|error| Ending::of(error).error),
            Err(error) => Err(Error::clone(error)),
        };
        let now = now.map_err(|error| error.message);
        if shown.as_ref() != Some(&now) {
            show(&settings, printer)?;
            shown = Some(now);
        }
        watch.wait().map_err(refused)?;
        settings = resolve();
        // While the manifest is invalid, keep watching the previous sources.
        if let Ok(settings) = &settings {
            roots = roots_of(settings);
        }
        watch.follow(roots.clone()).map_err(refused)?;
    }
}

/// Clears the screen, and prints the same as without `--watch`.
fn show(settings: &Result<ValidateSettings, Error>, printer: &Printer) -> Result<()> {
    let is_terminal = printer.is_terminal();
    if is_terminal {
        printer.bytes(CLEAR)?;
    }
    let done = match settings {
        Ok(settings) => validate::run(settings, printer).map(|_| ()),
        Err(error) => Err(error.clone().into()),
    };
    match done {
        Err(failure) if failure.downcast_ref::<std::io::Error>().is_some() => return Err(failure),
        Err(failure) => printer.error(&Ending::of(failure).error),
        Ok(()) => {}
    }
    if is_terminal {
        printer.note("waiting for changes; Ctrl-C ends this");
    }
    Ok(())
}

/// The paths that a run reads on this machine.
fn roots_of(settings: &ValidateSettings) -> Vec<PathBuf> {
    let here = &settings.context.directory;
    let sources = settings.selection.requests.iter().filter_map(|request| match &request.what {
        RequestedSource::Path(path) => Some(path),
        _ => None,
    });
    let paths = sources.chain(&settings.companions).map(|path| here.join(path));
    paths.map(|path| path.canonicalize().unwrap_or(path)).collect()
}

fn refused(failure: WatchFailure) -> Error {
    let message = match failure {
        WatchFailure::TooMany => {
            format!("there are more than {MOST_DIRECTORIES} directories to watch")
        }
        WatchFailure::SystemLimit => {
            "the system allows no more directories to be watched".to_owned()
        }
    };
    Error::new(ErrorKind::Io, message)
        .help("name fewer sources, or leave some out with `--exclude`")
}
