//! The flags of `skills mount` and `skills unmount`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::install::ReadingArgs;
use super::{SelectionArgs, mounted_values};

/// `skills mount`
#[derive(Debug, Args)]
#[command(after_help = "With a command, the home is removed when it ends, and its exit code is \
    passed on: 128+n for a signal, 125 when skills itself failed, 126 or 127 when the command \
    cannot run or is not there. Without one, the home stays until `skills unmount HOME`.\n\n\
    Examples:\n  \
    skills mount ./skills -- claude -p \"review this\"   one run, no other skills\n  \
    HOME=$(skills mount ./skills) || exit              a home for a script\n  \
    eval \"$(skills mount ./skills --format env)\" || exit  all variables\n  \
    skills mount ./skills --agent all --keep -- ./run  look at it afterwards")]
pub struct MountArgs {
    /// Which skills.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// The command to run, after --
    #[arg(last = true, value_name = "COMMAND", help_heading = None)]
    pub command: Vec<OsString>,
    /// For this agent, or all [default: the one that the command is, else claude] (repeatable)
    #[arg(long, value_name = "AGENT", value_parser = mounted_values(), help_heading = "Home")]
    pub agent: Vec<String>,
    /// Make the home here, where nothing is yet [default: below TMPDIR]
    #[arg(long, value_name = "DIR", help_heading = "Home")]
    pub home: Option<PathBuf>,
    /// How the name of a temporary home begins [default: agent-]
    #[arg(long, value_name = "PREFIX", help_heading = "Home", conflicts_with = "home")]
    pub prefix: Option<String>,
    /// Leave the home when the command has ended
    #[arg(long, help_heading = "Home")]
    pub keep: bool,
    /// Link a path of the real home as well (repeatable)
    #[arg(long, value_name = "PATH", help_heading = "Home")]
    pub with: Vec<PathBuf>,
    /// How logins get there
    #[arg(long, value_enum, value_name = "HOW", default_value_t, help_heading = "Home")]
    pub auth: AuthArg,
    /// Even where the agent would see skills of the real home
    #[arg(long, help_heading = "Home")]
    pub allow_host_skills: bool,
    /// Let the manifest choose programs, endpoints and secrets for the agent
    #[arg(long, help_heading = "Home")]
    pub trust_manifest: bool,
    /// How skills are read.
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Write what stays in the prompt to FILE, as `skills render --prompt-only` does
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub prompt: Option<PathBuf>,
    /// What to print, without a command
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: MountFormat,
    /// The shell that --format env is for
    #[arg(long, value_enum, value_name = "SHELL", default_value_t, help_heading = "Output")]
    pub shell: ShellArg,
}

/// How logins get into a home.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum AuthArg {
    /// As links, so that no second copy of a secret is made
    #[default]
    Link,
    /// As copies that only their owner can read
    Copy,
    /// Not at all
    None,
}

/// What is printed about a home.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum MountFormat {
    /// Its path
    #[default]
    Path,
    /// Lines for a shell to evaluate
    Env,
    /// One JSON document, version 1
    Json,
}

/// Shells that --format env knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ShellArg {
    /// sh, bash, zsh and their like
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
    after_help = "Only homes that `skills mount` made are removed, and only when nobody uses \
    them.\n\nExamples:\n  \
    skills unmount \"$HOME_OF_THE_RUN\"\n  \
    skills unmount --stale                  homes whose run was killed\n  \
    skills unmount --stale --older-than 7d  and homes that were forgotten"
)]
pub struct UnmountArgs {
    /// Homes that `skills mount` made
    #[arg(value_name = "HOME", required_unless_present_any = ["stale", "older_than"])]
    pub homes: Vec<PathBuf>,
    /// Remove homes below TMPDIR whose run was killed
    #[arg(long, conflicts_with = "homes")]
    pub stale: bool,
    /// Also homes without a command that are older: 90s, 30m, 12h, 7d
    #[arg(long, value_name = "AGE", requires = "stale", value_parser = age_value)]
    pub older_than: Option<Duration>,
}

fn age_value(text: &str) -> Result<Duration, String> {
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
