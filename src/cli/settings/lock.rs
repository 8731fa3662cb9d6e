//! Settings of `skills lock` and `skills outdated`.

use std::path::{Path, PathBuf};

use crate::cli::args::{self, ReportFormat};
use crate::cli::context::Context;
use crate::cli::settings::install::CopySettings;
use crate::cli::settings::verb::Verb;
use crate::skills::find::lock::{self, LockFile};
use crate::skills::find::manifest::{self, Manifest};
use crate::skills::model::error::{Result, err};
use crate::skills::put::locking::update::{self, Upgrade};

/// Settings of `skills lock` and `skills outdated`.
#[derive(Debug, Clone)]
pub struct LockSettings {
    /// Settings of every command.
    pub context: Context,
    pub manifest: Manifest,
    /// The skills of its sources, at the commits to lock.
    pub skills: CopySettings,
    /// Where the lock is.
    pub path: PathBuf,
    /// The current lock, if there is one.
    pub old: Option<LockFile>,
    /// Whether to write nothing.
    pub dry_run: bool,
    /// How to print the differences.
    pub format: ReportFormat,
}

/// Whether `skills outdated` checks installed skills: without a manifest, or with a named skills
/// directory.
pub fn is_about_installed(args: &args::OutdatedArgs) -> bool {
    let named = &args.destination;
    let names_place = !named.agent.is_empty()
        || named.dir.is_some()
        || named.home.is_some()
        || named.scope == Some(args::ScopeArg::Project);
    let is_here = || Path::new(manifest::FILE_NAME).symlink_metadata().is_ok();
    args.sources.manifest.is_none() && (names_place || !is_here())
}

impl LockSettings {
    /// Resolves the flags of `skills lock`.
    pub fn resolve(args: &args::LockArgs, context: &Context) -> Result<Self> {
        let upgrade = match args.upgrade.as_deref() {
            None => Upgrade::Nothing,
            Some([]) => Upgrade::Everything,
            Some(names) => Upgrade::Named(names.to_vec()),
        };
        let settings = Self::of(&args.sources, &upgrade, args.dry_run, context)?;
        if settings.manifest.tree.is_some() && !args.dry_run {
            let path = settings.manifest.path.display();
            return Err(err!(Usage, "`{path}` is not a file, so no lock can be written beside it")
                .help("clone the repository and run `skills lock` there, or use `--dry-run`"));
        }
        Ok(settings)
    }

    /// Resolves the flags of `skills outdated`.
    pub fn outdated(args: &args::OutdatedArgs, context: &Context) -> Result<Self> {
        let settings = Self::of(&args.sources, &Upgrade::Everything, true, context)?;
        if settings.old.is_none() {
            let path = settings.path.display();
            return Err(err!(NotFound, "there is no `{path}`")
                .at(&settings.path)
                .help("run `skills lock` to create it"));
        }
        Ok(settings)
    }

    fn of(
        args: &args::LockedSourcesArgs,
        upgrade: &Upgrade,
        dry_run: bool,
        context: &Context,
    ) -> Result<Self> {
        let named = args::SelectionArgs { manifest: args.manifest.clone(), ..Default::default() };
        let manifest = crate::cli::settings::manifest(&named, context)?.ok_or_else(|| {
            err!(NotFound, "there is no skills.yaml here")
                .help("create one with `skills init --manifest`, or use `--manifest FILE`")
        })?;
        Self::of_manifest(manifest, args, upgrade, dry_run, context)
    }

    /// Resolves the flags with a manifest that was read already.
    pub fn of_manifest(
        manifest: Manifest,
        args: &args::LockedSourcesArgs,
        upgrade: &Upgrade,
        dry_run: bool,
        context: &Context,
    ) -> Result<Self> {
        let selection = args::SelectionArgs {
            manifest: args.manifest.clone(),
            params: args.params.clone(),
            ..args::SelectionArgs::default()
        };
        // Lock every skill that a later run may use.
        let reading = args::ReadingArgs { nested: true, ..args::ReadingArgs::default() };
        let mut skills =
            CopySettings::of_manifest(Some(&manifest), &selection, &reading, Verb::Lock, context)?;
        let path = lock::beside(&manifest.path);
        let old = skills.selection.lock.take().map(|locked| locked.lock.clone());
        // A lock contains no ambiguous sources.
        context.remotes.decide(&mut skills.selection.requests)?;
        update::pin(&mut skills.selection.requests, &old.clone().unwrap_or_default(), upgrade)?;
        Ok(Self {
            context: context.clone(),
            manifest,
            skills,
            path,
            old,
            dry_run,
            format: args.format,
        })
    }
}
