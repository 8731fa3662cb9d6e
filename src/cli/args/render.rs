//! The flags of `skills render`.

use clap::{Args, ValueEnum};

use super::{DiscoveryArgs, EventArgs, SelectionArgs, agent_values};

/// `skills render`
#[derive(Debug, Default, Args)]
#[command(after_help = "Examples:\n  \
    skills render ./skills                        print a catalogue in XML\n  \
    skills render ./skills --mount-path skills    use locations below skills/\n  \
    skills render --prompt-only                   print what stays in the prompt\n  \
    skills render ./skills --activate pdf         print one whole skill\n  \
    skills render --discover                      print what is on this machine\n  \
    skills render --as codex                      print what Codex shows its model")]
pub struct RenderArgs {
    /// Which skills.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Where to look when no source is given.
    #[command(flatten)]
    pub discovery: DiscoveryArgs,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: RenderFormat,
    /// Show full entries, or only names and summaries
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Output")]
    pub visibility: Option<VisibilityArg>,
    /// Leave out headings and the instructions for using skills
    #[arg(long, help_heading = "Output")]
    pub no_instructions: bool,
    /// Include skills nested inside other skills
    #[arg(long, help_heading = "Selection")]
    pub nested: bool,
    /// Say that skills are below this relative path
    #[arg(long, value_name = "PATH", help_heading = "Output")]
    pub mount_path: Option<String>,
    /// What is logged.
    #[command(flatten)]
    pub events: EventArgs,
    /// Render only what stays in the prompt when the other skills are mounted
    #[arg(long, help_heading = "Content", group = "shown")]
    pub prompt_only: bool,
    /// Render every skill as a section of the prompt, with or without tools
    #[arg(long, help_heading = "Content", group = "shown")]
    pub sections: bool,
    /// Render this skill in full instead of a catalogue (repeatable)
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Content",
        group = "shown",
        conflicts_with_all = ["visibility", "no_instructions", "mount_path", "events"]
    )]
    pub preload: Vec<String>,
    /// Render one skill as an agent loads it: its text, directory and files
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Content",
        group = "shown",
        conflicts_with_all = ["visibility", "no_instructions", "mount_path"]
    )]
    pub activate: Option<String>,
    /// Add the user's request to the activated skill
    #[arg(
        long,
        value_name = "TEXT",
        help_heading = "Content",
        requires = "activate",
        allow_hyphen_values = true
    )]
    pub user: Option<String>,
    /// Render the listing that this agent shows its model; with -v, also its tokens
    #[arg(
        long = "as",
        value_name = "AGENT",
        value_parser = agent_values(),
        help_heading = "Content",
        group = "shown",
        conflicts_with_all = [
            "format", "visibility", "no_instructions", "mount_path", "events", "expand",
            "max_depth", "exclude", "discover", "source", "no_source", "skills_dir",
        ]
    )]
    pub as_agent: Option<String>,
}

/// How prompts are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum RenderFormat {
    /// XML with every value escaped
    #[default]
    Xml,
    /// Markdown
    Markdown,
    /// JSON document, version 1
    Json,
}

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VisibilityArg {
    /// Descriptions, and whole sections
    Full,
    /// Names, and summaries of sections
    Summary,
}
