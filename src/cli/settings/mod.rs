//! Resolves flags, files and environment into settings, one file per verb.

pub mod events;
pub mod given_name;
pub mod install;
pub mod list;
pub mod lock;
pub mod mount;
pub mod push;
pub mod read;
pub mod render;
pub mod serve;
pub mod show;
pub mod sync;
pub mod validate;
pub mod verb;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::cli::args;
use crate::cli::context::Context;
pub use crate::cli::settings::events::EventSettings;
pub use crate::cli::settings::install::{CopySettings, InstallSettings};
pub use crate::cli::settings::list::{ListSettings, SkillsToList};
pub use crate::cli::settings::lock::{LockSettings, is_about_installed};
pub use crate::cli::settings::mount::{MountSettings, evaluated_by};
pub use crate::cli::settings::push::{CopiedPlace, PushSettings};
pub use crate::cli::settings::read::ReadSettings;
pub use crate::cli::settings::render::{RenderSettings, RenderedParts};
pub use crate::cli::settings::serve::{ServeSettings, ServeSource, Transport};
pub use crate::cli::settings::show::{CopyPlaces, ShowSettings, SkillToShow};
pub use crate::cli::settings::sync::SyncSettings;
pub use crate::cli::settings::validate::{BaselineUse, Repairs, ValidateSettings};
pub use crate::cli::settings::verb::Verb;
use crate::skills::find::lock::{LockedSource, OpenedLock};
use crate::skills::find::manifest::resolve::{self, RunChoices};
use crate::skills::find::manifest::trust::ManifestOrigin;
use crate::skills::find::manifest::{self, Manifest};
use crate::skills::find::scan::ScanOptions;
use crate::skills::find::selection::Selection;
use crate::skills::judge::rules::Levels;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::filter::{NameFilter, PathFilter};
use crate::skills::model::key_prefix::KeyPrefix;
use crate::skills::model::reporter::Progress;
use crate::skills::model::request::{Request, RequestedSource};

/// The named manifest, or else, without sources, the one in the current directory.
pub fn manifest(args: &args::SelectionArgs, context: &Context) -> Result<Option<Manifest>> {
    match &args.manifest {
        Some(path) => manifest::open::open(path, &context.remotes).map(Some),
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
    context: &Context,
) -> Result<Selection> {
    let choices = choices(args, manifest, every_section)?;
    let lock = locked(args, manifest)?;
    let mut requests = match manifest {
        _ if !args.sources.is_empty() => {
            args.sources.iter().map(|source| Request::named(source)).collect::<Result<_>>()?
        }
        Some(manifest) => resolve::requests(manifest, &choices, &context.environment)?,
        None => vec![Request::here()],
    };
    if let Some(locked) = &lock {
        locked.pin(&mut requests)?;
    }
    let is_asked = |_: &&Manifest| args.sources.is_empty() && !args.only.is_empty();
    let waiting = match manifest.filter(is_asked) {
        Some(manifest) => resolve::waiting(manifest, choices, &context.environment),
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
            installed: Vec::new(),
            threads: context.threads,
        },
        remotes: Arc::clone(&context.remotes),
    })
}

/// Reads `OWNER/REPO` on the command line as a repository on GitHub, and says so before anything is
/// fetched.
fn read_short_forms(requests: &mut [Request], context: &Context) {
    for request in requests.iter_mut().filter(|request| request.place.is_none()) {
        let RequestedSource::Path(path) = &request.what else { continue };
        let Some(short) = Request::in_short(path) else { continue };
        if let (Some(written), Some(location)) = (path.to_str(), short.location()) {
            let skill = short.skill.as_deref();
            context.remotes.announce(Progress::Meaning { written, location, skill });
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
pub fn lock_that_counts(
    manifest: &Manifest,
    frozen: bool,
    context: &Context,
) -> Result<Option<OpenedLock>> {
    let mut locked = OpenedLock::of_manifest(manifest, frozen)?;
    if let Some(locked) = locked.as_mut().filter(|locked| locked.frozen) {
        let choices = RunChoices::default();
        let mut requests = resolve::requests(manifest, &choices, &context.environment)?;
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
