//! The flags of `skills sync`.

use std::path::PathBuf;

use clap::Args;

use super::{ApplyArgs, DestinationArgs, NetworkArgs, ReadingArgs};

/// `skills sync`
#[derive(Debug, Args)]
#[command(
    after_help = "Installs what the manifest and its skills.lock say, and removes what the same manifest \
    installed before and no longer names.\nLeaves alone what was edited, what others installed, and \
    what is disabled now.\n\n\
    Examples:\n  \
    skills sync                                 use the skills.yaml here\n  \
    skills sync --manifest gh:team/skills@main  use the manifest of a team\n  \
    skills sync --dry-run                       show what would happen\n  \
    skills sync --upgrade                       take new revisions and lock them\n  \
    skills sync --frozen --offline              use the lock and the cache only"
)]
pub struct SyncArgs {
    /// Use this manifest: FILE, or the skills.yaml of gh:OWNER/REPO [default: skills.yaml]
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// Take the newest revision of every source, and write the lock of a local manifest
    #[arg(long, conflicts_with = "frozen")]
    pub upgrade: bool,
    /// Use exactly what skills.lock pins, from the cache if possible
    #[arg(long)]
    pub frozen: bool,
    /// How servers are asked.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Set a manifest parameter (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUE")]
    pub params: Vec<String>,
    /// Expand a section of the manifest (repeatable)
    #[arg(long, value_name = "KEY")]
    pub expand: Vec<String>,
    /// Let the manifest lower rules that find hidden text
    #[arg(long)]
    pub trust_manifest: bool,
    /// Where skills go.
    #[command(flatten)]
    pub destination: DestinationArgs,
    /// How they get there.
    #[command(flatten)]
    pub apply: ApplyArgs,
    /// How skills are read.
    #[command(flatten)]
    pub reading: ReadingArgs,
}
