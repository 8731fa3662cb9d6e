//! The command line as it is written. Nothing here decides anything.

mod install;
mod list;
mod lock;
mod mount;
mod pack;
mod render;
mod validate;

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::skills::agents::{AGENTS, targets};
use crate::skills::find::discovery::providers::{self, CUSTOM};
use crate::skills::judge::rules::{Level, RULES};
use crate::skills::put::mount::ALL;

pub use install::{
    ApplyArgs, DestinationArgs, InstallArgs, ReadingArgs, RemoveArgs, ReportFormat, ScopeArg,
    VerifyArgs,
};
pub use list::{DiscoveryArgs, ListArgs, ReadArgs, ReadFormat, SkillFormat};
pub use lock::{LockArgs, LockedSourcesArgs, OutdatedArgs};
pub use mount::{AuthArg, MountArgs, MountFormat, ShellArg, UnmountArgs};
pub use pack::PackArgs;
pub use render::{RenderArgs, RenderFormat, VisibilityArg};
pub use validate::{FindingsFormat, ValidateArgs};

/// Validate, list, render, install and mount Agent Skills
#[derive(Debug, Parser)]
#[command(
    name = crate::PROGRAM,
    version,
    about = "Validate, list, render, install and mount Agent Skills: folders with a SKILL.md that teach an agent a task",
    arg_required_else_help = true,
    after_help = "Examples:\n  \
        skills validate                  check what skills.yaml names, or all below\n  \
        skills validate ./skills --fix   repair what is safe to repair\n  \
        skills validate --format github  annotations for a pull request\n  \
        skills list                      what is here, and what shadows what\n  \
        skills list --agent claude -v    what Claude shows its model and loses\n  \
        skills render ./skills           the catalogue a model sees\n  \
        skills read skill://pdf          one file of a skill\n  \
        skills install ./skills          copy them to ~/.claude/skills\n  \
        skills mount ./skills -- claude  run Claude with these skills and no others\n  \
        skills lock                      pin what skills.yaml names\n  \
        skills verify                    are they still what was installed?\n  \
        skills explain invalid-yaml      what a rule checks and why\n  \
        skills init pdf-forms            start a new skill"
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
    /// Say more: notes, then logs (repeatable)
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
    /// When to use colour
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    pub color: Color,
    /// Never show a progress bar
    #[arg(long, global = true)]
    pub no_progress: bool,
    /// Work as if started in DIR
    #[arg(short = 'C', long, global = true, value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
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
    /// Check skills against the specification and against what agents really do
    Validate(ValidateArgs),
    /// List skills: what is there, who sees it, and why not
    List(ListArgs),
    /// Print what a model gets to see of skills
    Render(RenderArgs),
    /// Print one file of a skill
    Read(ReadArgs),
    /// Copy skills to where agents find them, all of them or none
    Install(InstallArgs),
    /// Remove skills that were installed
    Remove(RemoveArgs),
    /// Check installed skills against what was recorded when they were installed
    Verify(VerifyArgs),
    /// Make a temporary home with these skills and no others, and run an agent there
    Mount(MountArgs),
    /// Remove homes that `skills mount` made
    Unmount(UnmountArgs),
    /// Make a .skill archive of each skill, the same bytes on any machine
    Pack(PackArgs),
    /// Write down which commits and digests the sources of a manifest have
    Lock(LockArgs),
    /// Say what `skills lock --upgrade` would change
    Outdated(OutdatedArgs),
    /// Start a new skill that validates clean
    Init(InitArgs),
    /// Say what a rule checks, why, and how to satisfy it
    Explain(ExplainArgs),
    /// List all rules
    Rules(RulesArgs),
    /// Print the JSON Schema of skills.yaml
    #[command(after_help = "Examples:\n  \
        skills schema > skills.schema.json   for an editor\n  \
        skills init --manifest               a skills.yaml to start from")]
    Schema,
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write all of them to a directory
    Man(ManArgs),
}

impl Command {
    /// Whether another program's exit code is to be passed on, so that ours must not look like it.
    #[must_use]
    pub fn runs_another(&self) -> bool {
        matches!(self, Self::Mount(args) if !args.command.is_empty())
    }

    /// Whether what it prints becomes annotations.
    #[must_use]
    pub fn annotates(&self) -> bool {
        matches!(self, Self::Validate(args)
            if args.format == FindingsFormat::Github && args.output.is_none())
    }

    /// Whether a failure should be printed as JSON too.
    #[must_use]
    pub fn wants_json(&self) -> bool {
        match self {
            Self::Validate(args) => args.format == FindingsFormat::Json && args.output.is_none(),
            Self::List(args) => args.format == SkillFormat::Json,
            Self::Render(args) => args.format == RenderFormat::Json,
            Self::Read(args) => args.format == ReadFormat::Json,
            Self::Install(args) => args.apply.format == ReportFormat::Json,
            Self::Remove(args) => args.apply.format == ReportFormat::Json,
            Self::Mount(args) => args.format == MountFormat::Json && args.command.is_empty(),
            Self::Pack(args) => args.format == ReportFormat::Json,
            Self::Lock(args) => args.sources.format == ReportFormat::Json,
            Self::Outdated(args) => args.sources.format == ReportFormat::Json,
            Self::Verify(args) => args.format == ReportFormat::Json,
            Self::Rules(args) => args.format == RuleFormat::Json,
            Self::Unmount(_)
            | Self::Init(_)
            | Self::Explain(_)
            | Self::Schema
            | Self::Completions(_)
            | Self::Man(_) => false,
        }
    }
}

/// Which skills a command works on.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Selection")]
pub struct SelectionArgs {
    /// Skill directories, SKILL.md files, other .md files, archives, git sources
    /// (gh:OWNER/REPO/PATH@REVISION, git+https://…), or directories to search
    #[arg(value_name = "SOURCES", help_heading = None)]
    pub sources: Vec<PathBuf>,
    /// Read sources, filters and rule levels from FILE [default: skills.yaml, when no source is given]
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// Only skills whose name matches (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub allow: Vec<String>,
    /// No skills whose name matches; wins over --allow (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub deny: Vec<String>,
    /// Exactly the skill of this name (repeatable)
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// Do not enter directories whose path below the source matches (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Search at most N levels below a source
    #[arg(long, value_name = "N")]
    pub max_depth: Option<usize>,
    /// Set a parameter of the manifest (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUE")]
    pub params: Vec<String>,
    /// Expand a section of the manifest, or a skill of a prompt (repeatable)
    #[arg(long, value_name = "KEY")]
    pub expand: Vec<String>,
    /// Take nothing but what skills.lock says, from the cache where it is there
    #[arg(long)]
    pub frozen: bool,
}

/// `skills init`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    skills init pdf-forms             a skill in ./pdf-forms that validates clean\n  \
    skills init pdf --dir ./skills    in another directory\n  \
    skills init --manifest            a skills.yaml with all its keys")]
pub struct InitArgs {
    /// The name of the skill: a-z, 0-9 and single hyphens
    #[arg(required_unless_present = "manifest")]
    pub name: Option<String>,
    /// Write a commented skills.yaml instead of a skill
    #[arg(long, conflicts_with_all = ["name", "description"])]
    pub manifest: bool,
    /// What the skill does and when to use it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub description: Option<String>,
    /// Where to make the skill's directory
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
}

/// `skills explain`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    skills explain invalid-yaml   what is wrong, and what to write instead\n  \
    skills rules                  the ids of all rules")]
pub struct ExplainArgs {
    /// The id of a rule
    #[arg(value_name = "RULE", value_parser = rule_values())]
    pub rule: String,
}

/// `skills rules`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    skills rules                                  all rules, by level\n  \
    skills rules --format json                    for scripts\n  \
    skills validate --rule broken-link=off        one run without a rule")]
pub struct RulesArgs {
    /// How to print them
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: RuleFormat,
}

/// How rules are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum RuleFormat {
    /// A table
    #[default]
    Human,
    /// One JSON document, version 1
    Json,
    /// The page of docs/rules.md
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
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `skills man`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    skills man | man -l -                     read it\n  \
    skills man --dir ~/.local/share/man/man1  one page for every command")]
pub struct ManArgs {
    /// Write one page for every command to DIR
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Offers the known agents to completions; unknown ones get our own message.
fn agent_values() -> KnownValues {
    KnownValues(|| owned(AGENTS.iter().map(|agent| agent.id)))
}

/// The same with the word for all of them.
fn mounted_values() -> KnownValues {
    KnownValues(|| owned(AGENTS.iter().map(|agent| agent.id).chain([ALL])))
}

/// The same with the agents that are known only by where they look.
fn target_values() -> KnownValues {
    KnownValues(|| owned(targets::ids()))
}

fn source_values() -> KnownValues {
    KnownValues(|| owned(providers::ranked().chain([CUSTOM])))
}

fn rule_values() -> KnownValues {
    KnownValues(|| owned(RULES.iter().map(|rule| rule.id)))
}

/// Every rule at every level.
fn level_values() -> KnownValues {
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
struct KnownValues(fn() -> Vec<String>);

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
