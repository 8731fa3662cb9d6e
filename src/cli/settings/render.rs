//! Settings of `skills render`.

use std::path::PathBuf;

use super::list::discovery_options;
use super::{CommonSettings, choices, events, frozen_without_sources, manifest, selection};
use crate::cli::args::{self, RenderFormat, VisibilityArg};
use crate::skills::agents::{self, Agent};
use crate::skills::find::discovery;
use crate::skills::find::manifest::{Manifest, resolve};
use crate::skills::find::scan::ScanOptions;
use crate::skills::find::selection::Selection;
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::model::inline::Visibility;
use crate::skills::model::request::RequestedSource;
use crate::skills::show::layout::{PromptOptions, PromptParts};
use crate::skills::show::prompt::KeptParts;
use crate::skills::text::link;

/// Settings of `skills render`.
#[derive(Debug, Clone)]
pub struct RenderSettings {
    /// Those of every command.
    pub common: CommonSettings,
    /// Which skills.
    pub selection: Selection,
    /// What is discovered instead, when neither a source nor a manifest names skills.
    pub discovery: Option<discovery::DiscoveryOptions>,
    /// Whether skills that lie below other skills are shown.
    pub nested: bool,
    /// What is shown of them.
    pub show: RenderedParts,
    /// How it is written.
    pub format: RenderFormat,
    /// How a prompt is laid out.
    pub layout: PromptOptions,
    /// Whether it should be said that the skills of a manifest are better mounted.
    pub warns_of_isolation: bool,
    /// Whether the selection stands for the directories of an agent.
    pub agent_roots: bool,
    /// Where to log what was expanded.
    pub events: Option<PathBuf>,
}

/// What is shown of skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenderedParts {
    /// A catalogue, sections, or both.
    Prompt,
    /// These skills as a whole.
    Preloaded(Vec<String>),
    /// One skill in use, with the user's request.
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
            let message = format!("`--mount-path {path}` must be a relative path without `..`");
            return Err(Error::new(ErrorKind::Usage, message));
        }
        // An agent knows nothing of a manifest that happens to be here.
        let by_chance = args.as_agent.is_some() && args.selection.manifest.is_none();
        let manifest = if by_chance { None } else { manifest(&args.selection, common)? };
        let manifest = manifest.as_ref();
        let selection = selection(&args.selection, manifest, false, common)?;
        Self::of_manifest(manifest, args, selection, common)
    }

    /// What stays in the prompt of a home that these skills are mounted into: inline skills with
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
                inline.has_tools() && mounted.scan.accepts(std::iter::once(inline.name.as_str()))
            }
            RequestedSource::Path(_) | RequestedSource::Git(..) | RequestedSource::Packed(..) => {
                false
            }
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
        let names_skills = manifest.is_some_and(|manifest| manifest.names_skills);
        // What stays in a prompt is inline, and named by a manifest.
        let discovers = args.selection.sources.is_empty() && !names_skills && !args.prompt_only;
        if discovers && args.selection.frozen && args.as_agent.is_none() {
            return Err(frozen_without_sources());
        }
        let asked = args::DiscoveryArgs::default();
        let discovery =
            discovers.then(|| discovery_options(&args.selection, &asked, manifest, common));
        let isolated = manifest.is_some_and(|manifest| manifest.isolation.is_some());
        let mount_paths = selection.requests.iter().map(|request| request.mount_path.clone());
        let layout = PromptOptions {
            parts: match (args.sections, args.prompt_only) {
                (true, _) => PromptParts::AllSections,
                (false, true) => PromptParts::SectionsWithTools,
                (false, false) => PromptParts::Catalogue,
            },
            visibility: args.visibility.map(|visibility| match visibility {
                VisibilityArg::Full => Visibility::Full,
                VisibilityArg::Summary => Visibility::Summary,
            }),
            expanded: choices(&args.selection, false)?.expanded,
            expandable: manifest.map(resolve::expandable).unwrap_or_default(),
            instructions: !args.no_instructions,
            mount_path: args.mount_path.clone(),
            mount_paths: mount_paths.collect(),
        };
        Ok(Self {
            common: common.clone(),
            selection,
            discovery: discovery.transpose()?,
            nested: args.nested,
            show: show(args)?,
            format: args.format,
            layout,
            warns_of_isolation: from_manifest && !isolated,
            agent_roots: !args.selection.sources.is_empty() || args.selection.manifest.is_some(),
            events: events(args.events.as_ref(), args.format == RenderFormat::Json)?,
        })
    }

    /// What has to be kept of each skill.
    #[must_use]
    pub const fn keep(&self) -> KeptParts {
        match self.show {
            RenderedParts::Activated(..) => KeptParts::BodyAndFiles,
            RenderedParts::Preloaded(_) => KeptParts::Body,
            RenderedParts::Prompt if matches!(self.layout.parts, PromptParts::AllSections) => {
                KeptParts::Body
            }
            RenderedParts::Prompt | RenderedParts::As(_) => KeptParts::Nothing,
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
    } else {
        RenderedParts::Prompt
    })
}
