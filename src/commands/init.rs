//! `skills init`: a new skill that validates clean.

use anyhow::Result;

use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::settings::Init;
use crate::output::sanitize;
use crate::skills::error::{Error, ErrorKind};
use crate::skills::finding::Severity;
use crate::skills::scaffold;
use crate::skills::validate::{Options, check_text};

/// Runs the command.
///
/// # Errors
/// A description that would not validate, or a directory that cannot be made.
pub fn run(settings: &Init, printer: &Printer) -> Result<ExitStatus> {
    let description = settings.description.as_deref();
    let text = scaffold::skill_md(&settings.name, description)?;
    let problem = check_text(settings.name.as_str(), &text, &Options::default())
        .into_iter()
        .find(|finding| finding.severity >= Severity::Warning);
    if let Some(finding) = problem {
        let error = Error::new(ErrorKind::Usage, finding.message);
        return Err(error.help(finding.help.unwrap_or_default()).into());
    }
    let file = scaffold::create(&settings.parent, &settings.name, &text)?;
    let path = file.display().to_string();
    printer.results(|out| writeln!(out, "{}", sanitize::line(&path)))?;
    Ok(ExitStatus::Success)
}
