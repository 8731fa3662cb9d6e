//! The command line as it is written. Nothing here decides anything.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::skills::agents::AGENTS;
use crate::skills::discovery::providers::{self, CUSTOM};
use crate::skills::rules::RULES;

/// Validate, list and render Agent Skills
#[derive(Debug, Parser)]
#[command(
    name = "skills",
    version,
    about = "Validate, list and render Agent Skills: folders with a SKILL.md that teach an agent a task",
    propagate_version = false,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "Examples:\n  \
        skills validate                  check what skills.yaml names, or all below\n  \
        skills validate ./skills --fix   repair what is safe to repair\n  \
        skills validate --format github  annotations for a pull request\n  \
        skills list                      what is on this machine, and what shadows what\n  \
        skills list --agent claude -v    what Claude shows its model, and what it loses\n  \
        skills render ./skills           the catalogue a model sees\n  \
        skills read skill://pdf          one file of a skill\n  \
        skills explain invalid-yaml      what a rule checks and why\n  \
        skills init pdf-forms            start a new skill"
)]
pub struct Cli {
    /// Flags of every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Flags of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
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

impl Color {
    /// Makes this the choice of all streams.
    pub fn write_global(self) {
        let choice = match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check skills against the specification and against what agents really do
    Validate(Validate),
    /// List skills: what is there, who sees it, and why not
    List(List),
    /// Print what a model gets to see of skills
    Render(Render),
    /// Print one file of a skill
    Read(Read),
    /// Start a new skill that validates clean
    Init(Init),
    /// Say what a rule checks, why, and how to satisfy it
    Explain(Explain),
    /// List all rules
    Rules(Rules),
    /// Print the JSON Schema of skills.yaml
    Schema,
    /// Print a completion script for a shell
    Completions(Completions),
    /// Print the manual page, or write all of them to a directory
    Man(Man),
}

impl Command {
    /// Whether a failure should be printed as JSON too.
    #[must_use]
    pub fn wants_json(&self) -> bool {
        match self {
            Self::Validate(args) => args.format == Format::Json && args.output.is_none(),
            Self::List(args) => args.format == SkillFormat::Json,
            Self::Render(args) => args.format == RenderFormat::Json,
            Self::Read(args) => args.format == ReadFormat::Json,
            Self::Rules(args) => args.format == RuleFormat::Json,
            _ => false,
        }
    }
}

/// Which skills a command works on.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Selection")]
pub struct Selection {
    /// Skill directories, SKILL.md files, other .md files, or directories to search
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
}

/// `skills validate`
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 no errors, 1 errors (with --strict: or warnings), \
    2 the check could not be done.")]
pub struct Validate {
    /// Which skills.
    #[command(flatten)]
    pub selection: Selection,
    /// How to print findings
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: Format,
    /// Write the chosen format to FILE, and human text to the terminal
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Warnings fail too, and fields outside the specification are errors
    #[arg(long, help_heading = "Rules")]
    pub strict: bool,
    /// Also say what this agent would do with each skill (repeatable)
    #[arg(long, value_name = "AGENT", help_heading = "Rules", value_parser = agent_values())]
    pub agent: Vec<String>,
    /// Set the level of a rule: off, note, warning or error (repeatable)
    #[arg(long = "rule", value_name = "ID=LEVEL", help_heading = "Rules")]
    pub rules: Vec<String>,
    /// Repair what is safe to repair
    #[arg(long, help_heading = "Repairs")]
    pub fix: bool,
    /// Show what --fix would change, and change nothing
    #[arg(long, help_heading = "Repairs", conflicts_with_all = ["fix", "output"])]
    pub diff: bool,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Human,
    /// One JSON document, version 1
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// GitHub workflow annotations
    Github,
    /// JUnit XML
    Junit,
}

/// `skills list`
#[derive(Debug, Args)]
#[command(
    after_help = "Without sources and without a skills.yaml, what agents find on this machine is \
    listed.\n\nExamples:\n  \
    skills list                      everything here, and what shadows what\n  \
    skills list --agent claude -v    what Claude shows its model, and what it loses\n  \
    skills list ./skills --long      sizes, tokens and digests\n  \
    skills list --source claude:user only these"
)]
pub struct List {
    /// Which skills.
    #[command(flatten)]
    pub selection: Selection,
    /// Where to look when no source is given.
    #[command(flatten)]
    pub discovery: Discovery,
    /// Exactly what this agent would show its model; with -v, what it loses and why
    #[arg(
        long,
        value_name = "AGENT",
        value_parser = agent_values(),
        help_heading = "Discovery",
        conflicts_with_all = ["max_depth", "exclude", "skills_dir"]
    )]
    pub agent: Option<String>,
    /// How to print skills
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: SkillFormat,
    /// Also files, bytes, tokens, path and digest
    #[arg(short, long, help_heading = "Output")]
    pub long: bool,
}

/// Where skills are looked for when no source is given.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Discovery")]
pub struct Discovery {
    /// List what agents find on this machine, even where there is a skills.yaml
    #[arg(long, conflicts_with = "sources")]
    pub discover: bool,
    /// Only these: claude, agents:project, … (repeatable)
    #[arg(
        long,
        value_name = "SOURCE[:SCOPE]",
        value_delimiter = ',',
        conflicts_with = "sources",
        hide_possible_values = true,
        value_parser = source_values()
    )]
    pub source: Vec<String>,
    /// None of these (repeatable)
    #[arg(
        long,
        value_name = "SOURCE[:SCOPE]",
        value_delimiter = ',',
        conflicts_with = "sources",
        hide_possible_values = true,
        value_parser = source_values()
    )]
    pub no_source: Vec<String>,
    /// Look here as well, one level deep (repeatable)
    #[arg(long, value_name = "DIR", conflicts_with = "sources")]
    pub skills_dir: Vec<PathBuf>,
}

impl Discovery {
    /// Whether a flag asks for discovery.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.discover
            || !self.source.is_empty()
            || !self.no_source.is_empty()
            || !self.skills_dir.is_empty()
    }
}

/// How skills are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum SkillFormat {
    /// A table
    #[default]
    Human,
    /// One JSON document, version 1
    Json,
    /// One name a line
    Names,
    /// One directory a line
    Paths,
}

/// `skills render`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    skills render ./skills                        a catalogue in XML\n  \
    skills render ./skills --mount-path skills    with locations below skills/\n  \
    skills render --prompt-only                   what stays in the prompt once the rest is mounted\n  \
    skills render ./skills --activate pdf         one skill, whole\n  \
    skills render --as codex                      what Codex puts before its model")]
pub struct Render {
    /// Which skills.
    #[command(flatten)]
    pub selection: Selection,
    /// How to write it
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: RenderFormat,
    /// Names and descriptions, or names alone; of sections, all or their summary
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Output")]
    pub visibility: Option<VisibilityArg>,
    /// Leave out how to use a skill
    #[arg(long, help_heading = "Output")]
    pub no_instructions: bool,
    /// Say that skills are below this relative path
    #[arg(long, value_name = "PATH", help_heading = "Output")]
    pub mount_path: Option<String>,
    /// Append what was expanded to FILE, one JSON object a line (- for standard output)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub events: Option<PathBuf>,
    /// Only skills with tools, which stay in the prompt when the others are mounted
    #[arg(long, help_heading = "What", group = "shown")]
    pub prompt_only: bool,
    /// Every skill as a section of the prompt, tools or not
    #[arg(long, help_heading = "What", group = "shown")]
    pub sections: bool,
    /// Whole skills instead of a catalogue (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "What", group = "shown")]
    pub preload: Vec<String>,
    /// One skill that is being used: its text, its directory and its files
    #[arg(long, value_name = "NAME", help_heading = "What", group = "shown")]
    pub activate: Option<String>,
    /// What the user asked for when activating
    #[arg(
        long,
        value_name = "TEXT",
        help_heading = "What",
        requires = "activate",
        allow_hyphen_values = true
    )]
    pub user: Option<String>,
    /// The listing that this agent puts before its model; with -v, its tokens
    #[arg(
        long = "as",
        value_name = "AGENT",
        value_parser = agent_values(),
        help_heading = "What",
        group = "shown"
    )]
    pub as_agent: Option<String>,
}

/// How prompts are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum RenderFormat {
    /// XML, every value escaped
    #[default]
    Xml,
    /// Markdown
    Markdown,
    /// One JSON document, version 1
    Json,
}

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VisibilityArg {
    /// Everything
    Full,
    /// Names, or summaries
    Summary,
}

/// `skills read`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    skills read skill://pdf                       its SKILL.md\n  \
    skills read skill://pdf/references/forms.md   another of its files\n  \
    skills read skill://pdf ./skills              of these skills only")]
pub struct Read {
    /// skill://NAME, or skill://NAME/PATH
    #[arg(value_name = "skill://NAME[/PATH]")]
    pub uri: String,
    /// Skill directories or directories to search [default: what agents find on this machine]
    #[arg(value_name = "SOURCES")]
    pub sources: Vec<PathBuf>,
    /// Look up names in this directory, one level deep (repeatable)
    #[arg(long, value_name = "DIR", conflicts_with = "sources")]
    pub skills_dir: Vec<PathBuf>,
    /// How to print the file
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: ReadFormat,
}

/// How a file is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ReadFormat {
    /// As it is; on a terminal without what could steer it
    #[default]
    Human,
    /// One JSON document, version 1
    Json,
}

/// `skills init`
#[derive(Debug, Args)]
pub struct Init {
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
pub struct Explain {
    /// The id of a rule
    #[arg(value_name = "RULE", value_parser = rule_values())]
    pub rule: String,
}

/// `skills rules`
#[derive(Debug, Args)]
pub struct Rules {
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
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `skills man`
#[derive(Debug, Args)]
pub struct Man {
    /// Write one page for every command to DIR
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Offers the known agents to completions; unknown ones get our own message.
fn agent_values() -> Known {
    Known(|| AGENTS.iter().map(|agent| agent.id).collect())
}

fn source_values() -> Known {
    Known(|| providers::ranked().chain([CUSTOM]).collect())
}

fn rule_values() -> Known {
    Known(|| RULES.iter().map(|rule| rule.id).collect())
}

/// Any string, with a list of values that completions offer.
#[derive(Debug, Clone, Copy)]
struct Known(fn() -> Vec<&'static str>);

impl clap::builder::TypedValueParser for Known {
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
