//! The flags of `skills validate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{SelectionArgs, agent_values, level_values};

/// `skills validate`
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 no errors, 1 errors (with --strict: or warnings), \
    2 the check could not be done.\n\n\
    Examples:\n  \
    skills validate                           what skills.yaml names, or all below\n  \
    skills validate ./skills --fix            repair what is safe to repair\n  \
    skills validate ./pdf --agent copilot     what Copilot would do with it\n  \
    skills validate --rule broken-link=off    without one rule\n  \
    skills validate --format github           annotations for a pull request")]
pub struct ValidateArgs {
    /// Which skills.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// How to print findings
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: FindingsFormat,
    /// Write the chosen format to FILE (not -), and human text to the terminal
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Warnings fail too, and fields outside the specification are errors
    #[arg(long, help_heading = "Rules")]
    pub strict: bool,
    /// Also say what this agent would do with each skill (repeatable)
    #[arg(long, value_name = "AGENT", help_heading = "Rules", value_parser = agent_values())]
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
    /// Repair what is safe to repair
    #[arg(long, help_heading = "Repairs")]
    pub fix: bool,
    /// Show what --fix would change, and change nothing
    #[arg(long, help_heading = "Repairs", conflicts_with_all = ["fix", "output"])]
    pub diff: bool,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum FindingsFormat {
    /// For people
    #[default]
    Human,
    /// One JSON document, version 1
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// GitHub workflow annotations
    Github,
    /// JUnit XML
    Junit,
}
