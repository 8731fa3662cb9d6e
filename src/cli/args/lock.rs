//! The flags of `skills lock` and `skills outdated`.

use std::path::PathBuf;

use clap::Args;

use super::ReportFormat;

/// `skills lock`
#[derive(Debug, Args)]
#[command(
    after_help = "A source that is locked stays at its commit until it is upgraded; skills on this disk \
    are locked as they are.\nCommit skills.lock beside skills.yaml: install, mount and validate take \
    what it says,\nand with --frozen nothing else.\n\nExamples:\n  \
    skills lock                  write skills.lock, or add what is missing\n  \
    skills lock --upgrade        take the newest commit of every revision\n  \
    skills lock --upgrade pdf    only of the source that gives pdf\n  \
    skills install --frozen      exactly what is locked"
)]
pub struct LockArgs {
    /// The sources.
    #[command(flatten)]
    pub sources: LockedSourcesArgs,
    /// Take sources as they are now: all, or those that are called or give NAME
    #[arg(long, value_name = "NAME", num_args = 0..)]
    pub upgrade: Option<Vec<String>>,
    /// Say what would change, and write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}

/// `skills outdated`
#[derive(Debug, Args)]
#[command(
    after_help = "Says what `skills lock --upgrade` would change, with the commits between, and \
    writes nothing.\n\nExamples:\n  \
    skills outdated                what an upgrade would bring\n  \
    skills outdated --format json  the same for scripts"
)]
pub struct OutdatedArgs {
    /// The sources.
    #[command(flatten)]
    pub sources: LockedSourcesArgs,
}

/// Which manifest, and how to say what is different.
#[derive(Debug, Clone, Args)]
pub struct LockedSourcesArgs {
    /// The manifest whose sources are meant [default: skills.yaml]
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// Set a parameter of the manifest (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUE")]
    pub params: Vec<String>,
    /// How to print what is different
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: ReportFormat,
}
