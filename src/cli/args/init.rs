//! The flags of `skills init` and `skills schema`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `skills init`
#[derive(Debug, Args)]
#[command(
    after_help = "Without --description, it is a placeholder, which `skills validate --strict` refuses.\n\n\
    Examples:\n  \
    skills init pdf-forms               create ./pdf-forms/SKILL.md\n  \
    skills init pdf --template scripts  create a script, too\n  \
    skills init pdf --dir ./skills      create ./skills/pdf/SKILL.md\n  \
    skills init --manifest              create a skills.yaml with all keys"
)]
pub struct InitArgs {
    /// Name of the skill: a-z, 0-9 and single hyphens
    #[arg(required_unless_present = "manifest")]
    pub name: Option<String>,
    /// Write a commented skills.yaml instead of a skill
    #[arg(long, conflicts_with_all = ["name", "description"])]
    pub manifest: bool,
    /// Describe what the skill does and when to use it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub description: Option<String>,
    /// Choose the files of the skill
    #[arg(long, value_enum, value_name = "TEMPLATE", default_value_t, conflicts_with = "manifest")]
    pub template: TemplateArg,
    /// Create the skill's directory in DIR
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
}

/// What a new skill consists of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum TemplateArg {
    /// SKILL.md alone
    #[default]
    Plain,
    /// SKILL.md and a script that it runs
    Scripts,
    /// Short SKILL.md and longer texts that it links to
    References,
}

/// `skills schema`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    skills schema > skills.schema.json       save it for an editor\n  \
    skills schema skill > skill.schema.json  the same for SKILL.md\n  \
    skills init --manifest                   create a skills.yaml")]
pub struct SchemaArgs {
    /// File to describe
    #[arg(value_enum, value_name = "FILE", default_value_t)]
    pub subject: SchemaSubject,
}

/// What a schema describes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum SchemaSubject {
    /// skills.yaml
    #[default]
    Manifest,
    /// Front matter of a SKILL.md
    Skill,
}
