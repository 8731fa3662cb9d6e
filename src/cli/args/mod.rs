//! The command line as it is written. Nothing here decides anything.

mod cache;
mod events;
mod init;
mod install;
mod list;
mod lock;
mod mount;
mod pack;
mod push;
mod render;
mod serve;
mod show;
mod switch;
mod sync;
mod update;
mod validate;
mod values;

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use values::{
    agent_values, judged_agent_values, level_values, rule_values, source_values, target_values,
};

pub use cache::{CacheAction, CacheArgs};
pub use events::EventArgs;
pub use init::{InitArgs, SchemaArgs, SchemaSubject, TemplateArg};
pub use install::{
    ApplyArgs, DestinationArgs, InstallArgs, ReadingArgs, RemoveArgs, ReportFormat, ScopeArg,
    VerifyArgs,
};
pub use list::{DiscoveryArgs, ListArgs, ReadArgs, ReadFormat, SkillFormat};
pub use lock::{LockArgs, LockedSourcesArgs, OutdatedArgs};
pub use mount::{AuthArg, MountArgs, MountFormat, ShellArg, UnmountArgs};
pub use pack::PackArgs;
pub use push::PushArgs;
pub use render::{RenderArgs, RenderFormat, VisibilityArg};
pub use serve::{CatalogArg, ClientArg, DEFAULT_BUDGET, ServeArgs};
pub use show::ShowArgs;
pub use switch::{DisableArgs, EnableArgs, SwitchArgs};
pub use sync::SyncArgs;
pub use update::UpdateArgs;
pub use validate::{FindingsFormat, MoreRepairs, ValidateArgs};

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
