//! The flags of `skills push`.

use clap::Args;

use super::install::size_value;
use super::{ReportFormat, SelectionArgs};

/// What stands before the sources in the help of this command.
const USAGE: &str = "skills push [OPTIONS] [SOURCES]... oci://HOST/REPO[:TAG]";

/// `skills push`
#[derive(Debug, Args)]
#[command(
    override_usage = USAGE,
    after_help = "A skill that you name goes to REPO, skills that are found go to REPO/NAME. Several \
    also make a\ncollection in REPO. Tags: metadata.version, else the start of the digest, and \
    latest.\nPushing again uploads nothing. An OCI layout or an oci:// source is copied as it is,\n\
    with its signatures.\n\n\
    Logins come from Docker's configuration and credential helpers, or from\n\
    SKILLS_REGISTRY_TOKEN=HOST=USER:PASSWORD.\n\nExamples:\n  \
    skills push ./pdf oci://ghcr.io/team/pdf        publish one skill\n  \
    skills push ./skills oci://ghcr.io/team/all     publish all skills\n  \
    skills push ./skills oci://ghcr.io/team/all -n  show what would go\n  \
    skills push ./layout oci://ghcr.io/team/all     copy a layout\n  \
    skills install oci://ghcr.io/team/all           install them",
    mut_arg("sources", |sources| sources
        .help("Skills or directories to search [default: skills.yaml], then oci://HOST/REPO[:TAG]")
        .required(true)),
)]
pub struct PushArgs {
    /// Which skills, and where they go.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Name the collection [default: the last part of REPO]
    #[arg(long, value_name = "NAME", help_heading = "Publishing")]
    pub collection: Option<String>,
    /// Add an annotation to every skill, such as its source (repeatable)
    #[arg(long = "annotation", value_name = "KEY=VALUE", help_heading = "Publishing")]
    pub annotations: Vec<String>,
    /// Move version tags that name other content
    #[arg(long, help_heading = "Publishing")]
    pub force: bool,
    /// Show what would be uploaded, and upload nothing
    #[arg(short = 'n', long, help_heading = "Publishing")]
    pub dry_run: bool,
    /// Include skills nested inside other skills
    #[arg(long, help_heading = "Publishing")]
    pub nested: bool,
    /// Fail if any skill would be skipped
    #[arg(long, help_heading = "Publishing")]
    pub no_skip: bool,
    /// Skip all rules except the safety rules
    #[arg(long, help_heading = "Publishing")]
    pub no_validate: bool,
    /// Maximum size of one skill [default: 10MiB]
    #[arg(long, value_name = "SIZE", value_parser = size_value, help_heading = "Publishing")]
    pub max_skill_size: Option<u64>,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: ReportFormat,
}
