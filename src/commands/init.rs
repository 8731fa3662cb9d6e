//! `skills init`: a new skill that validates clean, or a manifest to start from.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::settings::{InitSettings, InitTarget};
use crate::output::sanitize;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::Severity;
use crate::skills::judge::validate::check_text;
use crate::skills::model::error::{Error, ErrorKind};
use crate::skills::model::name::SkillName;
use crate::skills::publish::new::{self, SkillTemplate};

/// Runs the command.
pub fn run(settings: &InitSettings, printer: &Printer) -> Result<ExitStatus> {
    let file = match &settings.what {
        InitTarget::Skill(name, template, description) => {
            skill(name, *template, description.as_deref(), &settings.parent)?
        }
        InitTarget::Manifest => new::create_manifest(&settings.parent)?,
    };
    let path = file.display().to_string();
    printer.text(|out| writeln!(out, "{}", sanitize::line(&path)))?;
    Ok(ExitStatus::Success)
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
