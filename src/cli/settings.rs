//! Flags, files and environment, resolved: what a command needs to know and nothing else.

use std::path::{Path, PathBuf};
use std::thread;

use crate::cli::args::{self, Format, Global};
use crate::skills::agents;
use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::filter::{NameFilter, PathFilter};
use crate::skills::manifest::{self, Manifest};
use crate::skills::name::{self, SkillName};
use crate::skills::rules::{self, Level, Levels, RuleOptions};
use crate::skills::scan::ScanOptions;
use crate::skills::selection::{Request, Selection};
use crate::skills::validate::Options;

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

/// What is done about what can be repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repairs {
    /// Nothing.
    Report,
    /// They are shown.
    Show,
    /// They are made.
    Make,
}

/// Settings of `skills validate`.
#[derive(Debug, Clone)]
pub struct Validate {
    /// Those of every command.
    pub common: Settings,
    /// Which skills.
    pub selection: Selection,
    /// How to judge them.
    pub options: Options,
    /// How to print findings.
    pub format: Format,
    /// Where to write that format, besides the terminal.
    pub output: Option<PathBuf>,
    /// What to do about repairs.
    pub repairs: Repairs,
}

impl Validate {
    /// Resolves the flags of `skills validate`.
    ///
    /// # Errors
    /// Whatever a flag or the manifest gets wrong.
    pub fn resolve(args: &args::Validate, common: &Settings) -> Result<Self> {
        let (selection, mut levels) = selection(&args.selection, common)?;
        for setting in &args.rules {
            set_level(setting, &mut levels)?;
        }
        let agents = args.agent.iter().map(|word| agents::find(word)).collect::<Result<_>>()?;
        if args.diff && args.format != Format::Human {
            let message = "`--diff` prints a diff and needs `--format human`";
            return Err(Error::new(ErrorKind::Usage, message));
        }
        Ok(Self {
            common: common.clone(),
            selection,
            options: Options { rules: RuleOptions { strict: args.strict, agents }, levels },
            format: args.format,
            output: args.output.clone(),
            repairs: match (args.fix, args.diff) {
                (true, _) => Repairs::Make,
                (false, true) => Repairs::Show,
                (false, false) => Repairs::Report,
            },
        })
    }
}

/// Sources from the command line, else from the manifest, else the current directory.
fn selection(args: &args::Selection, common: &Settings) -> Result<(Selection, Levels)> {
    let manifest = match &args.manifest {
        Some(path) => Some(Manifest::read(path)?),
        None if args.sources.is_empty()
            && Path::new(manifest::FILE_NAME).symlink_metadata().is_ok() =>
        {
            Some(Manifest::read(Path::new(manifest::FILE_NAME))?)
        }
        None => None,
    };
    let here = || vec![Request { path: PathBuf::from("."), name: None }];
    let named: Vec<Request> =
        args.sources.iter().map(|path| Request { path: path.clone(), name: None }).collect();
    let mut names = vec![NameFilter::new(&args.allow, &args.deny)?];
    let (requests, levels) = match manifest {
        Some(manifest) => {
            names.push(NameFilter::new(&manifest.allow, &manifest.deny)?);
            (manifest.requests, manifest.levels)
        }
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

/// Reads `ID=LEVEL`.
fn set_level(setting: &str, levels: &mut Levels) -> Result<()> {
    let words = Level::WORDS.join(", ");
    let Some((id, word)) = setting.split_once('=') else {
        let message = format!("`--rule {setting}` has no level");
        let help = format!("write `--rule {setting}=LEVEL`; a level is one of {words}");
        return Err(Error::new(ErrorKind::Usage, message).help(help));
    };
    let rule = rules::find(id)?;
    let level = Level::parse(word).ok_or_else(|| {
        Error::new(ErrorKind::Usage, format!("unknown level `{word}` for `{id}`"))
            .help(format!("a level is one of {words}"))
    })?;
    levels.set(rule, level);
    Ok(())
}

/// Settings of `skills init`.
#[derive(Debug, Clone)]
pub struct Init {
    /// The name.
    pub name: SkillName,
    /// The description.
    pub description: Option<String>,
    /// Where the directory is made.
    pub parent: PathBuf,
}

impl Init {
    /// Resolves the flags of `skills init`.
    ///
    /// # Errors
    /// A name or description that would not validate.
    pub fn resolve(args: &args::Init) -> Result<Self> {
        let name = SkillName::new(&args.name).map_err(|error| {
            let message = format!("`{}` is not a name for a skill: {error}", args.name);
            let failure = Error::new(ErrorKind::InvalidName, message);
            match name::suggest(&args.name) {
                Some(better) => failure.help(format!("try `skills init {better}`")),
                None => failure,
            }
        })?;
        Ok(Self { name, description: args.description.clone(), parent: args.dir.clone() })
    }
}
