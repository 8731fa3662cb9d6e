//! `skills read`: one file of a skill.

use anyhow::Result;

use crate::cli::args::ReadFormat;
use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::printer::Printer;
use crate::cli::settings::{ListSettings, ReadSettings, SkillsToList};
use crate::commands::list;
use crate::output::{json_v1, sanitize};
use crate::skills::model::error::{Error, ErrorKind};
use crate::skills::model::source::SkillKind;
use crate::skills::show::listing::{self, ListLine};
use crate::skills::show::uri::{PathTrust, SkillFile};

/// Runs the command.
pub fn run(settings: &ReadSettings, printer: &Printer) -> Result<ExitStatus> {
    let (row, links) = find(settings, printer)?;
    let skill = &row.entry.skill;
    let of_skill = |error: Error| {
        let error = skill.in_error(error);
        match skill.path.parent().filter(|_| skill.kind() == SkillKind::Directory) {
            Some(parent) => error.within(parent),
            None => error,
        }
    };
    let file = settings.uri.read(skill, links).map_err(of_skill)?;
    if let Some(why) = &row.unusable {
        let refusal = why.refusal(&skill.name, &skill.path, skill.kind(), "read");
        return Err(Ending::refused(of_skill(refusal)).into());
    }
    match settings.format {
        ReadFormat::Json => {
            let text = std::str::from_utf8(&file.bytes).map_err(|_| of_skill(not_text(&file)))?;
            let name = &skill.name;
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

/// Finds the skill, and how its path was found.
fn find(settings: &ReadSettings, printer: &Printer) -> Result<(ListLine, PathTrust)> {
    let trust = |list: &ListSettings| match &list.what {
        SkillsToList::Sources(_) => PathTrust::Resolved,
        SkillsToList::Discovery(_) => PathTrust::Followed,
    };
    let name = &settings.uri.name;
    // Problems of other skills do not matter here.
    let first = list::gather(&settings.list, &Printer::silent());
    let Some(fallback) = &settings.fallback else {
        let row = listing::by_name(&first?.rows, name)?.clone();
        return Ok((row, trust(&settings.list)));
    };
    let mut rows = match &first {
        Ok(listing) => listing.rows.clone(),
        Err(_) => Vec::new(),
    };
    let usable = |rows: &[ListLine]| {
        listing::by_name(rows, name).ok().filter(|row| row.unusable.is_none()).cloned()
    };
    if let Some(row) = usable(&rows) {
        return Ok((row, trust(&settings.list)));
    }
    let found = list::gather(fallback, &Printer::silent())?.rows;
    if let Ok(row) = listing::by_name(&found, name) {
        if let Err(failure) = first {
            printer.warning(&format!("{failure}"));
        }
        return Ok((row.clone(), trust(fallback)));
    }
    first?;
    rows.extend(found);
    Ok((listing::by_name(&rows, name)?.clone(), trust(fallback)))
}

fn not_text(file: &SkillFile) -> Error {
    let message =
        format!("`{}` is not UTF-8, so it cannot be written as JSON", file.path.display());
    Error::new(ErrorKind::Io, message).at(&file.path).help("read it without `--format json`")
}
