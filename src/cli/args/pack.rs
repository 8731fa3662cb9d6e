//! The flags of `skills pack`.

use std::path::PathBuf;

use clap::Args;

use super::ReportFormat;

/// `skills pack`
#[derive(Debug, Args)]
#[command(
    after_help = "Left out: version control, node_modules, __pycache__, *.pyc, .DS_Store, evals \
    beside the SKILL.md,\nand what .skillignore names, which is read like a .gitignore.\n\n\
    Examples:\n  \
    skills pack ./pdf               makes pdf.skill here\n  \
    skills pack ./skills -o dist    one archive for each skill, in dist/\n  \
    skills install dist/pdf.skill   archives are sources everywhere"
)]
pub struct PackArgs {
    /// Skill directories, or directories to search
    #[arg(value_name = "DIRS", required = true)]
    pub sources: Vec<PathBuf>,
    /// Write to this directory, or, of one skill, to this .skill or .zip file [default: here]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Pack files that are left out otherwise (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Leave these files out (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Pack skills that break rules, but for those of safety
    #[arg(long)]
    pub no_validate: bool,
    /// Replace archives that are different
    #[arg(long)]
    pub force: bool,
    /// How to print what was done
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: ReportFormat,
}
