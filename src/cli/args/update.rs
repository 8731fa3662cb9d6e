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
    after_help = "Asks the source of every installed skill for it again, as it was requested. Skills that were \
    edited, or that their source no longer has, stay as they are.\nExit code 1: a skill was edited or \
    its new version is refused; with --check, also if one is outdated. Exit code 2: a source cannot \
    be read.\n\nExamples:\n  \
    skills update                   bring all installed skills up to date\n  \
    skills update --dry-run --diff  show what would change\n  \
    skills update pdf --force       replace an edited copy\n  \
    skills update --scope project   update this repository's skills as well\n  \
    skills update --check           exit with 1 if something is outdated\n  \
    skills update --undo            undo the last update",
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
    /// Remove skills that their sources no longer have
    #[arg(long, conflicts_with = "undo", help_heading = "Behaviour")]
    pub prune: bool,
    /// Undo the last update
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
