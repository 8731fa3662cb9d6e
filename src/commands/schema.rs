//! `skills schema`: the JSON Schema of `skills.yaml`, or of a `SKILL.md`.

use anyhow::Result;

use crate::cli::args::SchemaSubject;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::output::json;
use crate::skills::find::manifest;
use crate::skills::judge;

/// Runs the command.
pub fn run(subject: SchemaSubject, printer: &Printer) -> Result<ExitStatus> {
    let schema = match subject {
        SchemaSubject::Manifest => manifest::schema::schema(),
        SchemaSubject::Skill => judge::schema::schema(),
    };
    printer.text(|out| json::write(out, &schema))?;
    Ok(ExitStatus::Success)
}
