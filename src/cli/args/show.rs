//! The flags of `skills show`.

use std::path::PathBuf;

use clap::Args;

use super::{DestinationArgs, NetworkArgs, ReportFormat};

/// What the flags of a destination mean here.
const AGENT: &str = "Look only where this agent has its skills, such as codex (repeatable)";
const SCOPE: &str = "Look only in the skills of the user or of the current repository";

/// `skills show`
#[derive(Debug, Args)]
#[command(
    after_help = "A word that is not a path is the name of a skill that agents find on this machine.\n\n\
    Examples:\n  \
    skills show pdf                      show an installed skill\n  \
    skills show pdf --scope project      show the copy in this repository\n  \
    skills show ./skills --only pdf      show one skill of several\n  \
    skills show team/skills@pdf          show it before installing it\n  \
    skills show pdf.skill --diff         show what installing it would change\n  \
    skills show pdf --diff               show what its source has changed\n  \
    skills show pdf --format json        print JSON",
    mut_arg("agent", |agent| agent.help(AGENT)),
    mut_arg("scope", |scope| scope.help(SCOPE)),
)]
pub struct ShowArgs {
    /// Name of a skill on this machine, or a directory, an archive or a git repository
    #[arg(value_name = "NAME|SOURCE")]
    pub skill: PathBuf,
    /// Choose the skill with exactly this name in a source that has several
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// Show a skill of this plugin, if several plugins of a source have it
    #[arg(long, value_name = "NAME")]
    pub plugin: Option<String>,
    /// How servers are asked.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Where to look for a name.
    #[command(flatten)]
    pub destination: DestinationArgs,
    /// Print what differs between the installed skill (-) and its source (+)
    #[arg(long, help_heading = "Output")]
    pub diff: bool,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: ReportFormat,
}
