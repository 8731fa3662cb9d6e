//! `skills init`: a new skill that validates clean, or a manifest to start from.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cli::args::{InitArgs, TemplateArg};
use crate::cli::context::Context;
use crate::cli::exit::ExitStatus;
use crate::output::sanitize;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::Severity;
use crate::skills::judge::validate::check_text;
use crate::skills::model::error::{Error, ErrorKind, err};
use crate::skills::model::name::{self, SkillName};
use crate::skills::publish::new::{self, SkillTemplate};

/// Runs the command.
pub fn run(args: &InitArgs, context: &Context) -> Result<ExitStatus> {
    let template = match args.template {
        TemplateArg::Plain => SkillTemplate::Plain,
        TemplateArg::Scripts => SkillTemplate::Scripts,
        TemplateArg::References => SkillTemplate::References,
    };
    let file = match &args.name {
        Some(name) => skill(&valid(name)?, template, args.description.as_deref(), &args.dir)?,
        None => new::create_manifest(&args.dir)?,
    };
    let path = file.display().to_string();
    context.printer.text(|out| writeln!(out, "{}", sanitize::line(&path)))?;
    Ok(ExitStatus::Success)
}

fn valid(text: &str) -> Result<SkillName, Error> {
    SkillName::new(text).map_err(|error| {
        let failure = err!(Usage, "`{text}` is not a valid skill name: {error}");
        match name::suggest(text) {
            Some(better) => failure.help(format!("try `skills init {better}`")),
            None => failure,
        }
    })
}

fn skill(
    name: &SkillName,
    template: SkillTemplate,
    description: Option<&str>,
    parent: &Path,
) -> Result<PathBuf> {
    // Check the `SKILL.md` alone: only the description can be wrong, and other files do not exist
    // yet.
    let plain = new::skill_md(name, description, SkillTemplate::Plain)?;
    let problem = check_text(name.as_str(), &plain, &JudgeOptions::default())
        .into_iter()
        .find(|finding| finding.severity >= Severity::Warning);
    if let Some(finding) = problem {
        let error = Error::new(ErrorKind::Usage, finding.message);
        return Err(error.help(finding.help.unwrap_or_default()).into());
    }
    let text = new::skill_md(name, description, template)?;
    Ok(new::create(parent, name, &text, template)?)
}
