//! The command line as it is written. Nothing here decides anything.

pub mod verbs;

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub use crate::cli::args::verbs::{
    ApplyArgs, AuthArg, CacheAction, CacheArgs, CatalogArg, ClientArg, DEFAULT_BUDGET,
    DestinationArgs, DisableArgs, DiscoveryArgs, EnableArgs, FindingsFormat, InstallArgs, ListArgs,
    LockArgs, LockedSourcesArgs, MoreRepairs, MountArgs, MountFormat, OutdatedArgs, PackArgs,
    PushArgs, ReadArgs, ReadFormat, ReadingArgs, RemoveArgs, RenderArgs, RenderFormat,
    ReportFormat, ScopeArg, ServeArgs, ShellArg, ShowArgs, SkillFormat, SwitchArgs, SyncArgs,
    UnmountArgs, UpdateArgs, ValidateArgs, VerifyArgs, VisibilityArg,
};
use crate::skills::agents::{AGENTS, ALL, table};
use crate::skills::find::discovery::providers::{self, CUSTOM};
use crate::skills::judge::rules::{Level, RULES};

/// Validate, list, render, install and mount Agent Skills
#[derive(Debug, Parser)]
#[command(
    name = crate::PROGRAM,
    version,
    about = "Validate, list, render, install and mount Agent Skills (folders with a SKILL.md)",
    arg_required_else_help = true,
    after_help = "Examples:\n  \
        skills validate                  check skills.yaml, or all below\n  \
        skills validate ./skills --fix   apply safe repairs\n  \
        skills validate --format github  annotate a pull request\n  \
        skills list                      list all skills found here\n  \
        skills list --agent claude -v    list what Claude shows its model\n  \
        skills show team/skills@pdf      show a skill before installing it\n  \
        skills render ./skills           print the catalogue a model sees\n  \
        skills read skill://pdf          print a skill's SKILL.md\n  \
        skills serve ./skills            serve them over MCP\n  \
        skills install ./skills          copy them to ~/.claude/skills\n  \
        skills mount ./skills -- claude  run Claude with these skills and no others\n  \
        skills lock                      pin the sources in skills.yaml\n  \
        skills sync --manifest gh:o/r    install what a team's manifest says\n  \
        skills update                    bring installed skills up to date\n  \
        skills verify                    find installed skills that changed\n  \
        skills explain invalid-yaml      explain a rule\n  \
        skills init pdf-forms            create a skill"
)]
pub struct Cli {
    /// Flags of every command.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Flags of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct GlobalArgs {
    /// Print results and errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print notes too; repeat to print logs
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
    /// Choose when to use colour
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    pub color: Color,
    /// Never show a progress bar
    #[arg(long, global = true)]
    pub no_progress: bool,
    /// Run as if started in DIR
    #[arg(short = 'C', long, global = true, value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On terminals, unless NO_COLOR is set
    #[default]
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check skills against the specification and the behaviour of real agents
    #[command(visible_aliases = ["check", "lint"])]
    Validate(ValidateArgs),
    /// List skills, and show which ones agents load and why others are missing
    #[command(visible_alias = "ls")]
    List(ListArgs),
    /// Show everything about one skill, before or after installing it
    #[command(visible_alias = "info")]
    Show(ShowArgs),
    /// Print the catalogue of skills that a model sees
    Render(RenderArgs),
    /// Print one file of a skill
    #[command(visible_aliases = ["cat", "view"])]
    Read(ReadArgs),
    /// Serve skills over MCP, to programs without a file system
    Serve(ServeArgs),
    /// Copy skills into the directories where agents look for them
    #[command(visible_aliases = ["add", "i"])]
    Install(InstallArgs),
    /// Make a skills directory match a manifest and its lock
    Sync(SyncArgs),
    /// Remove installed skills
    #[command(visible_aliases = ["rm", "uninstall"])]
    Remove(RemoveArgs),
    /// Bring installed skills up to date from their sources
    #[command(visible_alias = "upgrade")]
    Update(UpdateArgs),
    /// Hide skills from agents without losing edits
    Disable(DisableArgs),
    /// Bring disabled skills back
    Enable(EnableArgs),
    /// Find installed skills that changed since they were installed
    Verify(VerifyArgs),
    /// Create a temporary home with only these skills, and run an agent in it
    Mount(MountArgs),
    /// Remove homes created by `skills mount`
    Unmount(UnmountArgs),
    /// Pack each skill into a reproducible .skill archive
    Pack(PackArgs),
    /// Publish skills in a registry (oci://HOST/REPO)
    Push(PushArgs),
    /// Pin the sources of a manifest to commits and digests
    Lock(LockArgs),
    /// Show newer versions of a manifest's sources, or of installed skills
    Outdated(OutdatedArgs),
    /// Show what was fetched from servers, and remove it
    Cache(CacheArgs),
    /// Create a skill that passes validation
    #[command(visible_alias = "new")]
    Init(InitArgs),
    /// Explain what a rule checks, why, and how to satisfy it
    Explain(ExplainArgs),
    /// List all rules
    Rules(RulesArgs),
    /// Print the JSON Schema of skills.yaml, or of the front matter of a SKILL.md
    Schema(SchemaArgs),
    /// Print a shell completion script
    Completions(CompletionsArgs),
    /// Print the manual page, or write one page per command
    Man(ManArgs),
}

impl Command {
    /// Whether another program's exit code is to be passed on, so that ours must not look like it.
    pub fn runs_another(&self) -> bool {
        matches!(self, Self::Mount(args) if !args.command.is_empty())
    }

    /// Whether what it prints becomes annotations.
    pub fn annotates(&self) -> bool {
        matches!(self, Self::Validate(args)
            if args.format == FindingsFormat::Github && args.output.is_none())
    }

    /// Whether a failure should be printed as JSON too.
    pub fn wants_json(&self) -> bool {
        match self {
            Self::Validate(args) => args.format == FindingsFormat::Json && args.output.is_none(),
            Self::List(args) => args.format == SkillFormat::Json,
            Self::Show(args) => args.format == ReportFormat::Json,
            Self::Render(args) => args.format == RenderFormat::Json,
            Self::Read(args) => args.format == ReadFormat::Json,
            Self::Install(args) => args.apply.format == ReportFormat::Json,
            Self::Sync(args) => args.apply.format == ReportFormat::Json,
            Self::Remove(args) => args.apply.format == ReportFormat::Json,
            Self::Disable(args) => args.switch.format == ReportFormat::Json,
            Self::Enable(args) => args.switch.format == ReportFormat::Json,
            Self::Mount(args) => args.format == MountFormat::Json && args.command.is_empty(),
            Self::Pack(args) => args.format == ReportFormat::Json,
            Self::Push(args) => args.format == ReportFormat::Json,
            Self::Lock(args) => args.sources.format == ReportFormat::Json,
            Self::Outdated(args) => args.sources.format == ReportFormat::Json,
            Self::Update(args) => args.apply.format == ReportFormat::Json,
            Self::Verify(args) => args.format == ReportFormat::Json,
            Self::Cache(args) => args.format == ReportFormat::Json,
            Self::Rules(args) => args.format == RuleFormat::Json,
            Self::Serve(_)
            | Self::Unmount(_)
            | Self::Init(_)
            | Self::Explain(_)
            | Self::Schema(_)
            | Self::Completions(_)
            | Self::Man(_) => false,
        }
    }
}

impl Command {
    /// How servers are asked; as usual, by commands that ask none.
    pub const fn network(&self) -> NetworkArgs {
        match self {
            Self::Validate(args) => args.selection.network,
            Self::List(args) => args.selection.network,
            Self::Render(args) => args.selection.network,
            Self::Serve(args) => args.selection.network,
            Self::Read(args) => args.network,
            Self::Install(args) => args.selection.network,
            Self::Sync(args) => args.network,
            Self::Update(args) => args.network,
            Self::Show(args) => args.network,
            Self::Mount(args) => args.selection.network,
            Self::Pack(args) => args.network,
            Self::Push(args) => args.selection.network,
            Self::Lock(args) => args.sources.network,
            Self::Outdated(args) => args.sources.network,
            Self::Verify(args) => args.network,
            _ => NetworkArgs { offline: false, insecure: false },
        }
    }
}

/// Which skills a command works on.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Selection")]
pub struct SelectionArgs {
    /// Skills, directories to search, archives, or git repositories (gh:OWNER/REPO, https://…)
    #[arg(value_name = "SOURCES", help_heading = None)]
    pub sources: Vec<PathBuf>,
    /// Read this manifest, a file or a source with one [default: skills.yaml, without SOURCES]
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// Select only skills whose names match (repeatable, or A,B)
    #[arg(long, value_name = "GLOB")]
    pub allow: Vec<String>,
    /// Leave out skills whose names match; overrides --allow (repeatable, or A,B)
    #[arg(long, value_name = "GLOB")]
    pub deny: Vec<String>,
    /// Select the skill with exactly this name (repeatable)
    #[arg(long, visible_alias = "skill", value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Select only the skills of this plugin (repeatable, or A,B)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub plugin: Vec<String>,
    /// Skip directories whose paths below the source match (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Search at most N levels below a source
    #[arg(long, value_name = "N")]
    pub max_depth: Option<usize>,
    /// Set a manifest parameter (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUE")]
    pub params: Vec<String>,
    /// Expand a section of the manifest or a skill in the prompt (repeatable)
    #[arg(long, value_name = "KEY")]
    pub expand: Vec<String>,
    /// Use exactly what skills.lock pins, from the cache if possible
    #[arg(long)]
    pub frozen: bool,
    /// How servers are asked.
    #[command(flatten)]
    pub network: NetworkArgs,
}

/// How servers are asked.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct NetworkArgs {
    /// Ask no server, and use what is in the cache
    #[arg(long)]
    pub offline: bool,
    /// Allow plain http to other machines; certificates are always checked
    #[arg(long)]
    pub insecure: bool,
}

/// `skills explain`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    skills explain invalid-yaml   explain one rule\n  \
    skills rules                  list the ids of all rules")]
pub struct ExplainArgs {
    /// Id of a rule
    #[arg(value_name = "RULE", value_parser = rule_values())]
    pub rule: String,
}

/// `skills rules`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    skills rules                                  list all rules by level\n  \
    skills rules --format json                    print JSON\n  \
    skills validate --rule broken-link=off        switch one rule off")]
pub struct RulesArgs {
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: RuleFormat,
}

/// How rules are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum RuleFormat {
    /// Table
    #[default]
    Human,
    /// JSON document, version 1
    Json,
    /// Markdown page
    Markdown,
}

/// `skills completions`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    skills completions bash > ~/.local/share/bash-completion/completions/skills\n  \
    skills completions zsh > ~/.zfunc/_skills\n  \
    skills completions fish > ~/.config/fish/completions/skills.fish\n  \
    skills completions powershell >> $PROFILE\n  \
    skills completions elvish >> ~/.config/elvish/rc.elv")]
pub struct CompletionsArgs {
    /// Shell to print the script for
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `skills man`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    skills man | man -l -                     read the manual\n  \
    skills man --dir ~/.local/share/man/man1  write one page per command")]
pub struct ManArgs {
    /// Write one page per command to DIR
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

// Values that completions offer for flags.

/// Offers the known agents to completions; unknown ones get our own message.
pub fn agent_values() -> KnownValues {
    KnownValues(|| owned(AGENTS.iter().map(|agent| agent.id).chain([ALL])))
}

/// The same with the word for hosts of the Model Context Protocol.
pub fn judged_agent_values() -> KnownValues {
    KnownValues(|| owned(AGENTS.iter().map(|agent| agent.id).chain([ALL, "mcp"])))
}

/// The same with the agents that are known only by where they look, and with the word for all whose
/// behaviour is known.
pub fn target_values() -> KnownValues {
    KnownValues(|| owned(table::ids().chain([ALL])))
}

pub fn source_values() -> KnownValues {
    KnownValues(|| {
        let targets = table::ids().filter(|id| !providers::ranked().any(|ranked| ranked == *id));
        owned(providers::ranked().chain([CUSTOM]).chain(targets))
    })
}

pub fn rule_values() -> KnownValues {
    KnownValues(|| owned(RULES.iter().map(|rule| rule.id)))
}

/// Every rule at every level.
pub fn level_values() -> KnownValues {
    KnownValues(|| {
        let levels = |rule: &'static str| Level::WORDS.map(|level| format!("{rule}={level}"));
        RULES.iter().flat_map(|rule| levels(rule.id)).collect()
    })
}

fn owned(words: impl Iterator<Item = &'static str>) -> Vec<String> {
    words.map(str::to_owned).collect()
}

/// Any string, with a list of values that completions offer.
#[derive(Debug, Clone, Copy)]
pub struct KnownValues(fn() -> Vec<String>);

impl clap::builder::TypedValueParser for KnownValues {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        clap::builder::StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(
        &self,
    ) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(clap::builder::PossibleValue::new)))
    }
}

// The flags about events, the same for every verb that writes them.

/// Where events go, and what they say about the prompt.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Events")]
pub struct EventArgs {
    /// Append events to FILE, one JSON object per line (- for standard output)
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// Namespace of the prompt in events [default: SKILLS_PROMPT_NS, else skills]
    #[arg(long, value_name = "TEXT", requires = "events")]
    pub prompt_ns: Option<String>,
    /// Key of the prompt in events [default: SKILLS_PROMPT_KEY, else the command]
    #[arg(long, value_name = "TEXT", requires = "events")]
    pub prompt_key: Option<String>,
    /// Session in events [default: SKILLS_SESSION_ID]
    #[arg(long, value_name = "TEXT", requires = "events")]
    pub session_id: Option<String>,
}

// The flags of `skills init` and `skills schema`.

/// `skills init`
#[derive(Debug, Args)]
#[command(
    after_help = "Without --description, it is a placeholder, which `skills validate --strict` refuses.\n\n\
    Examples:\n  \
    skills init pdf-forms               create ./pdf-forms/SKILL.md\n  \
    skills init pdf --template scripts  create a script, too\n  \
    skills init pdf --dir ./skills      create ./skills/pdf/SKILL.md\n  \
    skills init --manifest              create a skills.yaml with all keys"
)]
pub struct InitArgs {
    /// Name of the skill: a-z, 0-9 and single hyphens
    #[arg(required_unless_present = "manifest")]
    pub name: Option<String>,
    /// Write a commented skills.yaml instead of a skill
    #[arg(long, conflicts_with_all = ["name", "description"])]
    pub manifest: bool,
    /// Describe what the skill does and when to use it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub description: Option<String>,
    /// Choose the files of the skill
    #[arg(long, value_enum, value_name = "TEMPLATE", default_value_t, conflicts_with = "manifest")]
    pub template: TemplateArg,
    /// Create the skill's directory in DIR
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
}

/// What a new skill consists of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum TemplateArg {
    /// SKILL.md alone
    #[default]
    Plain,
    /// SKILL.md and a script that it runs
    Scripts,
    /// Short SKILL.md and longer texts that it links to
    References,
}

/// `skills schema`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    skills schema > skills.schema.json       save it for an editor\n  \
    skills schema skill > skill.schema.json  the same for SKILL.md\n  \
    skills init --manifest                   create a skills.yaml")]
pub struct SchemaArgs {
    /// File to describe
    #[arg(value_enum, value_name = "FILE", default_value_t)]
    pub subject: SchemaSubject,
}

/// What a schema describes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum SchemaSubject {
    /// skills.yaml
    #[default]
    Manifest,
    /// Front matter of a SKILL.md
    Skill,
}
