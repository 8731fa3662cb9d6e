//! The flags about events, the same for every verb that writes them.

use std::path::PathBuf;

use clap::Args;

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
