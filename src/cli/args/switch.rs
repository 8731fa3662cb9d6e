//! The flags of `skills disable` and `skills enable`.

use std::time::Duration;

use clap::Args;

use super::install::seconds_value;
use super::{DestinationArgs, ReportFormat};

/// Without `--agent`, all agents are meant.
const AGENT: &str =
    "Use the skills directory of this agent, such as codex [default: all] (repeatable)";

/// `skills disable`
#[derive(Debug, Args)]
#[command(
    mut_arg("agent", |agent| agent.help(AGENT)),
    after_help = "A disabled skill waits in .skills-disabled, beside its skills directory. It keeps \
    its edits and its record.\n\nExamples:\n  \
    skills disable pdf          disable it for all agents\n  \
    skills disable 'team-*' -n  show what a glob would disable\n  \
    skills enable pdf           bring it back"
)]
pub struct DisableArgs {
    /// Which skills, and where.
    #[command(flatten)]
    pub switch: SwitchArgs,
}

/// `skills enable`
#[derive(Debug, Args)]
#[command(mut_arg("agent", |agent| agent.help(AGENT)), after_help = "Examples:\n  \
    skills enable pdf  bring it back for all agents\n  \
    skills enable '*'  bring all disabled skills back")]
pub struct EnableArgs {
    /// Which skills, and where.
    #[command(flatten)]
    pub switch: SwitchArgs,
}

/// What both have in common.
#[derive(Debug, Clone, Args)]
pub struct SwitchArgs {
    /// Names of skills, or globs such as 'team-*'
    #[arg(value_name = "NAMES", required = true)]
    pub names: Vec<String>,
    /// Where they are.
    #[command(flatten)]
    pub destination: DestinationArgs,
    /// Show what would happen, and write nothing
    #[arg(short = 'n', long, help_heading = "Behaviour")]
    pub dry_run: bool,
    /// Wait at most this long for another run to finish
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "60",
        value_parser = seconds_value,
        allow_negative_numbers = true,
        help_heading = "Behaviour"
    )]
    pub lock_timeout: Duration,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: ReportFormat,
}
