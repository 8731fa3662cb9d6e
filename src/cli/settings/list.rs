//! Settings of `skills list`.

use std::path::PathBuf;

use crate::cli::args::{self, SkillFormat};
use crate::cli::context::Context;
use crate::cli::settings::{
    check_expanded, frozen_without_sources, levels, manifest, max_skill_bytes, name_filters,
    refuse_plugin, selection,
};
use crate::skills::agents::Agent;
use crate::skills::agents::table::{self, KnownAgent};
use crate::skills::files::inventory::InventoryDepth;
use crate::skills::find::discovery::{self, ProviderChoice, ProviderName};
use crate::skills::find::manifest::Manifest;
use crate::skills::find::manifest::trust::ManifestOrigin;
use crate::skills::find::selection::Selection;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::RuleOptions;
use crate::skills::model::environment::normalized;
use crate::skills::model::error::{Result, err};
use crate::skills::model::filter::{NameFilter, PathFilter};
use crate::skills::show::listing::{ListLine, ListingOptions};

/// Settings of `skills list`.
#[derive(Debug, Clone)]
pub struct ListSettings {
    /// Settings of every command.
    pub context: Context,
    /// Which skills.
    pub what: SkillsToList,
    /// The agent whose view to list.
    pub agent: Option<&'static Agent>,
    /// Whether the manifest keeps every skill in the prompt.
    pub prompt_only: bool,
    /// The agents whose directories to list: several, or one that was not observed.
    pub several: Vec<KnownAgent>,
    /// What to find out about each.
    pub read: ListingOptions,
    /// How to print them.
    pub format: SkillFormat,
    /// Whether the table has every detail.
    pub long: bool,
    /// Whether to list tools instead of skills.
    pub tools: bool,
    /// Whether the skills come from a manifest that was found, not named.
    pub found_manifest: bool,
}

/// Which skills to list.
#[derive(Debug, Clone)]
pub enum SkillsToList {
    /// The skills of named sources.
    Sources(Selection),
    /// The skills on this machine.
    Discovery(discovery::DiscoveryOptions),
}

impl SkillsToList {
    /// Exactly these names, when not empty.
    pub fn only(&self) -> &[String] {
        match self {
            Self::Sources(selection) => &selection.scan.only,
            Self::Discovery(options) => &options.only,
        }
    }

    /// Whether the filters accept this row of an agent's view.
    pub fn accepts(&self, row: &ListLine) -> bool {
        let names = std::iter::once(row.shown_name());
        let plugin = row.entry.skill.plugin_name();
        match self {
            Self::Sources(selection) => selection.scan.accepts_names(names, plugin),
            Self::Discovery(options) => {
                let provider = row.origin.provider.unwrap_or_default();
                options.sources.accept(provider, row.origin.scope)
                    && options.accepts_names(names, plugin)
            }
        }
    }
}

impl ListSettings {
    /// Resolves the flags of `skills list`.
    pub fn resolve(args: &args::ListArgs, context: &Context) -> Result<Self> {
        Self::with_sections(args, false, context)
    }

    /// The same, with or without closed sections.
    pub fn with_sections(
        args: &args::ListArgs,
        every_section: bool,
        context: &Context,
    ) -> Result<Self> {
        let named = table::find_all(&args.agent)?;
        if !args.agent.is_empty() {
            refuse_plugin(&args.selection, "--agent")?;
        }
        let (agent, several) = match named.as_slice() {
            [KnownAgent::Observed(agent)] => (Some(*agent), Vec::new()),
            _ => (None, named),
        };
        // An agent does not read a manifest that happens to be here.
        let by_chance = !args.agent.is_empty() && args.selection.manifest.is_none();
        let manifest = if by_chance { None } else { manifest(&args.selection, context)? };
        let levels = levels(manifest.as_ref());
        let rules = RuleOptions {
            max_skill_bytes: max_skill_bytes(manifest.as_ref()),
            // Digests need every file; otherwise a list reads only each `SKILL.md`.
            deep: args.long,
            ..RuleOptions::default()
        };
        let mut what = what(args, manifest.as_ref(), every_section, context)?;
        if let SkillsToList::Discovery(options) = &mut what
            && !several.is_empty()
        {
            options.sources.only = discovery::ProviderChoice::of_agents(&several).only;
        }
        let is_found = |manifest: &Manifest| manifest.origin == ManifestOrigin::Found;
        let found_manifest =
            matches!(what, SkillsToList::Sources(_)) && manifest.as_ref().is_some_and(is_found);
        if args.tools && args.format == SkillFormat::Paths {
            return Err(err!(Usage, "`--tools` cannot be used with `--format paths`")
                .help("use `--format names`"));
        }
        // Machines get all numbers; for people, compute only those that are shown.
        let counted = args.long || args.format == SkillFormat::Json;
        let judge = JudgeOptions {
            rules,
            levels,
            errors_only: true,
            safety: args.long,
            look: if counted { InventoryDepth::Through } else { InventoryDepth::Glance },
            directory: context.directory.clone(),
        };
        Ok(Self {
            context: context.clone(),
            what,
            agent,
            several,
            prompt_only: manifest.is_some_and(|manifest| manifest.prompt_only),
            read: ListingOptions { judge, digest: args.long, fields: args.long || args.tools },
            format: args.format,
            long: args.long,
            tools: args.tools,
            found_manifest,
        })
    }
}

/// The sources, else those of the manifest, else discovery on this machine.
fn what(
    args: &args::ListArgs,
    manifest: Option<&Manifest>,
    every_section: bool,
    context: &Context,
) -> Result<SkillsToList> {
    let asked = &args.discovery;
    let names_skills = manifest.is_some_and(|manifest| manifest.names_skills);
    let discover = args.selection.sources.is_empty() && (asked.is_asked() || !names_skills);
    check_expanded(&args.selection, manifest)?;
    if !discover {
        let selection = selection(&args.selection, manifest, every_section, context)?;
        return Ok(SkillsToList::Sources(selection));
    }
    if args.selection.frozen {
        return Err(frozen_without_sources());
    }
    discovery_options(&args.selection, asked, manifest, context).map(SkillsToList::Discovery)
}

/// What to look for on this machine: the command line, else the manifest.
pub fn discovery_options(
    selection: &args::SelectionArgs,
    asked: &args::DiscoveryArgs,
    manifest: Option<&Manifest>,
    context: &Context,
) -> Result<discovery::DiscoveryOptions> {
    let environment = &context.environment;
    let block = manifest.map(|manifest| manifest.discovery.clone()).unwrap_or_default();
    let named = |words: &[String]| -> Result<Vec<ProviderName>> {
        words.iter().map(|word| ProviderName::parse(word)).collect()
    };
    let mut sources = block.sources;
    let mut directories: Vec<PathBuf> =
        block.directories.iter().map(|path| normalized(&environment.expand(path))).collect();
    if !asked.source.is_empty() {
        // The command line replaces the manifest, including its directories.
        sources = ProviderChoice { only: named(&asked.source)?, ..ProviderChoice::default() };
        directories.clear();
    }
    sources.without.extend(named(&asked.no_source)?);
    let mut names = name_filters(selection, manifest)?;
    names.push(NameFilter::new(&block.include, &block.ignore)?);
    for path in &asked.skills_dir {
        directories.push(discovery::named_directory(&environment.expand(path))?);
    }
    Ok(discovery::DiscoveryOptions {
        sources,
        directories,
        are_of_agents: false,
        names,
        only: selection.only.clone(),
        plugins: selection.plugin.clone(),
        max_depth: selection.max_depth,
        exclude: PathFilter::new(&selection.exclude)?,
        threads: context.threads,
    })
}
