//! The context of a run: the directory, the environment, the servers, and where results go.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use crate::cli::args::{GlobalArgs, NetworkArgs};
use crate::cli::printer::Printer;
use crate::cli::progress::TransferLine;
use crate::output::Screen;
use crate::skills::fetch::{NetworkAccess, Remotes};
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::reporter::Progress;
use crate::skills::put::install::site::bounded_threads;

/// The variable that sets the number of threads.
const THREADS: &str = "SKILLS_THREADS";

/// What every verb needs, resolved once.
#[derive(Debug, Clone)]
pub struct Context {
    /// The current directory, without links.
    pub directory: PathBuf,
    /// Whether notes are shown.
    pub verbose: bool,
    /// Whether a progress bar may be shown.
    pub progress: bool,
    /// Threads to use.
    pub threads: usize,
    /// The environment of the run.
    pub environment: Environment,
    /// The servers of this run.
    pub remotes: Arc<Remotes>,
    pub printer: Printer,
}

impl Context {
    /// Changes the directory, and reads the environment once.
    pub fn resolve(global: &GlobalArgs, network: NetworkArgs, printer: Printer) -> Result<Self> {
        if let Some(directory) = &global.directory {
            std::env::set_current_dir(directory)
                .map_err(|error| Error::io("enter", directory, &error))?;
        }
        let directory = std::env::current_dir()
            .and_then(|directory| directory.canonicalize())
            .map_err(|error| Error::io("read", ".", &error))?;
        let environment = Environment::new(directory.clone(), std::env::vars_os());
        let progress = !global.no_progress && !global.quiet;
        let transfers = TransferLine::new(progress);
        let announce = move |news: Progress<'_>| match news {
            Progress::Meaning { written, location, skill: None } => {
                printer.note(&format!("`{written}` means `{location}`"));
            }
            Progress::Meaning { written, location, skill: Some(skill) } => {
                printer.note(&format!("`{written}` means the skill `{skill}` of `{location}`"));
            }
            Progress::Fetching(location) => printer.note(&format!("fetching `{location}`")),
            Progress::Waiting(location) => {
                printer.note(&format!("waiting for another run to fetch `{location}`"));
            }
            Progress::PassedOver { what, reason } => {
                printer.warning(&format!("{what} is not read: {reason}"));
            }
            Progress::Begun(bytes) => transfers.begin(bytes),
            Progress::Moved(bytes) => transfers.add(bytes),
            Progress::Ended => transfers.end(),
            Progress::Pausing { host, reason, pause } => {
                let seconds = pause.as_secs_f32().ceil();
                let note = format!("`{host}`: {reason}; trying again in {seconds} s");
                transfers.beside(|| printer.note(&note));
            }
        };
        let access = NetworkAccess { offline: network.offline, insecure: network.insecure };
        Ok(Self {
            remotes: Arc::new(Remotes::new(environment.clone(), Arc::new(announce), access)),
            directory,
            verbose: global.verbose > 0,
            progress,
            threads: bounded_threads(threads()?),
            environment,
            printer,
        })
    }

    /// Where results are shown.
    pub fn screen(&self) -> Screen<'_> {
        Screen {
            directory: &self.directory,
            home: self.environment.home.as_deref(),
            width: self.printer.width(),
            styled: self.printer.shows_styles(),
        }
    }

    /// Where everything else is shown; that stream removes styles itself.
    pub fn error_screen(&self) -> Screen<'_> {
        Screen { width: self.printer.error_width(), styled: true, ..self.screen() }
    }
}

/// The number of threads from the environment, or else the number of cores.
fn threads() -> Result<usize> {
    match std::env::var(THREADS) {
        Err(_) => Ok(thread::available_parallelism().map_or(1, usize::from)),
        Ok(value) => value.parse().ok().filter(|threads| *threads > 0).ok_or_else(|| {
            err!(Usage, "`{THREADS}={value}` is not a number of threads")
                .help("set it to 1 or more, or leave it unset")
        }),
    }
}
