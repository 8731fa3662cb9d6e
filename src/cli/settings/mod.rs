//! Resolves flags, files and environment into settings, one file per verb.

pub mod cache;
pub mod events;
pub mod given_name;
pub mod init;
pub mod install;
pub mod list;
pub mod lock;
pub mod mount;
pub mod pack;
pub mod push;
pub mod read;
pub mod remove;
pub mod render;
pub mod serve;
pub mod show;
pub mod sync;
pub mod update;
pub mod validate;
pub mod verb;
pub mod verify;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use crate::cli::args::{self, GlobalArgs, NetworkArgs};
use crate::cli::printer::Printer;
use crate::cli::progress::TransferLine;
pub use crate::cli::settings::cache::CacheSettings;
pub use crate::cli::settings::events::EventSettings;
pub use crate::cli::settings::init::{InitSettings, InitTarget};
pub use crate::cli::settings::install::{CopySettings, InstallSettings};
pub use crate::cli::settings::list::{ListSettings, SkillsToList};
pub use crate::cli::settings::lock::{LockSettings, is_about_installed};
pub use crate::cli::settings::mount::{MountSettings, UnmountSettings, evaluated_by};
pub use crate::cli::settings::pack::PackSettings;
pub use crate::cli::settings::push::{CopiedPlace, PushSettings};
pub use crate::cli::settings::read::ReadSettings;
pub use crate::cli::settings::remove::{RemoveSettings, SwitchSettings};
pub use crate::cli::settings::render::{RenderSettings, RenderedParts};
pub use crate::cli::settings::serve::{ServeSettings, ServeSource, Transport};
pub use crate::cli::settings::show::{CopyPlaces, ShowSettings, SkillToShow};
pub use crate::cli::settings::sync::SyncSettings;
pub use crate::cli::settings::update::{UpdateMode, UpdateSettings};
pub use crate::cli::settings::validate::{BaselineUse, Repairs, ValidateSettings};
pub use crate::cli::settings::verb::Verb;
pub use crate::cli::settings::verify::VerifySettings;
use crate::output::Screen;
use crate::skills::fetch::{NetworkAccess, Remotes};
use crate::skills::find::lock::{LockedSource, OpenedLock};
use crate::skills::find::manifest::resolve::{self, RunChoices};
use crate::skills::find::manifest::trust::ManifestOrigin;
use crate::skills::find::manifest::{self, Manifest};
use crate::skills::find::scan::ScanOptions;
use crate::skills::find::selection::Selection;
use crate::skills::judge::rules::Levels;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::filter::{NameFilter, PathFilter};
use crate::skills::model::key_prefix::KeyPrefix;
use crate::skills::model::reporter::Progress;
use crate::skills::model::request::{Request, RequestedSource};
use crate::skills::put::install::site::bounded_threads;

/// The variable that sets the number of threads.
const THREADS: &str = "SKILLS_THREADS";

/// What every command needs.
#[derive(Debug, Clone)]
pub struct CommonSettings {
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
}

impl CommonSettings {
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
        })
    }

    /// Where results are shown.
    pub fn screen(&self, printer: &Printer) -> Screen<'_> {
        Screen {
            directory: &self.directory,
            home: self.environment.home.as_deref(),
            width: printer.width(),
            styled: printer.shows_styles(),
        }
    }

    /// Where everything else is shown; that stream removes styles itself.
    pub fn error_screen(&self, printer: &Printer) -> Screen<'_> {
        Screen { width: printer.error_width(), styled: true, ..self.screen(printer) }
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

/// The named manifest, or else, without sources, the one in the current directory.
fn manifest(args: &args::SelectionArgs, common: &CommonSettings) -> Result<Option<Manifest>> {
    match &args.manifest {
        Some(path) => manifest::open::open(path, &common.remotes).map(Some),
        None if args.sources.is_empty()
            && Path::new(manifest::FILE_NAME).symlink_metadata().is_ok() =>
        {
            let manifest = Manifest::read(Path::new(manifest::FILE_NAME))?;
            Ok(Some(Manifest { origin: ManifestOrigin::Found, ..manifest }))
        }
        None => Ok(None),
    }
}

/// Sources from the command line, else from the manifest, else the current directory.
fn selection(
    args: &args::SelectionArgs,
    manifest: Option<&Manifest>,
    every_section: bool,
    common: &CommonSettings,
) -> Result<Selection> {
    let choices = choices(args, manifest, every_section)?;
    let lock = locked(args, manifest)?;
    let mut requests = match manifest {
        _ if !args.sources.is_empty() => {
            args.sources.iter().map(|source| Request::named(source)).collect::<Result<_>>()?
        }
        Some(manifest) => resolve::requests(manifest, &choices, &common.environment)?,
        None => vec![Request::here()],
    };
    if let Some(locked) = &lock {
        locked.pin(&mut requests)?;
    }
    let is_asked = |_: &&Manifest| args.sources.is_empty() && !args.only.is_empty();
    let waiting = match manifest.filter(is_asked) {
        Some(manifest) => resolve::waiting(manifest, choices, &common.environment),
        None => Vec::new(),
    };
    Ok(Selection {
        waiting,
        lock: lock.map(Arc::new),
        is_narrowed: is_narrowed(args),
        requests,
        scan: ScanOptions {
            names: name_filters(args, manifest)?,
            only: args.only.clone(),
            plugins: args.plugin.clone(),
            max_depth: args.max_depth,
            exclude: PathFilter::new(&args.exclude)?,
            threads: common.threads,
        },
        remotes: Arc::clone(&common.remotes),
    })
}

/// Reads `OWNER/REPO` on the command line as a repository on GitHub, and says so before anything is
/// fetched.
fn read_short_forms(requests: &mut [Request], common: &CommonSettings) {
    for request in requests.iter_mut().filter(|request| request.place.is_none()) {
        let RequestedSource::Path(path) = &request.what else { continue };
        let Some(short) = Request::in_short(path) else { continue };
        if let (Some(written), Some(location)) = (path.to_str(), short.location()) {
            let skill = short.skill.as_deref();
            common.remotes.announce(Progress::Meaning { written, location, skill });
        }
        *request = short;
    }
}

/// The lock of the manifest, if the sources come from the manifest.
fn locked(args: &args::SelectionArgs, manifest: Option<&Manifest>) -> Result<Option<OpenedLock>> {
    match manifest.filter(|_| args.sources.is_empty()) {
        Some(manifest) => OpenedLock::of_manifest(manifest, args.frozen),
        None if args.frozen => Err(frozen_without_sources()),
        None => Ok(None),
    }
}

/// The lock of a manifest. With `--frozen`, only the part that the manifest selects in this run.
fn lock_that_counts(
    manifest: &Manifest,
    frozen: bool,
    common: &CommonSettings,
) -> Result<Option<OpenedLock>> {
    let mut locked = OpenedLock::of_manifest(manifest, frozen)?;
    if let Some(locked) = locked.as_mut().filter(|locked| locked.frozen) {
        let choices = RunChoices::default();
        let mut requests = resolve::requests(manifest, &choices, &common.environment)?;
        locked.lock.decide(&mut requests);
        let wanted: HashSet<_> = requests.iter().map(LockedSource::key_of).collect();
        locked.lock.sources.retain(|source| wanted.contains(&Some(source.key())));
    }
    Ok(locked)
}

fn frozen_without_sources() -> Error {
    err!(Usage, "`--frozen` needs a manifest, because skills.lock pins the sources of a manifest")
        .help("remove the sources to use the skills.yaml here, or use `--manifest FILE` instead")
}

/// Refuses `--plugin` where an agent's own directories are searched, which know no plugins.
fn refuse_plugin(args: &args::SelectionArgs, flag: &str) -> Result<()> {
    if args.plugin.is_empty() {
        return Ok(());
    }
    Err(err!(Usage, "`--plugin` cannot be used with `{flag}`")
        .help("name the directory of the plugin as the source"))
}

/// Whether the command line asks for less than what the sources hold.
const fn is_narrowed(args: &args::SelectionArgs) -> bool {
    !args.allow.is_empty()
        || !args.deny.is_empty()
        || !args.only.is_empty()
        || !args.plugin.is_empty()
        || !args.exclude.is_empty()
        || args.max_depth.is_some()
}

/// The choices of the command line for a manifest.
fn choices(
    args: &args::SelectionArgs,
    manifest: Option<&Manifest>,
    every_section: bool,
) -> Result<RunChoices> {
    let param = |text: &String| {
        let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
        pair.map(|(name, value)| (name.to_owned(), value.to_owned())).ok_or_else(|| {
            let missing = if text.starts_with('=') { "name" } else { "value" };
            err!(Usage, "`--param {text}` has no {missing}").help("write `--param NAME=VALUE`")
        })
    };
    let prefix = key_prefix(manifest);
    let key = |text: &String| prefix.without(text).to_owned();
    Ok(RunChoices {
        params: args.params.iter().map(param).collect::<Result<_>>()?,
        expanded: args.expand.iter().map(key).collect(),
        every_section,
    })
}

/// Checks that `--expand` names keys of the manifest.
fn check_expanded(args: &args::SelectionArgs, manifest: Option<&Manifest>) -> Result<()> {
    let known = manifest.map(resolve::expandable).unwrap_or_default();
    resolve::check_expanded(&choices(args, manifest, false)?.expanded, &known)
}

/// The prefix of the keys in a prompt.
fn key_prefix(manifest: Option<&Manifest>) -> KeyPrefix {
    manifest.map(|manifest| manifest.key_prefix.clone()).unwrap_or_default()
}

/// The maximum size of one skill that a manifest sets.
fn max_skill_bytes(manifest: Option<&Manifest>) -> Option<u64> {
    manifest.and_then(|manifest| manifest.limits.max_skill_size)
}

/// The levels that a manifest sets.
fn levels(manifest: Option<&Manifest>) -> Levels {
    manifest.map(|manifest| manifest.levels.clone()).unwrap_or_default()
}

/// Splits globs at commas outside braces and brackets.
fn split_globs(words: &[String]) -> Vec<String> {
    let mut globs = Vec::new();
    for word in words {
        let (mut depth, mut start, mut is_escaped) = (0_usize, 0, false);
        for (at, c) in word.char_indices() {
            match c {
                _ if is_escaped => {}
                '{' | '[' => depth += 1,
                '}' | ']' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    globs.push(word[start..at].to_owned());
                    start = at + 1;
                }
                _ => {}
            }
            is_escaped = c == '\\' && !is_escaped;
        }
        globs.push(word[start..].to_owned());
    }
    // `a,` is one glob; an empty one would match nothing.
    globs.retain(|glob| !glob.is_empty());
    globs
}

/// The filters of the command line and of the manifest; a name must pass each.
fn name_filters(
    args: &args::SelectionArgs,
    manifest: Option<&Manifest>,
) -> Result<Vec<NameFilter>> {
    let mut names = vec![NameFilter::new(&split_globs(&args.allow), &split_globs(&args.deny))?];
    if let Some(manifest) = manifest {
        names.push(NameFilter::new(&manifest.allow, &manifest.deny)?);
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_split_at_commas_outside_braces() {
        let split = |text: &str| split_globs(&[text.to_owned()]);
        assert_eq!(split("a"), ["a"]);
        assert_eq!(split("a,b*"), ["a", "b*"]);
        assert_eq!(split("{a,b}*,c"), ["{a,b}*", "c"]);
        assert_eq!(split("{a,{b,c}},d"), ["{a,{b,c}}", "d"]);
        assert_eq!(split("[,]x,y"), ["[,]x", "y"]);
        assert_eq!(split("a\\,b"), ["a\\,b"]);
        assert_eq!(split("a,,b,"), ["a", "b"]);
        // Braces that do not match are left to the glob's own error.
        assert_eq!(split("{a,b"), ["{a,b"]);
        assert_eq!(split("a},b"), ["a}", "b"]);
    }
}
