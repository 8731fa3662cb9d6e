//! Settings of `skills sync`.

use crate::cli::args;
use crate::cli::context::Context;
use crate::cli::settings::install::InstallSettings;
use crate::cli::settings::lock::LockSettings;
use crate::cli::settings::verb::Verb;
use crate::cli::settings::{choices, manifest};
use crate::skills::find::manifest::Manifest;
use crate::skills::find::manifest::claims::{self, ManifestClaim};
use crate::skills::model::error::{Result, err};
use crate::skills::put::install::destination::Destinations;
use crate::skills::put::locking::update::Upgrade;

/// Settings of `skills sync`.
#[derive(Debug, Clone)]
pub struct SyncSettings {
    /// The skills of the manifest, and where they go.
    pub install: InstallSettings,
    /// The owner that the skills are recorded with.
    pub owner: String,
    /// The entries of the manifest.
    pub claims: Vec<ManifestClaim>,
    /// The lock to make again, if any.
    pub upgrade: Option<LockSettings>,
    /// Whether to write that lock.
    pub writes_lock: bool,
}

impl SyncSettings {
    /// Resolves the flags of `skills sync`.
    pub fn resolve(args: &args::SyncArgs, context: &Context) -> Result<Self> {
        let install = args::InstallArgs {
            selection: args::SelectionArgs {
                manifest: args.manifest.clone(),
                params: args.params.clone(),
                expand: args.expand.clone(),
                frozen: args.frozen,
                network: args.network,
                ..args::SelectionArgs::default()
            },
            destination: args.destination.clone(),
            apply: args.apply.clone(),
            link: false,
            reading: args.reading.clone(),
            trust_manifest: args.trust_manifest,
            name: None,
        };
        let manifest = manifest(&install.selection, context)?.ok_or_else(|| {
            err!(NotFound, "there is no skills.yaml here")
                .help("name one with `--manifest`, such as `--manifest gh:OWNER/REPO`")
        })?;
        let choices = choices(&install.selection, Some(&manifest), false)?;
        let install = InstallSettings::of_manifest(Some(&manifest), &install, Verb::Sync, context)?;
        let project = install.destinations.project.as_deref();
        let claims = claims::claims(&manifest, &choices, &context.environment, project)?;
        let owner = owner(&manifest, &install.destinations);
        let writes_lock = args.upgrade && manifest.tree.is_none() && !args.apply.dry_run;
        let upgrade = args.upgrade.then(|| {
            let sources = args::LockedSourcesArgs {
                manifest: args.manifest.clone(),
                params: args.params.clone(),
                network: args.network,
                format: args.apply.format,
            };
            LockSettings::of_manifest(manifest, &sources, &Upgrade::Everything, true, context)
        });
        Ok(Self { install, owner, claims, upgrade: upgrade.transpose()?, writes_lock })
    }
}

/// The owner of the skills that a manifest installs. A project's record names its own manifest by a
/// path that is the same in every clone.
pub fn owner(manifest: &Manifest, destinations: &Destinations) -> String {
    let owner = manifest.owner();
    let inside = |root| std::path::Path::new(&owner).strip_prefix(root).ok();
    match destinations.within.as_ref().filter(|_| manifest.tree.is_none()).and_then(inside) {
        Some(inner) => inner.display().to_string(),
        None => owner,
    }
}
