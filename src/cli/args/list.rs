//! The flags of `skills list` and `skills read`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{NetworkArgs, SelectionArgs, source_values, target_values};

/// `skills list`
#[derive(Debug, Args)]
#[command(
    after_help = "Without sources and skills.yaml, lists the skills that agents find on this machine.\n\nExamples:\n  \
    skills list                       list all, and what shadows what\n  \
    skills list --agent claude -v     list what Claude shows its model\n  \
    skills list ./skills --long       show sizes, tokens and digests\n  \
    skills list ./skills --tools      list the tools that they ask for\n  \
    skills list --source claude:user  list only ~/.claude/skills"
)]
pub struct ListArgs {
    /// Which skills.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Where to look when no source is given.
    #[command(flatten)]
    pub discovery: DiscoveryArgs,
    /// List exactly what this agent shows its model, or the directories of several: A,B or all
    #[arg(
        short,
        long,
        value_name = "AGENT",
        value_delimiter = ',',
        value_parser = target_values(),
        hide_possible_values = true,
        help_heading = "Discovery",
        conflicts_with_all = ["max_depth", "exclude", "skills_dir"]
    )]
    pub agent: Vec<String>,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: SkillFormat,
    /// Also show version, license, files, bytes, tokens, path and digest; with json, all fields
    #[arg(short, long, help_heading = "Output")]
    pub long: bool,
    /// List the tools that the skills ask for instead of the skills
    #[arg(long, help_heading = "Output", conflicts_with = "long")]
    pub tools: bool,
}

/// Where skills are looked for when no source is given.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Discovery")]
pub struct DiscoveryArgs {
    /// Use the skills that agents find on this machine, even if skills.yaml exists
    #[arg(long, conflicts_with = "sources")]
    pub discover: bool,
    /// Search only these providers: claude, agents:project, … (repeatable)
    #[arg(
        long,
        value_name = "SOURCE[:SCOPE]",
        value_delimiter = ',',
        conflicts_with = "sources",
        hide_possible_values = true,
        value_parser = source_values()
    )]
    pub source: Vec<String>,
    /// Skip these providers (repeatable)
    #[arg(
        long,
        value_name = "SOURCE[:SCOPE]",
        value_delimiter = ',',
        conflicts_with = "sources",
        hide_possible_values = true,
        value_parser = source_values()
    )]
    pub no_source: Vec<String>,
    /// Also search DIR, one level deep (repeatable)
    #[arg(long, value_name = "DIR", conflicts_with = "sources")]
    pub skills_dir: Vec<PathBuf>,
}

impl DiscoveryArgs {
    /// Whether a flag asks for discovery.
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
    /// Table
    #[default]
    Human,
    /// JSON document, version 1
    Json,
    /// Names, one per line
    Names,
    /// Directories, one per line
    Paths,
}

/// `skills read`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    skills read pdf                               print its SKILL.md\n  \
    skills read skill://pdf                       the same\n  \
    skills read skill://pdf/references/forms.md   print another file\n  \
    skills read skill://pdf ./skills              search only ./skills")]
pub struct ReadArgs {
    /// File to print: NAME or skill://NAME for its SKILL.md, or NAME/PATH for another
    #[arg(value_name = "[skill://]NAME[/PATH]")]
    pub uri: String,
    /// Skills, or directories to search [default: skills.yaml, then what agents find here]
    #[arg(value_name = "SOURCES")]
    pub sources: Vec<PathBuf>,
    /// Read only the skills of this manifest
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sources", "skills_dir"])]
    pub manifest: Option<PathBuf>,
    /// Set a manifest parameter (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUE")]
    pub params: Vec<String>,
    /// Search DIR, one level deep (repeatable)
    #[arg(long, value_name = "DIR", conflicts_with = "sources")]
    pub skills_dir: Vec<PathBuf>,
    /// How servers are asked.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: ReadFormat,
}

/// How a file is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ReadFormat {
    /// File content; on a terminal, without control characters
    #[default]
    Human,
    /// JSON document, version 1
    Json,
}
