//! The flags of `skills list` and `skills read`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{SelectionArgs, agent_values, source_values};

/// `skills list`
#[derive(Debug, Args)]
#[command(
    after_help = "Without sources and without a skills.yaml, what agents find on this machine is \
    listed.\n\nExamples:\n  \
    skills list                       everything here, and what shadows what\n  \
    skills list --agent claude -v     what Claude shows its model and loses\n  \
    skills list ./skills --long       sizes, tokens and digests\n  \
    skills list --source claude:user  only these"
)]
pub struct ListArgs {
    /// Which skills.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Where to look when no source is given.
    #[command(flatten)]
    pub discovery: DiscoveryArgs,
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
pub struct DiscoveryArgs {
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

impl DiscoveryArgs {
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

/// `skills read`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    skills read skill://pdf                       its SKILL.md\n  \
    skills read skill://pdf/references/forms.md   another of its files\n  \
    skills read skill://pdf ./skills              of these skills only")]
pub struct ReadArgs {
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
