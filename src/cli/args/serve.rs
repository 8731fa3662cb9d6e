//! The flags of `skills serve`.

use clap::{Args, ValueEnum};

use super::{EventArgs, SelectionArgs};

/// As many characters of a description as Claude Code shows a model, and a few less.
pub const DEFAULT_BUDGET: usize = 4_000;

/// `skills serve`
#[derive(Debug, Clone, Default, Args)]
#[command(after_help = "Examples:\n  \
    skills serve ./skills                        serve a directory\n  \
    skills serve --manifest gh:team/skills@main  serve a team's skills\n  \
    skills serve ./skills --print-config claude  print what to configure\n  \
    skills serve ./skills --http 127.0.0.1:8321  serve HTTP on this machine\n  \
    skills serve ./skills --events used.jsonl    log which skills are used")]
pub struct ServeArgs {
    /// Which skills.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Serve skills nested inside other skills, too
    #[arg(long, help_heading = "Selection")]
    pub nested: bool,
    /// Serve HTTP on this loopback address; the token is in SKILLS_SERVE_TOKEN, else printed
    #[arg(long, value_name = "ADDRESS:PORT", help_heading = "Server")]
    pub http: Option<String>,
    /// Choose where models find the list of skills
    #[arg(long, value_enum, value_name = "WHERE", default_value_t, help_heading = "Server")]
    pub catalog: CatalogArg,
    /// Limit the description or instructions that have this list to N characters
    #[arg(long, value_name = "N", default_value_t = DEFAULT_BUDGET, help_heading = "Server")]
    pub catalog_budget: usize,
    /// Print the configuration of a client for this server, and end
    #[arg(long, value_enum, value_name = "CLIENT", help_heading = "Server")]
    pub print_config: Option<ClientArg>,
    /// What is logged.
    #[command(flatten)]
    pub events: EventArgs,
}

/// Where models find the list of skills.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum CatalogArg {
    /// In the description of the tool open_skill
    #[default]
    Tool,
    /// In the instructions of the server
    Instructions,
    /// Nowhere; open_skill without a name lists them
    Off,
}

impl CatalogArg {
    /// The word of the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Instructions => "instructions",
            Self::Off => "off",
        }
    }
}

/// Clients whose configuration can be printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClientArg {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Visual Studio Code
    Vscode,
    /// Cursor
    Cursor,
    /// Gemini CLI
    Gemini,
    /// OpenCode
    Opencode,
}
