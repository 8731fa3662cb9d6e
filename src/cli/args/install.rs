//! The flags of `skills install`, `skills remove` and `skills verify`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{EventArgs, NetworkArgs, SelectionArgs, target_values};
use crate::skills::text::size;

/// `skills install`
#[derive(Debug, Args)]
#[command(after_help = "Without --agent, --home and --dir, skills go to ~/.claude/skills.\n\n\
    Examples:\n  \
    skills install ./skills                          install all, for Claude\n  \
    skills install ./skills --agent codex --dry-run  show the plan for Codex\n  \
    skills install ./pdf --scope project             use this repository\n  \
    skills install ./skills --home \"$tmp\"            use another home\n  \
    skills install team/skills@pdf                   fetch one skill from GitHub\n  \
    skills install gh:team/skills/pdf@v1.2           fetch a path and a revision\n  \
    skills install ./pdf --link                      link to a skill in progress\n  \
    skills install --frozen                          use skills.lock\n  \
    skills install ./skills --force                  replace what differs")]
pub struct InstallArgs {
    /// Which skills.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Give the only skill of SOURCES this name
    #[arg(long, value_name = "NAME", help_heading = "Installing")]
    pub name: Option<String>,
    /// Where they go.
    #[command(flatten)]
    pub destination: DestinationArgs,
    /// How they get there.
    #[command(flatten)]
    pub apply: ApplyArgs,
    /// Link to the skills instead of copying them, for writing them
    #[arg(
        long,
        help_heading = "Installing",
        conflicts_with_all = ["frozen", "read_only", "follow_symlinks"]
    )]
    pub link: bool,
    /// How skills are read.
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Let the manifest lower rules that find hidden text
    #[arg(long, help_heading = "Behaviour")]
    pub trust_manifest: bool,
}

/// How skills are read before they are copied.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Installing")]
pub struct ReadingArgs {
    /// Include skills nested inside other skills
    #[arg(long)]
    pub nested: bool,
    /// Fail if any skill would be skipped
    #[arg(long)]
    pub no_skip: bool,
    /// Fail on any error that `skills validate` reports
    #[arg(long, conflicts_with = "no_validate")]
    pub strict: bool,
    /// Skip all rules except the safety rules
    #[arg(long)]
    pub no_validate: bool,
    /// Copy the targets of links that stay inside the source
    #[arg(long)]
    pub follow_symlinks: bool,
    /// Make the copies read-only
    #[arg(long)]
    pub read_only: bool,
    /// Maximum size of one skill [default: 10MiB]
    #[arg(long, value_name = "SIZE", value_parser = size_value)]
    pub max_skill_size: Option<u64>,
    /// Maximum size of all skills together [default: 50MiB]
    #[arg(long, value_name = "SIZE", value_parser = size_value)]
    pub max_total_size: Option<u64>,
    /// What is logged.
    #[command(flatten)]
    pub events: EventArgs,
}

/// `--force` replaces nothing here.
const REMOVE_FORCE: &str =
    "Remove skills that were edited or come from elsewhere, and keep a backup";

/// `skills remove`
#[derive(Debug, Args)]
#[command(
    after_help = "Refuses skills that were edited or that skills did not install; --force removes \
    them and keeps a backup.\n\nExamples:\n  \
    skills remove pdf                    remove it from ~/.claude/skills\n  \
    skills remove pdf csv --agent codex  remove both from ~/.agents/skills\n  \
    skills remove pdf --agent all        remove it for every agent\n  \
    skills remove 'team-*' --dry-run     show what a glob would remove\n  \
    skills remove --all                  remove all that skills installed there",
    mut_arg("force", |force| force.help(REMOVE_FORCE)),
)]
pub struct RemoveArgs {
    /// Names of installed skills, or globs such as 'team-*'
    #[arg(value_name = "NAMES", required_unless_present = "all")]
    pub names: Vec<String>,
    /// Remove all skills that skills installed there
    #[arg(long, conflicts_with = "names")]
    pub all: bool,
    /// Where they are.
    #[command(flatten)]
    pub destination: DestinationArgs,
    /// How they go.
    #[command(flatten)]
    pub apply: ApplyArgs,
}

/// `skills verify`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    skills verify                  check ~/.claude/skills against its record\n  \
    skills verify --format json    print JSON; exit code 1 if anything differs")]
pub struct VerifyArgs {
    /// Names of installed skills [default: all]
    #[arg(value_name = "NAMES")]
    pub names: Vec<String>,
    /// Where they are.
    #[command(flatten)]
    pub destination: DestinationArgs,
    /// Also compare with the lock of this manifest [default: skills.yaml, if it has a lock]
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// Require every locked skill to be installed exactly as locked
    #[arg(long)]
    pub frozen: bool,
    /// How servers are asked.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: ReportFormat,
}

/// Where skills are installed.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Destination")]
pub struct DestinationArgs {
    /// Use the skills directory of this agent: codex, A,B or all [default: claude]
    #[arg(
        short,
        long,
        value_name = "AGENT",
        value_delimiter = ',',
        value_parser = target_values(),
        hide_possible_values = true,
        conflicts_with = "dir"
    )]
    pub agent: Vec<String>,
    /// Use the skills directory of the user or of the current repository [default: user]
    #[arg(long, value_enum, value_name = "SCOPE", conflicts_with = "dir")]
    pub scope: Option<ScopeArg>,
    /// Use the skills directory of the user, as --scope user
    #[arg(short, long, conflicts_with = "dir")]
    pub global: bool,
    /// Use DIR as the home directory
    #[arg(long, value_name = "DIR", conflicts_with = "dir")]
    pub home: Option<PathBuf>,
    /// Use DIR as the skills directory, whichever agent reads it
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

impl DestinationArgs {
    /// The scope that is chosen, with either flag.
    pub fn scope(&self) -> Option<ScopeArg> {
        if self.global { Some(ScopeArg::User) } else { self.scope }
    }
}

/// Whose skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScopeArg {
    /// The user, in every project
    User,
    /// The current git repository, or the current directory outside of one
    Project,
}

/// What install and remove have in common.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Behaviour")]
pub struct ApplyArgs {
    /// Show what would happen, and write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Replace skills that differ, were edited or come from elsewhere; back up edited ones
    #[arg(long)]
    pub force: bool,
    /// Accept this flag from scripts for other installers; skills never asks
    #[arg(short, long)]
    pub yes: bool,
    /// Do not wait until the files have reached the disk
    #[arg(long)]
    pub no_sync: bool,
    /// Wait at most this long for another run to finish
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "60",
        value_parser = seconds_value,
        allow_negative_numbers = true
    )]
    pub lock_timeout: Duration,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: ReportFormat,
}

/// How reports are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Text, one line per skill
    #[default]
    Human,
    /// JSON document, version 1
    Json,
}

pub(super) fn size_value(text: &str) -> Result<u64, String> {
    size::parse(text).ok_or_else(|| "write a size such as 10MiB, 512KB or 1048576".to_owned())
}

pub(super) fn seconds_value(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.strip_suffix('s').unwrap_or(text).parse().ok();
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "write a number of seconds, such as 30 or 0.5".to_owned())
}
