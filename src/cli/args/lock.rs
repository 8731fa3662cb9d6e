//! The flags of `skills lock` and `skills outdated`.

use std::path::PathBuf;

use clap::Args;

use super::{DestinationArgs, NetworkArgs, ReportFormat};

/// `skills lock`
#[derive(Debug, Args)]
#[command(
    after_help = "A locked source stays at its commit until --upgrade; local skills are locked as they \
    are.\nCommit skills.lock with skills.yaml. Commands that read skills.yaml use it; `skills \
    install --frozen` allows nothing else.\n\nExamples:\n  \
    skills lock                  write skills.lock, or add what is missing\n  \
    skills lock --upgrade        lock the newest commit of every source\n  \
    skills lock --upgrade pdf    upgrade only the source of pdf\n  \
    skills install --frozen      install exactly what is locked"
)]
pub struct LockArgs {
    /// The sources.
    #[command(flatten)]
    pub sources: LockedSourcesArgs,
    /// Upgrade all sources, or only those that are named NAME or provide skill NAME
    #[arg(long, value_name = "NAME", num_args = 0..)]
    pub upgrade: Option<Vec<String>>,
    /// Show what would change, and write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}

/// `skills outdated`
#[derive(Debug, Args)]
#[command(
    after_help = "Lists the commits since the locked or installed ones, and writes nothing. Without a \
    skills.yaml here, or with --agent, --scope, --home or --dir, it reports on installed skills, \
    like `skills update --dry-run`.\n\nExamples:\n  \
    skills outdated                show what an upgrade would change\n  \
    skills outdated --agent codex  show which skills of Codex are outdated\n  \
    skills outdated --format json  print JSON",
    mut_arg("agent", |agent| agent.help("Look at the skills of this agent only (repeatable)")),
)]
pub struct OutdatedArgs {
    /// The sources.
    #[command(flatten)]
    pub sources: LockedSourcesArgs,
    /// Where installed skills are.
    #[command(flatten)]
    pub destination: DestinationArgs,
}

/// Which manifest, and how to say what is different.
#[derive(Debug, Clone, Args)]
pub struct LockedSourcesArgs {
    /// Read the sources from this manifest, a file or gh:OWNER/REPO [default: skills.yaml]
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// Set a manifest parameter (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUE")]
    pub params: Vec<String>,
    /// How servers are asked.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: ReportFormat,
}
