//! Settings of `skills verify`.

use crate::cli::args::{self, ReportFormat};
use crate::cli::settings::CommonSettings;
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
    pub common: CommonSettings,
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
    pub fn resolve(args: &args::VerifyArgs, common: &CommonSettings) -> Result<Self> {
        let named = args::SelectionArgs { manifest: args.manifest.clone(), ..Default::default() };
        let destinations = destinations(&args.destination, true, common)?;
        let (lock, claims) = match crate::cli::settings::manifest(&named, common)? {
            Some(manifest) => {
                let (choices, project) = (RunChoices::default(), destinations.project.as_deref());
                let claims = claims::claims(&manifest, &choices, &common.environment, project)?;
                let owner = crate::cli::settings::sync::owner(&manifest, &destinations);
                let lock = crate::cli::settings::lock_that_counts(&manifest, args.frozen, common)?;
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
            common: common.clone(),
            names: names(&args.names)?,
            destinations,
            lock,
            claims,
            format: args.format,
        })
    }
}
