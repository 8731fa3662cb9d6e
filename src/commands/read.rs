//! `skills read`: one file of a skill.

use anyhow::Result;

use crate::cli::args::ReadFormat;
use crate::cli::exit::ExitStatus;
use crate::cli::printer::Printer;
use crate::cli::settings::{ReadSettings, SkillsToList};
use crate::commands::list;
use crate::output::{json_v1, sanitize};
use crate::skills::model::error::{Error, ErrorKind};
use crate::skills::show::listing;
use crate::skills::show::uri::{PathTrust, SkillFile};

/// Runs the command.
///
/// # Errors
/// A name or file that is not there, or a path that leaves the skill.
pub fn run(settings: &ReadSettings, printer: &Printer) -> Result<ExitStatus> {
    // What is wrong with other skills is not what was asked.
    let listing = list::gather(&settings.list, &Printer::silent())?;
    let row = listing::by_name(&listing.rows, &settings.uri.name)?;
    let links = match &settings.list.what {
        SkillsToList::Sources(_) => PathTrust::Resolved,
        SkillsToList::Discovery(_) => PathTrust::Followed,
    };
    let file = settings.uri.read(&row.entry.skill, links)?;
    match settings.format {
        ReadFormat::Json => {
            let text = std::str::from_utf8(&file.bytes).map_err(|_| not_text(&file))?;
            let name = &row.entry.skill.name;
            printer.text(|out| json_v1::skill_file(out, &settings.uri, name, &file, text))?;
        }
        ReadFormat::Human if printer.is_terminal() => {
            let text = String::from_utf8_lossy(&file.bytes);
            printer.bytes(sanitize::block(&text).as_bytes())?;
        }
        // Scripts get the exact bytes.
        ReadFormat::Human => printer.bytes(&file.bytes)?,
    }
    Ok(ExitStatus::Success)
}

fn not_text(file: &SkillFile) -> Error {
    let message =
        format!("`{}` is not UTF-8, so it cannot be written as JSON", file.path.display());
    Error::new(ErrorKind::Io, message).at(&file.path).help("read it without `--format json`")
}
