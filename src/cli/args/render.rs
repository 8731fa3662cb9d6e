//! The flags of `skills render`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{SelectionArgs, agent_values};

/// `skills render`
#[derive(Debug, Default, Args)]
#[command(after_help = "Examples:\n  \
    skills render ./skills                        a catalogue in XML\n  \
    skills render ./skills --mount-path skills    with locations below skills/\n  \
    skills render --prompt-only                   what stays in the prompt\n  \
    skills render ./skills --activate pdf         one skill, whole\n  \
    skills render --as codex                      what Codex puts before its model")]
pub struct RenderArgs {
    /// Which skills.
    #[command(flatten)]
    pub selection: SelectionArgs,
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
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "What",
        group = "shown",
        conflicts_with_all = ["visibility", "no_instructions", "mount_path", "events"]
    )]
    pub preload: Vec<String>,
    /// One skill that is being used: its text, its directory and its files
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "What",
        group = "shown",
        conflicts_with_all = ["visibility", "no_instructions", "mount_path", "events"]
    )]
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
        group = "shown",
        conflicts_with_all = [
            "format", "visibility", "no_instructions", "mount_path", "events", "expand",
            "max_depth", "exclude",
        ]
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
