//! `skills schema`: the JSON Schema of `skills.yaml`.

use anyhow::Result;

use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::output::json;
use crate::skills::find::manifest::schema;

/// Runs the command.
///
/// # Errors
/// Those of the stream.
pub fn run(printer: &Printer) -> Result<ExitStatus> {
    printer.text(|out| json::write(out, &schema::schema()))?;
    Ok(ExitStatus::Success)
}
