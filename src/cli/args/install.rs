//! The flags of `skills install`, `skills remove` and `skills verify`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{SelectionArgs, target_values};
use crate::skills::text::size;

/// `skills install`
#[derive(Debug, Args)]
#[command(after_help = "Without --agent, --home and --dir, skills go to ~/.claude/skills.\n\n\
    Examples:\n  \
    skills install ./skills                          all of them, for Claude\n  \
    skills install ./skills --agent codex --dry-run  what would happen, for Codex\n  \
    skills install ./pdf --scope project             into this repository\n  \
    skills install ./skills --home \"$tmp\"            into another home\n  \
    skills install gh:team/skills/pdf@v1.2           from a git repository\n  \
    skills install --frozen                          what skills.lock says\n  \
    skills install ./skills --force                  replace what is different")]
pub struct InstallArgs {
    /// Which skills.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Where they go.
    #[command(flatten)]
    pub destination: DestinationArgs,
    /// How they get there.
    #[command(flatten)]
    pub apply: ApplyArgs,
    /// How skills are read.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How skills are read before they are copied.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Installing")]
pub struct ReadingArgs {
    /// Install skills that break rules, but for those of safety
    #[arg(long)]
    pub no_validate: bool,
    /// Copy what links lead to, when that lies inside the source
    #[arg(long)]
    pub follow_symlinks: bool,
    /// Make copies that nobody can write to
    #[arg(long)]
    pub read_only: bool,
    /// The most one skill may have [default: 10MiB]
    #[arg(long, value_name = "SIZE", value_parser = size_value)]
    pub max_skill_size: Option<u64>,
    /// The most all skills may have together [default: 50MiB]
    #[arg(long, value_name = "SIZE", value_parser = size_value)]
    pub max_total_size: Option<u64>,
    /// Append what was installed to FILE, one JSON object a line (- for standard output)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub events: Option<PathBuf>,
}

/// `skills remove`
#[derive(Debug, Args)]
#[command(
    after_help = "Skills that were edited, or that skills did not install, are refused; with \
    --force they go,\nand a copy of them is kept.\n\nExamples:\n  \
    skills remove pdf                    from ~/.claude/skills\n  \
    skills remove pdf csv --agent codex  from ~/.agents/skills"
)]
pub struct RemoveArgs {
    /// Names of skills
    #[arg(value_name = "NAMES", required = true)]
    pub names: Vec<String>,
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
    skills verify                  what is in ~/.claude/skills, against its record\n  \
    skills verify --format json    for scripts; exit code 1 when anything differs")]
pub struct VerifyArgs {
    /// Names of skills [default: all]
    #[arg(value_name = "NAMES")]
    pub names: Vec<String>,
    /// Where they are.
    #[command(flatten)]
    pub destination: DestinationArgs,
    /// Also compare them with the lock of this manifest [default: that of skills.yaml, if it has one]
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// All that is locked must be there, and be what the lock says
    #[arg(long)]
    pub frozen: bool,
    /// How to print them
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: ReportFormat,
}

/// Where skills are installed.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Destination")]
pub struct DestinationArgs {
    /// Where this agent looks: claude, codex, opencode, … [default: claude] (repeatable)
    #[arg(
        long,
        value_name = "AGENT",
        value_parser = target_values(),
        hide_possible_values = true,
        conflicts_with = "dir"
    )]
    pub agent: Vec<String>,
    /// Of the user, or of the repository that is here
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t, conflicts_with = "dir")]
    pub scope: ScopeArg,
    /// Take this directory for the home
    #[arg(long, value_name = "DIR", conflicts_with = "dir")]
    pub home: Option<PathBuf>,
    /// This skills directory, whatever agent reads it
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Whose skills.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ScopeArg {
    /// The user's, in every project
    #[default]
    User,
    /// Those of the repository around the current directory, else of that directory
    Project,
}

/// What install and remove have in common.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Installing")]
pub struct ApplyArgs {
    /// Say what would happen, and write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Also what is different, edited or from elsewhere; what was edited is kept aside
    #[arg(long)]
    pub force: bool,
    /// Do not wait until everything is on the disk
    #[arg(long)]
    pub no_sync: bool,
    /// Wait at most this long for another run
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "60",
        value_parser = seconds_value,
        allow_negative_numbers = true
    )]
    pub lock_timeout: Duration,
    /// How to print what was done
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: ReportFormat,
}

/// How reports are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// One line a skill
    #[default]
    Human,
    /// One JSON document, version 1
    Json,
}

fn size_value(text: &str) -> Result<u64, String> {
    size::parse(text).ok_or_else(|| "write a size such as 10MiB, 512KB or 1048576".to_owned())
}

fn seconds_value(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.strip_suffix('s').unwrap_or(text).parse().ok();
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "write a number of seconds, such as 30 or 0.5".to_owned())
}
