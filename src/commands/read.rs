//! `skills read`: one file of a skill.

use std::path::Path;

use anyhow::Result;

use crate::cli::args::ReadFormat;
use crate::cli::exit::{Ending, ExitStatus};
use crate::cli::printer::Printer;
use crate::cli::settings::{ListSettings, ReadSettings, SkillsToList};
use crate::commands::list;
use crate::output::{json, sanitize};
use crate::skills::model::error::{Error, ErrorKind};
use crate::skills::model::source::{Skill, SkillKind};
use crate::skills::show::listing::{self, ListLine};
use crate::skills::show::uri::{PathTrust, SkillFile};

/// Runs the command.
pub fn run(settings: &ReadSettings, printer: &Printer) -> Result<ExitStatus> {
    let (row, list) = find(settings, printer)?;
    let skill = &row.entry.skill;
    let of_skill = |error: Error| {
        let error = skill.in_error(error);
        match skills_directory(skill, list) {
            Some(directory) => error.within(directory),
            None => error,
        }
    };
    let links = match list.what {
        SkillsToList::Sources(_) => PathTrust::Resolved,
        SkillsToList::Discovery(_) => PathTrust::Followed,
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
            printer.text(|out| json::skill_file(out, &settings.uri, name, &file, text))?;
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

/// The skills directory that a skill is in: one that was discovered, or a source that has skills
/// directly in it.
fn skills_directory<'a>(skill: &'a Skill, list: &ListSettings) -> Option<&'a Path> {
    let parent = skill.path.parent().filter(|_| skill.kind() == SkillKind::Directory)?;
    match &list.what {
        SkillsToList::Sources(selection) => {
            selection.roots().iter().flatten().any(|root| root == parent).then_some(parent)
        }
        SkillsToList::Discovery(_) => Some(parent),
    }
}

/// Finds the skill, and the list that has it.
fn find<'a>(settings: &'a ReadSettings, printer: &Printer) -> Result<(ListLine, &'a ListSettings)> {
    let name = &settings.uri.name;
    // Problems of other skills do not matter here.
    let first = list::gather(&settings.list, &Printer::silent());
    let Some(fallback) = &settings.fallback else {
        let row = listing::by_name(&first?.rows, name)?.clone();
        return Ok((row, &settings.list));
    };
    let mut rows = match &first {
        Ok(listing) => listing.rows.clone(),
        Err(_) => Vec::new(),
    };
    let usable = |rows: &[ListLine]| {
        listing::by_name(rows, name).ok().filter(|row| row.unusable.is_none()).cloned()
    };
    if let Some(row) = usable(&rows) {
        return Ok((row, &settings.list));
    }
    let found = list::gather(fallback, &Printer::silent())?.rows;
    if let Ok(row) = listing::by_name(&found, name) {
        if let Err(failure) = first {
            printer.warning(&format!("{failure}"));
        }
        return Ok((row.clone(), fallback));
    }
    first?;
    rows.extend(found);
    Ok((listing::by_name(&rows, name)?.clone(), fallback))
}

fn not_text(file: &SkillFile) -> Error {
    let message =
        format!("`{}` is not UTF-8, so it cannot be written as JSON", file.path.display());
    Error::new(ErrorKind::Io, message).at(&file.path).help("read it without `--format json`")
}
