//! The flags of `skills mount` and `skills unmount`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::install::ReadingArgs;
use super::{SelectionArgs, target_values};

/// `skills mount`
#[derive(Debug, Args)]
#[command(
    after_help = "With a command, skills removes the home when the command ends and returns its \
    exit code: 128+n after signal n, 125 if skills itself fails, 126 if the command cannot run, \
    127 if it is not found. Without a command, the home stays until `skills unmount HOME`.\n\n\
    Examples:\n  \
    skills mount ./skills -- claude -p \"review this\"   run Claude with only these\n  \
    HOME=$(skills mount ./skills) || exit              make a home for a script\n  \
    eval \"$(skills mount ./skills --format env)\" || exit  set all variables\n  \
    skills mount ./skills --agent all --keep -- ./run  keep the home"
)]
pub struct MountArgs {
    /// Which skills.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Command to run, after --
    #[arg(last = true, value_name = "COMMAND", help_heading = None)]
    pub command: Vec<OsString>,
    /// Give the only skill of SOURCES this name
    #[arg(long, value_name = "NAME", help_heading = "Installing")]
    pub name: Option<String>,
    /// Mount for this agent: A,B or all [default: the agent in COMMAND, else claude]
    #[arg(
        short,
        long,
        value_name = "AGENT",
        value_parser = target_values(),
        value_delimiter = ',',
        hide_possible_values = true,
        help_heading = "Home"
    )]
    pub agent: Vec<String>,
    /// Create a home without skills
    #[arg(long, help_heading = "Home", conflicts_with_all = ["sources", "manifest"])]
    pub empty: bool,
    /// Create the home in DIR, which must be absent or empty [default: below TMPDIR]
    #[arg(long, value_name = "DIR", help_heading = "Home")]
    pub home: Option<PathBuf>,
    /// Start the name of a temporary home with PREFIX [default: agent-]
    #[arg(long, value_name = "PREFIX", help_heading = "Home", conflicts_with = "home")]
    pub prefix: Option<String>,
    /// Keep the home after the command ends
    #[arg(long, help_heading = "Home")]
    pub keep: bool,
    /// Link another path of the real home (repeatable)
    #[arg(long, value_name = "PATH", help_heading = "Home")]
    pub with: Vec<PathBuf>,
    /// Choose how to provide logins
    #[arg(long, value_enum, value_name = "HOW", default_value_t, help_heading = "Home")]
    pub auth: AuthArg,
    /// Run even if the agent can see skills of the real home
    #[arg(long, help_heading = "Home")]
    pub allow_host_skills: bool,
    /// Let the manifest set variables that choose programs, endpoints and secrets
    #[arg(long, help_heading = "Home")]
    pub trust_manifest: bool,
    /// Do without KEY of the manifest's isolation block (repeatable)
    #[arg(long, value_name = "KEY", help_heading = "Home")]
    pub ignore_isolation: Vec<String>,
    /// How skills are read.
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Write the output of `skills render --prompt-only` to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub prompt: Option<PathBuf>,
    /// Output format when no command is given
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: MountFormat,
    /// Shell for --format env
    #[arg(long, value_enum, value_name = "SHELL", default_value_t, help_heading = "Output")]
    pub shell: ShellArg,
}

/// How logins get into a home.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum AuthArg {
    /// Link the files, so that no secret is copied
    #[default]
    Link,
    /// Copy the files, readable only by the owner
    Copy,
    /// Provide no logins
    None,
}

/// What is printed about a home.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum MountFormat {
    /// Path of the home
    #[default]
    Path,
    /// Shell commands that set the environment
    Env,
    /// JSON document, version 1
    Json,
}

/// Shells that --format env knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ShellArg {
    /// sh, bash, zsh and similar
    #[default]
    Sh,
    /// fish
    Fish,
    /// PowerShell
    Powershell,
}

/// `skills unmount`
#[derive(Debug, Args)]
#[command(
    after_help = "Removes only homes that `skills mount` created and that are not in use.\n\nExamples:\n  \
    skills unmount \"$HOME_OF_THE_RUN\"\n  \
    skills unmount --stale                  clean up after killed runs\n  \
    skills unmount --stale --older-than 7d  and remove forgotten homes"
)]
pub struct UnmountArgs {
    /// Homes created by `skills mount`
    #[arg(value_name = "HOME", required_unless_present_any = ["stale", "older_than"])]
    pub homes: Vec<PathBuf>,
    /// Remove homes below TMPDIR whose run was killed
    #[arg(long, conflicts_with = "homes")]
    pub stale: bool,
    /// Also remove homes mounted without a command before AGE: 90s, 30m, 12h, 7d
    #[arg(long, value_name = "AGE", requires = "stale", value_parser = age_value)]
    pub older_than: Option<Duration>,
}

pub(super) fn age_value(text: &str) -> Result<Duration, String> {
    let wrong = || "write an age such as 90s, 30m, 12h or 7d".to_owned();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = text[..digits].parse().map_err(|_| wrong())?;
    let unit = match &text[digits..] {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return Err(wrong()),
    };
    number.checked_mul(unit).map(Duration::from_secs).ok_or_else(wrong)
}
