//! The flags of `skills validate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{SelectionArgs, judged_agent_values, level_values};

/// `skills validate`
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 no errors; 1 errors, or warnings with --strict; \
    2 validation could not run.\n\n\
    Examples:\n  \
    skills validate                           check skills.yaml, or all below\n  \
    skills validate ./skills --fix            repair errors and warnings\n  \
    skills validate ./pdf --agent copilot     show what Copilot does with it\n  \
    skills validate --watch                   check again whenever a file changes\n  \
    skills validate --changed origin/main     check only skills of this branch\n  \
    skills validate - <SKILL.md               check standard input\n  \
    skills validate --rule broken-link=off    switch one rule off\n  \
    skills validate --format github           annotate a pull request")]
pub struct ValidateArgs {
    /// Which skills.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: FindingsFormat,
    /// Write the chosen format to FILE (not -), and text to the terminal
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Fail on warnings, and report fields outside the specification as errors
    #[arg(long, help_heading = "Rules")]
    pub strict: bool,
    /// Search every file of a skill for secrets, hidden text and dangerous commands
    #[arg(long, help_heading = "Rules")]
    pub deep: bool,
    /// Also report what this agent does with each skill: A,B, all, or mcp for hosts of MCP
    #[arg(
        short,
        long,
        value_name = "AGENT",
        help_heading = "Rules",
        value_delimiter = ',',
        value_parser = judged_agent_values()
    )]
    pub agent: Vec<String>,
    /// Set the level of a rule: off, note, warning or error (repeatable)
    #[arg(
        long = "rule",
        value_name = "ID=LEVEL",
        help_heading = "Rules",
        hide_possible_values = true,
        value_parser = level_values()
    )]
    pub rules: Vec<String>,
    /// Check again whenever a file changes, until Ctrl-C
    #[arg(long, conflicts_with_all = ["fix", "diff", "output", "write_baseline"])]
    pub watch: bool,
    /// Check only skills that changed since BASE [default: since the default branch]
    #[arg(long, value_name = "BASE", num_args = 0..=1, help_heading = "Selection")]
    pub changed: Option<Option<String>>,
    /// Leave out the findings that FILE lists, so that only new ones fail
    #[arg(long, value_name = "FILE", help_heading = "Rules")]
    pub baseline: Option<PathBuf>,
    /// Write all findings to FILE, for --baseline
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Rules",
        conflicts_with_all = ["baseline", "changed", "fix", "diff", "output"]
    )]
    pub write_baseline: Option<PathBuf>,
    /// Repair errors and warnings where the repair is certain; all: notes too
    #[arg(
        long,
        value_name = "all",
        hide_possible_values = true,
        num_args = 0..=1,
        require_equals = true,
        help_heading = "Repairs"
    )]
    pub fix: Option<Option<MoreRepairs>>,
    /// Print what --fix would change, as a diff for patch -p1 or git apply
    #[arg(
        long,
        value_name = "all",
        hide_possible_values = true,
        num_args = 0..=1,
        require_equals = true,
        help_heading = "Repairs",
        conflicts_with_all = ["fix", "output"]
    )]
    pub diff: Option<Option<MoreRepairs>>,
}

/// What is repaired besides errors and warnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MoreRepairs {
    /// Notes: execute bits, the form of allowed-tools
    All,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum FindingsFormat {
    /// Text
    #[default]
    Human,
    /// JSON document, version 1
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// GitHub workflow annotations
    Github,
    /// GitLab Code Quality report
    Gitlab,
    /// JUnit XML
    Junit,
}
