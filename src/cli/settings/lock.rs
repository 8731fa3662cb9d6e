//! Settings of `skills lock` and `skills outdated`.

use std::path::PathBuf;

use super::CommonSettings;
use super::install::{CopySettings, Verb};
use crate::cli::args::{self, ReportFormat};
use crate::skills::find::lock::{self, LockFile};
use crate::skills::find::manifest::Manifest;
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::put::locking::update::{self, Upgrade};

/// Settings of `skills lock` and `skills outdated`.
#[derive(Debug, Clone)]
pub struct LockSettings {
    /// Those of every command.
    pub common: CommonSettings,
    /// The manifest.
    pub manifest: Manifest,
    /// The skills of its sources, at the commits that are to be locked.
    pub skills: CopySettings,
    /// Where the lock is.
    pub path: PathBuf,
    /// What it says; none when it is not there.
    pub old: Option<LockFile>,
    /// Whether nothing is written.
    pub dry_run: bool,
    /// How to print the differences.
    pub format: ReportFormat,
}

impl LockSettings {
    /// Resolves the flags of `skills lock`.
    ///
    /// # Errors
    /// Whatever a flag, the manifest or the lock gets wrong.
    pub fn resolve(args: &args::LockArgs, common: &CommonSettings) -> Result<Self> {
        let upgrade = match args.upgrade.as_deref() {
            None => Upgrade::Nothing,
            Some([]) => Upgrade::Everything,
            Some(names) => Upgrade::Named(names.to_vec()),
        };
        Self::of(&args.sources, &upgrade, args.dry_run, common)
    }

    /// Resolves the flags of `skills outdated`.
    ///
    /// # Errors
    /// Whatever a flag, the manifest or the lock gets wrong; no lock at all.
    pub fn outdated(args: &args::OutdatedArgs, common: &CommonSettings) -> Result<Self> {
        let settings = Self::of(&args.sources, &Upgrade::Everything, true, common)?;
        if settings.old.is_none() {
            let path = settings.path.display();
            return Err(Error::new(ErrorKind::NotFound, format!("there is no `{path}`"))
                .at(&settings.path)
                .help("run `skills lock` to create it"));
        }
        Ok(settings)
    }

    fn of(
        args: &args::LockedSourcesArgs,
        upgrade: &Upgrade,
        dry_run: bool,
        common: &CommonSettings,
    ) -> Result<Self> {
        let selection = args::SelectionArgs {
            manifest: args.manifest.clone(),
            params: args.params.clone(),
            ..args::SelectionArgs::default()
        };
        let manifest = super::manifest(&selection)?.ok_or_else(|| {
            Error::new(ErrorKind::NotFound, "there is no skills.yaml here")
                .help("create one with `skills init --manifest`, or use `--manifest FILE`")
        })?;
        // Every skill that a later run may take is locked.
        let reading = args::ReadingArgs { nested: true, ..args::ReadingArgs::default() };
        let mut skills =
            CopySettings::of_manifest(Some(&manifest), &selection, &reading, Verb::Lock, common)?;
        let path = lock::beside(&manifest.path);
        let old = skills.selection.lock.take().map(|locked| locked.lock.clone());
        // A lock names every source in full.
        common.remotes.decide(&mut skills.selection.requests)?;
        update::pin(&mut skills.selection.requests, &old.clone().unwrap_or_default(), upgrade)?;
        Ok(Self {
            common: common.clone(),
            manifest,
            skills,
            path,
            old,
            dry_run,
            format: args.format,
        })
    }
}
