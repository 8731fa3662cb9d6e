//! The flags of `skills pack`.

use std::path::PathBuf;

use clap::Args;

use super::{NetworkArgs, ReportFormat};

/// `skills pack`
#[derive(Debug, Args)]
#[command(
    after_help = "Leaves out version control files, node_modules, __pycache__, *.pyc, .DS_Store, \
    evals beside SKILL.md,\nand everything listed in .skillignore (same syntax as .gitignore).\n\n\
    Examples:\n  \
    skills pack ./pdf               create pdf.skill here\n  \
    skills pack ./skills -o dist    create one archive per skill in dist/\n  \
    skills pack ./skills --index w  create the files of a site in w/\n  \
    skills pack ./skills --oci o    write an OCI layout, for registries\n  \
    skills install dist/pdf.skill   install from an archive"
)]
pub struct PackArgs {
    /// Skill directories, or directories to search
    #[arg(value_name = "DIRS", required = true)]
    pub sources: Vec<PathBuf>,
    /// Write to this directory or, for one skill, to this .skill or .zip file [default: .]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Write the files of a site that publishes these skills: index.json and artifacts
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    pub index: Option<PathBuf>,
    /// Write all skills to this directory as an OCI image layout
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "index"])]
    pub oci: Option<PathBuf>,
    /// Pack only the skills of this plugin (repeatable, or A,B)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub plugin: Vec<String>,
    /// Include files that are left out by default (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Leave out files that match (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Include skills nested inside other skills
    #[arg(long)]
    pub nested: bool,
    /// Skip all rules except the safety rules
    #[arg(long)]
    pub no_validate: bool,
    /// Replace archives or a layout that differ
    #[arg(long)]
    pub force: bool,
    /// How servers are asked.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: ReportFormat,
}
