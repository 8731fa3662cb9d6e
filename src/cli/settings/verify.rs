//! Settings of `skills verify`.

use crate::cli::args::{self, ReportFormat};
use crate::cli::context::Context;
use crate::cli::settings::install::{destinations, names};
use crate::skills::find::lock::OpenedLock;
use crate::skills::find::manifest::claims::{self, ManifestClaim};
use crate::skills::find::manifest::resolve::RunChoices;
use crate::skills::find::manifest::{FILE_NAME, Manifest};
use crate::skills::model::error::Result;
use crate::skills::model::name::SkillName;
use crate::skills::put::install::destination::Destinations;

/// Settings of `skills verify`.
#[derive(Debug, Clone)]
pub struct VerifySettings {
    /// Settings of every command.
    pub context: Context,
    /// Which skills; empty means all.
    pub names: Vec<SkillName>,
    /// Where they are.
    pub destinations: Destinations,
    /// The lock of the manifest.
    pub lock: Option<OpenedLock>,
    /// The owner of the skills of that manifest, and its entries.
    pub claims: Option<(String, Vec<ManifestClaim>)>,
    /// How to print them.
    pub format: ReportFormat,
}

impl VerifySettings {
    /// Resolves the flags of `skills verify`.
    pub fn resolve(args: &args::VerifyArgs, context: &Context) -> Result<Self> {
        let named = args::SelectionArgs { manifest: args.manifest.clone(), ..Default::default() };
        let destinations = destinations(&args.destination, true, context)?;
        let (lock, claims) = match crate::cli::settings::manifest(&named, context)? {
            Some(manifest) => {
                let (choices, project) = (RunChoices::default(), destinations.project.as_deref());
                let claims = claims::claims(&manifest, &choices, &context.environment, project)?;
                let owner = crate::cli::settings::sync::owner(&manifest, &destinations);
                let lock = crate::cli::settings::lock_that_counts(&manifest, args.frozen, context)?;
                (lock, Some((owner, claims)))
            }
            None => {
                let absent = Manifest { path: FILE_NAME.into(), ..Manifest::default() };
                let lock = OpenedLock::of_manifest(&absent, args.frozen)?;
                if args.frozen {
                    Manifest::read(&absent.path)?;
                }
                (lock, None)
            }
        };
        Ok(Self {
            context: context.clone(),
            names: names(&args.names)?,
            destinations,
            lock,
            claims,
            format: args.format,
        })
    }
}
