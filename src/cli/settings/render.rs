//! Settings of `skills render`.

use crate::cli::args::{self, RenderFormat, VisibilityArg};
use crate::cli::context::Context;
use crate::cli::settings::list::discovery_options;
use crate::cli::settings::{
    EventSettings, choices, frozen_without_sources, key_prefix, manifest, refuse_plugin, selection,
};
use crate::skills::agents::{self, Agent};
use crate::skills::find::discovery;
use crate::skills::find::manifest::trust::ManifestOrigin;
use crate::skills::find::manifest::{Manifest, resolve};
use crate::skills::find::scan::ScanOptions;
use crate::skills::find::selection::Selection;
use crate::skills::model::error::{Result, err};
use crate::skills::model::inline::Visibility;
use crate::skills::model::request::RequestedSource;
use crate::skills::show::layout::{PromptOptions, PromptParts};
use crate::skills::show::prompt::KeptParts;
use crate::skills::text::markdown;

/// Settings of `skills render`.
#[derive(Debug, Clone)]
pub struct RenderSettings {
    /// Settings of every command.
    pub context: Context,
    /// Which skills.
    pub selection: Selection,
    /// What to discover if neither a source nor a manifest names skills.
    pub discovery: Option<discovery::DiscoveryOptions>,
    /// Where to look up whole skills that a manifest does not have.
    pub fallback: Option<discovery::DiscoveryOptions>,
    /// Whether to show nested skills.
    pub nested: bool,
    /// What to show of them.
    pub show: RenderedParts,
    /// How it is written.
    pub format: RenderFormat,
    /// How a prompt is laid out.
    pub layout: PromptOptions,
    /// Whether to recommend `mount` for the skills of a manifest.
    pub warns_of_isolation: bool,
    /// Whether to use the selection as the directories of an agent.
    pub agent_roots: bool,
    /// Where to log events.
    pub events: EventSettings,
}

/// What to show of skills.
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
    pub fn resolve(args: &args::RenderArgs, context: &Context) -> Result<Self> {
        if let Some(path) = args.mount_path.as_ref().filter(|path| !markdown::is_inner_path(path)) {
            return Err(err!(Usage, "`--mount-path {path}` must be a relative path without `..`"));
        }
        if args.as_agent.is_some() {
            refuse_plugin(&args.selection, "--as")?;
        }
        // An agent knows nothing of a manifest that happens to be here.
        let by_chance = args.as_agent.is_some() && args.selection.manifest.is_none();
        let manifest = if by_chance { None } else { manifest(&args.selection, context)? };
        let manifest = manifest.as_ref();
        let selection = selection(&args.selection, manifest, names_skills(args), context)?;
        Self::of_manifest(manifest, args, selection, context)
    }

    /// Settings for the prompt of a mounted home: only inline skills that stay in it, so that no
    /// other source is read again.
    pub fn prompt_only(
        manifest: Option<&Manifest>,
        selected: &args::SelectionArgs,
        mounted: &Selection,
        context: &Context,
    ) -> Result<Self> {
        let args = args::RenderArgs {
            selection: selected.clone(),
            prompt_only: true,
            ..args::RenderArgs::default()
        };
        let mut selection = mounted.clone();
        if manifest.is_some_and(|manifest| manifest.prompt_only) {
            return Self::of_manifest(manifest, &args, selection, context);
        }
        selection.requests.retain(|request| match &request.what {
            RequestedSource::Inline(inline) => {
                inline.stays_in_prompt()
                    && mounted.scan.accepts_names(std::iter::once(inline.name.as_str()), None)
            }
            _ => false,
        });
        // The filters were applied already, and locks do not contain inline skills.
        selection.scan = ScanOptions { threads: context.threads, ..ScanOptions::default() };
        selection.lock = None;
        Self::of_manifest(manifest, &args, selection, context)
    }

    fn of_manifest(
        manifest: Option<&Manifest>,
        args: &args::RenderArgs,
        selection: Selection,
        context: &Context,
    ) -> Result<Self> {
        let from_manifest = args.selection.sources.is_empty() && manifest.is_some();
        let has_skills = manifest.is_some_and(|manifest| manifest.names_skills);
        let is_found = manifest.is_some_and(|manifest| manifest.origin == ManifestOrigin::Found);
        let asked = &args.discovery;
        // Only inline skills of a manifest stay in a prompt.
        let discovers = args.selection.sources.is_empty()
            && (asked.is_asked() || !has_skills && !args.prompt_only);
        if discovers && args.selection.frozen && args.as_agent.is_none() {
            return Err(frozen_without_sources());
        }
        let options = || discovery_options(&args.selection, asked, manifest, context);
        let discovery = discovers.then(options).transpose()?;
        let falls_back = !discovers && is_found && names_skills(args);
        let fallback = falls_back.then(options).transpose()?;
        let prompt_only = manifest.is_some_and(|manifest| manifest.prompt_only);
        let isolated = manifest.is_some_and(|manifest| manifest.isolation.is_some());
        let choices = choices(&args.selection, manifest, names_skills(args))?;
        let sections = match manifest.filter(|_| from_manifest && discovery.is_none()) {
            Some(manifest) => resolve::prompt_sections(manifest, &choices, &context.environment)?,
            None => Vec::new(),
        };
        let layout = PromptOptions {
            parts: match (args.sections || prompt_only, args.prompt_only) {
                (true, _) => PromptParts::AllSections,
                (false, true) => PromptParts::SectionsWithTools,
                (false, false) => PromptParts::Catalogue,
            },
            visibility: args.visibility.map(|visibility| match visibility {
                VisibilityArg::Full => Visibility::Full,
                VisibilityArg::Summary => Visibility::Summary,
            }),
            expanded: choices.expanded,
            expandable: manifest.map(resolve::expandable).unwrap_or_default(),
            key_prefix: key_prefix(manifest),
            title: manifest.and_then(|manifest| manifest.title.clone()),
            sections,
            // Skills that are discovered come from no entry of the manifest.
            requests: if discovery.is_some() { Vec::new() } else { selection.requests.clone() },
            instructions: !args.no_instructions,
            mount_path: args.mount_path.clone(),
        };
        Ok(Self {
            context: context.clone(),
            selection,
            discovery,
            fallback,
            nested: args.nested,
            show: show(args)?,
            format: args.format,
            layout,
            warns_of_isolation: from_manifest && !isolated && !prompt_only && !args.prompt_only,
            agent_roots: !args.selection.sources.is_empty() || args.selection.manifest.is_some(),
            events: EventSettings::resolve(
                &args.events,
                "render",
                args.format == RenderFormat::Json,
                context,
            )?,
        })
    }

    /// What to keep of each skill.
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

/// Whether whole skills are named; their sections then count as open.
const fn names_skills(args: &args::RenderArgs) -> bool {
    args.activate.is_some() || !args.preload.is_empty()
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
