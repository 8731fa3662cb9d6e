//! Flags, files and environment, resolved: what a command needs to know and nothing else.

mod init;
mod list;
mod read;
mod validate;

use std::path::{Path, PathBuf};
use std::thread;

use crate::cli::args::{self, Global};
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::filter::{NameFilter, PathFilter};
use crate::skills::manifest::{self, Manifest};
use crate::skills::rules::Levels;
use crate::skills::scan::ScanOptions;
use crate::skills::selection::{Request, Selection};

pub use init::Init;
pub use list::{List, What};
pub use read::Read;
pub use validate::{Repairs, Validate};

/// The variable that sets the number of threads.
const THREADS: &str = "SKILLS_THREADS";

/// What every command needs.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The current directory, without links.
    pub directory: PathBuf,
    /// Whether notes are shown.
    pub verbose: bool,
    /// Whether a progress bar may be shown.
    pub progress: bool,
    /// Threads to use.
    pub threads: usize,
}

impl Settings {
    /// Changes the directory, and reads the environment once.
    ///
    /// # Errors
    /// A directory that cannot be entered.
    pub fn resolve(global: &Global) -> Result<Self> {
        if let Some(directory) = &global.directory {
            std::env::set_current_dir(directory)
                .map_err(|error| Error::io("enter", directory, &error))?;
        }
        let directory = std::env::current_dir()
            .and_then(|directory| directory.canonicalize())
            .map_err(|error| Error::io("read", ".", &error))?;
        Ok(Self {
            directory,
            verbose: global.verbose > 0,
            progress: !global.no_progress && !global.quiet,
            threads: threads()?,
        })
    }
}

/// As many threads as the environment says, else as there are cores.
fn threads() -> Result<usize> {
    match std::env::var(THREADS) {
        Err(_) => Ok(thread::available_parallelism().map_or(1, usize::from)),
        Ok(value) => value.parse().ok().filter(|threads| *threads > 0).ok_or_else(|| {
            Error::new(ErrorKind::Usage, format!("`{THREADS}={value}` is not a number of threads"))
                .help("set it to 1 or more, or leave it unset")
        }),
    }
}

/// The manifest that is meant: the one that is named, else, when no source is, the one that is
/// here.
fn manifest(args: &args::Selection) -> Result<Option<Manifest>> {
    match &args.manifest {
        Some(path) => Manifest::read(path).map(Some),
        None if args.sources.is_empty()
            && Path::new(manifest::FILE_NAME).symlink_metadata().is_ok() =>
        {
            Manifest::read(Path::new(manifest::FILE_NAME)).map(Some)
        }
        None => Ok(None),
    }
}

/// Sources from the command line, else from the manifest, else the current directory.
fn selection(
    args: &args::Selection,
    manifest: Option<Manifest>,
    common: &Settings,
) -> Result<(Selection, Levels)> {
    let here = || vec![Request { path: PathBuf::from("."), name: None }];
    let named: Vec<Request> =
        args.sources.iter().map(|path| Request { path: path.clone(), name: None }).collect();
    let names = name_filters(args, manifest.as_ref())?;
    let (requests, levels) = match manifest {
        Some(manifest) => (manifest.requests, manifest.levels),
        None => (here(), Levels::default()),
    };
    let selection = Selection {
        requests: if named.is_empty() { requests } else { named },
        scan: ScanOptions {
            names,
            only: args.only.clone(),
            max_depth: args.max_depth,
            exclude: PathFilter::new(&args.exclude)?,
            threads: common.threads,
        },
    };
    Ok((selection, levels))
}

/// The filters of the command line and of the manifest; a name must pass each.
fn name_filters(args: &args::Selection, manifest: Option<&Manifest>) -> Result<Vec<NameFilter>> {
    let mut names = vec![NameFilter::new(&args.allow, &args.deny)?];
    if let Some(manifest) = manifest {
        names.push(NameFilter::new(&manifest.allow, &manifest.deny)?);
    }
    Ok(names)
}
