//! Settings of `skills read`.

use super::{ListSettings, SkillsToList};
use crate::cli::args::{self, ReadFormat, SkillFormat};
use crate::cli::context::Context;
use crate::skills::find::discovery::ProviderChoice;
use crate::skills::model::error::Result;
use crate::skills::show::uri::SkillUri;

/// Settings of `skills read`.
#[derive(Debug, Clone)]
pub struct ReadSettings {
    /// Where to look up names.
    pub list: ListSettings,
    /// Where to look next: after the manifest, the skills that agents find here.
    pub fallback: Option<ListSettings>,
    /// What to read.
    pub uri: SkillUri,
    /// How to print it.
    pub format: ReadFormat,
}

impl ReadSettings {
    /// Resolves the flags of `skills read`.
    pub fn resolve(args: &args::ReadArgs, context: &Context) -> Result<Self> {
        let uri = SkillUri::of(&args.uri)?;
        let names = |discover: bool| args::ListArgs {
            selection: args::SelectionArgs {
                sources: args.sources.clone(),
                manifest: args.manifest.clone(),
                params: args.params.clone(),
                ..Default::default()
            },
            discovery: args::DiscoveryArgs {
                discover,
                skills_dir: args.skills_dir.clone(),
                ..Default::default()
            },
            agent: Vec::new(),
            format: SkillFormat::Human,
            long: false,
            tools: false,
        };
        let mut list = ListSettings::with_sections(&names(false), true, context)?;
        // Named directories replace discovery, as sources do.
        if let SkillsToList::Discovery(options) = &mut list.what
            && !args.skills_dir.is_empty()
        {
            options.sources = ProviderChoice::only_custom();
        }
        let is_by_chance = args.sources.is_empty() && args.manifest.is_none();
        let fallback = match &list.what {
            SkillsToList::Sources(_) if is_by_chance => {
                Some(ListSettings::with_sections(&names(true), true, context)?)
            }
            SkillsToList::Sources(_) | SkillsToList::Discovery(_) => None,
        };
        Ok(Self { list, fallback, uri, format: args.format })
    }
}
