//! Settings of `skills render`.

use std::path::PathBuf;

use super::{CommonSettings, choices, events, manifest, selection};
use crate::cli::args::{self, RenderFormat, VisibilityArg};
use crate::skills::agents::{self, Agent};
use crate::skills::find::manifest::{Manifest, resolve};
use crate::skills::find::scan::ScanOptions;
use crate::skills::find::selection::Selection;
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::inline::Visibility;
use crate::skills::model::request::RequestedSource;
use crate::skills::show::prompt::KeptParts;
use crate::skills::text::link;

/// Settings of `skills render`.
#[derive(Debug, Clone)]
pub struct RenderSettings {
    /// Those of every command.
    pub common: CommonSettings,
    /// Which skills.
    pub selection: Selection,
    /// RequestedSource is shown of them.
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

/// RequestedSource is shown of skills.
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
    /// RequestedSource an agent shows.
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
        let manifest = manifest.as_ref();
        let selection = selection(&args.selection, manifest, false, common)?;
        Self::of_manifest(manifest, args, selection, common)
    }

    /// RequestedSource stays in the prompt of a home that these skills are mounted into: inline skills with
    /// tools, so that no other source has to be read again.
    ///
    /// # Errors
    /// Whatever a flag or the manifest gets wrong.
    pub fn prompt_only(
        manifest: Option<&Manifest>,
        selected: &args::SelectionArgs,
        mounted: &Selection,
        common: &CommonSettings,
    ) -> Result<Self> {
        let args = args::RenderArgs {
            selection: selected.clone(),
            prompt_only: true,
            ..args::RenderArgs::default()
        };
        let mut selection = mounted.clone();
        selection.requests.retain(|request| match &request.what {
            RequestedSource::Inline(inline) => {
                inline.has_tools() && mounted.scan.accepts(inline.name.as_str())
            }
            RequestedSource::Path(_) | RequestedSource::Git(..) => false,
        });
        // The filters have been applied, and no lock is about inline skills.
        selection.scan = ScanOptions { threads: common.threads, ..ScanOptions::default() };
        selection.lock = None;
        Self::of_manifest(manifest, &args, selection, common)
    }

    fn of_manifest(
        manifest: Option<&Manifest>,
        args: &args::RenderArgs,
        selection: Selection,
        common: &CommonSettings,
    ) -> Result<Self> {
        let from_manifest = args.selection.sources.is_empty() && manifest.is_some();
        let isolated = manifest.is_some_and(|manifest| manifest.isolation.is_some());
        Ok(Self {
            common: common.clone(),
            selection,
            show: show(args)?,
            format: args.format,
            visibility: args.visibility.map(|visibility| match visibility {
                VisibilityArg::Full => Visibility::Full,
                VisibilityArg::Summary => Visibility::Summary,
            }),
            expanded: choices(&args.selection, false)?.expanded,
            expandable: manifest.map(resolve::expandable).unwrap_or_default(),
            instructions: !args.no_instructions,
            warns_of_isolation: from_manifest && !isolated,
            agent_roots: !args.selection.sources.is_empty() || args.selection.manifest.is_some(),
            events: events(args.events.as_ref(), args.format == RenderFormat::Json)?,
            mount_path: args.mount_path.clone(),
        })
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

    /// RequestedSource has to be kept of each skill.
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
