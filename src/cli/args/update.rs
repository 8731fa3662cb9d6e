//! The flags of `skills update`.

use clap::Args;

use super::{ApplyArgs, DestinationArgs, NetworkArgs};

/// Here an agent, a scope or a home only narrows or widens what is looked at.
const AGENT: &str = "Update the skills of this agent only [default: all] (repeatable)";
const SCOPE: &str = "Update the user's skills, or those of the current repository as well";
const FORCE: &str = "Replace edited skills too, and keep a backup";

/// `skills update`
#[derive(Debug, Args)]
#[command(
    after_help = "Asks for every installed skill where it came from, as it was requested. Edited skills, and \
    skills that are gone there, stay as they are.\nExit code 1: something is edited, unsafe or \
    refused (with --check: or outdated). Exit code 2: a source cannot be read.\n\nExamples:\n  \
    skills update                   bring all installed skills up to date\n  \
    skills update --dry-run --diff  show what would change\n  \
    skills update pdf --force       replace an edited copy\n  \
    skills update --scope project   update this repository's skills as well\n  \
    skills update --check           exit with 1 if something is outdated\n  \
    skills update --undo            take the last update back",
    mut_arg("agent", |agent| agent.help(AGENT)),
    mut_arg("scope", |scope| scope.help(SCOPE)),
    mut_arg("force", |force| force.help(FORCE)),
)]
pub struct UpdateArgs {
    /// Names of installed skills [default: all]
    #[arg(value_name = "NAMES")]
    pub names: Vec<String>,
    /// Exit with 1 if something is outdated, and write nothing
    #[arg(long, conflicts_with = "undo", help_heading = "Behaviour")]
    pub check: bool,
    /// Show the changes line by line
    #[arg(long, conflicts_with = "undo", help_heading = "Output")]
    pub diff: bool,
    /// Remove skills that their sources do not have any more
    #[arg(long, conflicts_with = "undo", help_heading = "Behaviour")]
    pub prune: bool,
    /// Take the last update back
    #[arg(long, help_heading = "Behaviour")]
    pub undo: bool,
    /// How servers are asked.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Where they are.
    #[command(flatten)]
    pub destination: DestinationArgs,
    /// How they are replaced.
    #[command(flatten)]
    pub apply: ApplyArgs,
}
