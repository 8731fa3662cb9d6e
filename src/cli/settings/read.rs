//! Settings of `skills read`.

use super::{CommonSettings, ListSettings, SkillsToList};
use crate::cli::args::{self, ReadFormat, SkillFormat};
use crate::skills::find::discovery::ProviderChoice;
use crate::skills::model::error::Result;
use crate::skills::show::uri::SkillUri;

/// Settings of `skills read`.
#[derive(Debug, Clone)]
pub struct ReadSettings {
    /// Where names are looked up.
    pub list: ListSettings,
    /// What to read.
    pub uri: SkillUri,
    /// How to print it.
    pub format: ReadFormat,
}

impl ReadSettings {
    /// Resolves the flags of `skills read`.
    ///
    /// # Errors
    /// Whatever a flag, the manifest or the address gets wrong.
    pub fn resolve(args: &args::ReadArgs, common: &CommonSettings) -> Result<Self> {
        let uri = SkillUri::parse(&args.uri)?;
        let names = args::ListArgs {
            selection: args::SelectionArgs { sources: args.sources.clone(), ..Default::default() },
            // A manifest that happens to be here does not say where names are looked up.
            discovery: args::DiscoveryArgs {
                discover: args.sources.is_empty(),
                skills_dir: args.skills_dir.clone(),
                ..Default::default()
            },
            agent: None,
            format: SkillFormat::Human,
            long: false,
            tools: false,
        };
        let mut list = ListSettings::resolve(&names, common)?;
        // Directories that are named are all that is meant, as sources are.
        if let SkillsToList::Discovery(options) = &mut list.what
            && !args.skills_dir.is_empty()
        {
            options.sources = ProviderChoice::only_custom();
        }
        Ok(Self { list, uri, format: args.format })
    }
}
