//! Settings of `skills install`.

use crate::cli::args::{self, ReportFormat, ScopeArg};
use crate::cli::context::Context;
use crate::cli::settings::EventSettings;
use crate::cli::settings::given_name::rename_only;
use crate::cli::settings::verb::Verb;
use crate::skills::agents::{Agent, table};
use crate::skills::find::manifest::trust::{Concerns, ManifestUse};
use crate::skills::find::manifest::{Isolation, Manifest, Strictness};
use crate::skills::find::selection::Selection;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::RuleOptions;
use crate::skills::judge::verdict::TargetAgents;
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::key_prefix::KeyPrefix;
use crate::skills::model::name::SkillName;
use crate::skills::put::install;
use crate::skills::put::install::candidate::CandidateOptions;
use crate::skills::put::install::choice::CopyPolicy;
use crate::skills::put::install::destination::{self, DestinationChoice, Destinations};
use crate::skills::put::locking::check::ReadLimits;
use crate::skills::text::document::{SKILL_BYTES, TOTAL_BYTES};

/// Skills to copy, and how to read them: for install, mount and pack.
#[derive(Debug, Clone)]
pub struct CopySettings {
    /// Which skills.
    pub selection: Selection,
    /// How to read and judge them.
    pub read: CandidateOptions,
    /// The verb that uses them.
    pub verb: Verb,
    /// How to treat skills that cannot be used.
    pub policy: CopyPolicy,
    /// Whether a flag, not the manifest, makes every error refuse the run.
    pub strict_asked: bool,
    pub max_skill_bytes: u64,
    /// Bytes of all skills.
    pub max_total_bytes: u64,
    /// Keys that are expanded, without the prefix before them.
    pub expanded: Vec<String>,
    /// What stands before keys.
    pub key_prefix: KeyPrefix,
    /// The `isolation` block of the manifest.
    pub isolation: Option<Isolation>,
    /// Content of the manifest that needs the user's consent.
    concerns: Concerns,
}

impl CopySettings {
    /// Reads the manifest, if there is one, and resolves the flags.
    pub fn resolve(
        selected: &args::SelectionArgs,
        reading: &args::ReadingArgs,
        verb: Verb,
        context: &Context,
    ) -> Result<Self> {
        let manifest = crate::cli::settings::manifest(selected, context)?;
        Self::of_manifest(manifest.as_ref(), selected, reading, verb, context)
    }

    /// Resolves the flags with a manifest that was read already.
    pub fn of_manifest(
        manifest: Option<&Manifest>,
        selected: &args::SelectionArgs,
        reading: &args::ReadingArgs,
        verb: Verb,
        context: &Context,
    ) -> Result<Self> {
        if selected.sources.is_empty() && manifest.is_none() {
            let word = verb.word();
            let message =
                format!("nothing to {word}: no source is given, and there is no skills.yaml here");
            let help = format!("use `skills {word} .` for the skills below the current directory");
            let help = match verb {
                Verb::Push => "name the skills first: `skills push . oci://HOST/REPO`".to_owned(),
                Verb::Mount => format!("{help}, or `--empty` for a home without skills"),
                _ => help,
            };
            return Err(Error::new(ErrorKind::Usage, message).help(help));
        }
        Self::of_sources(manifest, selected, reading, verb, context)
    }

    /// Resolves the flags where no skill is wanted.
    pub fn of_nothing(
        selected: &args::SelectionArgs,
        reading: &args::ReadingArgs,
        verb: Verb,
        context: &Context,
    ) -> Result<Self> {
        let mut settings = Self::of_sources(None, selected, reading, verb, context)?;
        settings.selection.requests.clear();
        Ok(settings)
    }

    fn of_sources(
        manifest: Option<&Manifest>,
        selected: &args::SelectionArgs,
        reading: &args::ReadingArgs,
        verb: Verb,
        context: &Context,
    ) -> Result<Self> {
        // Lock closed sections, too.
        let every_section = verb == Verb::Lock;
        crate::cli::settings::check_expanded(selected, manifest)?;
        let mut selection =
            crate::cli::settings::selection(selected, manifest, every_section, context)?;
        if verb == Verb::Install {
            crate::cli::settings::read_short_forms(&mut selection.requests, context);
        }
        let limits = manifest.map(|manifest| manifest.limits).unwrap_or_default();
        let max_skill_bytes =
            reading.max_skill_size.or(limits.max_skill_size).unwrap_or(SKILL_BYTES);
        let max_total_bytes =
            reading.max_total_size.or(limits.max_total_size).unwrap_or(TOTAL_BYTES);
        let rules =
            RuleOptions { max_skill_bytes: Some(max_skill_bytes), ..RuleOptions::default() };
        // Rule levels in a manifest apply to `validate` only.
        let safety = verb.is_for_agents();
        let judge = JudgeOptions { rules, errors_only: true, safety, ..JudgeOptions::default() };
        let asked = manifest.and_then(|manifest| manifest.validate);
        let strict = reading.strict || (asked == Some(Strictness::Strict) && !reading.no_validate);
        let audience = match reading.no_validate || (asked == Some(Strictness::Off) && !strict) {
            true => TargetAgents::Regardless(Vec::new()),
            false => TargetAgents::Any,
        };
        // `prompt_only` does not apply to locks and archives.
        let is_copied = matches!(verb, Verb::Install | Verb::Mount | Verb::Sync);
        let prompt_only = is_copied && manifest.is_some_and(|manifest| manifest.prompt_only);
        let follow = if reading.follow_symlinks { selection.roots() } else { Vec::new() };
        Ok(Self {
            read: CandidateOptions { judge, audience, follow, ..CandidateOptions::default() },
            selection,
            verb,
            policy: CopyPolicy {
                by_plugin: false,
                no_skip: reading.no_skip,
                strict,
                nested: reading.nested,
                prompt_only,
                has_size_flag: is_copied,
            },
            strict_asked: reading.strict,
            max_skill_bytes,
            max_total_bytes,
            expanded: crate::cli::settings::choices(selected, manifest, every_section)?.expanded,
            key_prefix: crate::cli::settings::key_prefix(manifest),
            isolation: manifest.and_then(|manifest| manifest.isolation.clone()),
            concerns: manifest.map(Concerns::of).unwrap_or_default(),
        })
    }

    /// Gives the only skill another name, if there is one.
    pub fn call(&mut self, name: Option<&str>, selected: &args::SelectionArgs) -> Result<()> {
        match name {
            Some(name) => rename_only(&mut self.selection.requests, selected, name),
            None => Ok(()),
        }
    }

    /// Refuses a manifest without the user's consent.
    pub fn agree(&self, how: ManifestUse) -> Result<()> {
        self.concerns.check(how)
    }

    /// Sets the agents that the skills are for.
    pub fn meant_for(&mut self, agents: &[&'static Agent]) {
        match &mut self.read.audience {
            TargetAgents::Any if agents.is_empty() => {}
            TargetAgents::Regardless(meant) => *meant = agents.to_vec(),
            audience => *audience = TargetAgents::These(agents.to_vec()),
        }
    }

    /// The limits for reading the skills.
    pub const fn bounds(&self, threads: usize) -> ReadLimits {
        ReadLimits { skill: self.max_skill_bytes, total: self.max_total_bytes, threads }
    }
}

/// Settings of `skills install`.
#[derive(Debug, Clone)]
pub struct InstallSettings {
    /// Settings of every command.
    pub context: Context,
    /// The skills and how they are read.
    pub skills: CopySettings,
    /// Where they go.
    pub destinations: Destinations,
    /// How to install them.
    pub options: install::InstallOptions,
    /// Whether skills are linked instead of copied.
    pub link: bool,
    /// Where to log events.
    pub events: EventSettings,
    /// How to print the result.
    pub format: ReportFormat,
}

impl InstallSettings {
    /// Resolves the flags of `skills install`.
    pub fn resolve(args: &args::InstallArgs, context: &Context) -> Result<Self> {
        let manifest = crate::cli::settings::manifest(&args.selection, context)?;
        Self::of_manifest(manifest.as_ref(), args, Verb::Install, context)
    }

    /// Resolves the flags with a manifest that was read already.
    pub fn of_manifest(
        manifest: Option<&Manifest>,
        args: &args::InstallArgs,
        verb: Verb,
        context: &Context,
    ) -> Result<Self> {
        let (selection, reading) = (&args.selection, &args.reading);
        let mut skills = CopySettings::of_manifest(manifest, selection, reading, verb, context)?;
        skills.call(args.name.as_deref(), selection)?;
        let named = table::find_all(&args.destination.agent)?;
        let agents: Vec<_> = named.iter().filter_map(|agent| agent.observed()).collect();
        // The behaviour of other agents is not known.
        if agents.len() == named.len() {
            skills.meant_for(&agents);
        }
        skills.agree(ManifestUse::Copy { trusted: args.trust_manifest })?;
        let destinations = destinations(&args.destination, false, context)?;
        skills.read.chosen = destinations.readers.iter().map(|(agent, _)| *agent).collect();
        // `sync`, not `update`, updates skills of a manifest.
        let keeper = manifest.filter(|_| selection.sources.is_empty());
        Ok(Self {
            context: context.clone(),
            options: install::InstallOptions {
                within: destinations.within.clone(),
                project: destinations.project.clone(),
                owner: keeper
                    .map(|manifest| crate::cli::settings::sync::owner(manifest, &destinations)),
                max_skill_bytes: skills.max_skill_bytes,
                max_total_bytes: skills.max_total_bytes,
                ..options(&args.apply, args.reading.read_only, context)
            },
            destinations,
            skills,
            link: args.link,
            events: EventSettings::resolve(
                &args.reading.events,
                verb.word(),
                args.apply.format == ReportFormat::Json,
                context,
            )?,
            format: args.apply.format,
        })
    }
}

/// Names of skills, each once.
pub fn names(words: &[String]) -> Result<Vec<SkillName>> {
    let mut names = Vec::new();
    for word in words {
        let name = SkillName::new(word)
            .map_err(|error| err!(Usage, "`{word}` is not a valid skill name: {error}"))?;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

pub fn options(
    args: &args::ApplyArgs,
    read_only: bool,
    context: &Context,
) -> install::InstallOptions {
    install::InstallOptions {
        force: args.force,
        read_only,
        dry_run: args.dry_run,
        sync: !args.no_sync,
        lock_timeout: args.lock_timeout,
        threads: context.threads,
        ..install::InstallOptions::default()
    }
}

/// Resolves the flags of a destination to directories. With `everywhere`, `--agent all` means every
/// directory that exists.
pub fn destinations(
    args: &args::DestinationArgs,
    everywhere: bool,
    context: &Context,
) -> Result<Destinations> {
    let wanted = DestinationChoice { everywhere, ..destination_choice(args)? };
    destination::resolve(&wanted, &context.environment)
}

/// The flags about where skills are.
pub fn destination_choice(args: &args::DestinationArgs) -> Result<DestinationChoice> {
    let project = args.scope == Some(ScopeArg::Project);
    let users = [("--global", args.global), ("--home", args.home.is_some())];
    if let Some((flag, _)) = users.into_iter().find(|(_, is_given)| project && *is_given) {
        return Err(err!(Usage, "`{flag}` cannot be used with `--scope project`")
            .help("remove one of them"));
    }
    Ok(DestinationChoice {
        agents: args.agent.clone(),
        everywhere: false,
        project,
        home: args.home.clone(),
        directory: args.dir.clone(),
    })
}
