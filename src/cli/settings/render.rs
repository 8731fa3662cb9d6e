//! Settings of `skills render`.

use std::path::PathBuf;

use super::{CommonSettings, choices, events, manifest, selection};
use crate::cli::args::{self, RenderFormat, VisibilityArg};
use crate::skills::agents::{self, Agent};
use crate::skills::find::manifest::resolve;
use crate::skills::find::selection::Selection;
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::inline::Visibility;
use crate::skills::show::prompt::KeptParts;
use crate::skills::text::link;

/// Settings of `skills render`.
#[derive(Debug, Clone)]
pub struct RenderSettings {
    /// Those of every command.
    pub common: CommonSettings,
    /// Which skills.
    pub selection: Selection,
    /// What is shown of them.
    pub show: RenderedParts,
    /// How it is written.
    pub format: RenderFormat,
    /// How much is shown, where the skills do not say it themselves.
    pub visibility: Option<Visibility>,
    /// Keys that are expanded.
    pub expanded: Vec<String>,
    /// Keys of the manifest that can be.
    pub expandable: Vec<String>,
    /// Whether to say how a skill is used.
    pub instructions: bool,
    /// Whether it should be said that the skills of a manifest are better mounted.
    pub warns_of_isolation: bool,
    /// Whether the selection stands for the directories of an agent.
    pub agent_roots: bool,
    /// Where to log what was expanded.
    pub events: Option<PathBuf>,
    mount_path: Option<String>,
}

/// What is shown of skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenderedParts {
    /// A catalogue, and sections for skills with tools.
    Catalogue,
    /// Only those sections.
    PromptOnly,
    /// Sections for all skills.
    Sections,
    /// These skills as a whole.
    Preloaded(Vec<String>),
    /// This skill as it is used, and what for.
    Activated(String, Option<String>),
    /// What an agent shows.
    As(&'static Agent),
}

impl RenderSettings {
    /// Resolves the flags of `skills render`.
    ///
    /// # Errors
    /// Whatever a flag or the manifest gets wrong.
    pub fn resolve(args: &args::RenderArgs, common: &CommonSettings) -> Result<Self> {
        if let Some(path) = args.mount_path.as_ref().filter(|path| !link::is_inner_path(path)) {
            let message =
                format!("`--mount-path {path}` must be a relative path that stays inside");
            return Err(Error::new(ErrorKind::Usage, message));
        }
        // An agent knows nothing of a manifest that happens to be here.
        let by_chance = args.as_agent.is_some() && args.selection.manifest.is_none();
        let manifest = if by_chance { None } else { manifest(&args.selection)? };
        let from_manifest = args.selection.sources.is_empty() && manifest.is_some();
        let isolated = manifest.as_ref().is_some_and(|manifest| manifest.isolation.is_some());
        Ok(Self {
            common: common.clone(),
            selection: selection(&args.selection, manifest.as_ref(), false, common)?,
            show: show(args)?,
            format: args.format,
            visibility: args.visibility.map(|visibility| match visibility {
                VisibilityArg::Full => Visibility::Full,
                VisibilityArg::Summary => Visibility::Summary,
            }),
            expanded: choices(&args.selection, false)?.expanded,
            expandable: manifest.as_ref().map(resolve::expandable).unwrap_or_default(),
            instructions: !args.no_instructions,
            warns_of_isolation: from_manifest && !isolated,
            agent_roots: !args.selection.sources.is_empty() || args.selection.manifest.is_some(),
            events: events(args.events.as_ref(), args.format == RenderFormat::Json)?,
            mount_path: args.mount_path.clone(),
        })
    }

    /// What stays in the prompt of a home that these skills are mounted into.
    ///
    /// # Errors
    /// Whatever a flag or the manifest gets wrong.
    pub fn prompt_only(selection: &args::SelectionArgs, common: &CommonSettings) -> Result<Self> {
        let args = args::RenderArgs {
            selection: selection.clone(),
            prompt_only: true,
            ..args::RenderArgs::default()
        };
        Self::resolve(&args, common)
    }

    /// Where a catalogue says that skills of this source are.
    #[must_use]
    pub fn mount_path(&self, source: usize) -> Option<&str> {
        let own = self.selection.requests.get(source).and_then(|one| one.mount_path.as_deref());
        own.or(self.mount_path.as_deref())
    }

    /// Whether this key is expanded.
    #[must_use]
    pub fn is_expanded(&self, key: &str) -> bool {
        self.expanded.iter().any(|expanded| expanded == key)
    }

    /// What has to be kept of each skill.
    #[must_use]
    pub const fn keep(&self) -> KeptParts {
        match self.show {
            RenderedParts::Activated(..) => KeptParts::BodyAndFiles,
            RenderedParts::Sections | RenderedParts::Preloaded(_) => KeptParts::Body,
            RenderedParts::Catalogue | RenderedParts::PromptOnly | RenderedParts::As(_) => {
                KeptParts::Nothing
            }
        }
    }
}

fn show(args: &args::RenderArgs) -> Result<RenderedParts> {
    Ok(if let Some(word) = &args.as_agent {
        RenderedParts::As(agents::find(word)?)
    } else if let Some(name) = &args.activate {
        RenderedParts::Activated(name.clone(), args.user.clone())
    } else if !args.preload.is_empty() {
        RenderedParts::Preloaded(args.preload.clone())
    } else if args.sections {
        RenderedParts::Sections
    } else if args.prompt_only {
        RenderedParts::PromptOnly
    } else {
        RenderedParts::Catalogue
    })
}
