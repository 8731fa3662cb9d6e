//! Which skills a command works on: sources or a manifest, then filters.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::skills::error::{Error, ErrorKind, Result};
use crate::skills::name::SkillName;
use crate::skills::scan::{self, Read, Scan, ScanOptions};
use crate::skills::similar;
use crate::skills::source::Source;

/// One thing a user named, and what to call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The path, relative to the current directory or absolute.
    pub path: PathBuf,
    /// The name it gets; promises that it is one skill.
    pub name: Option<SkillName>,
}

/// Everything that decides which skills are meant.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// What to look at.
    pub requests: Vec<Request>,
    /// How to scan.
    pub scan: ScanOptions,
}

impl Selection {
    /// The directories that were named, where nothing else will do.
    ///
    /// # Errors
    /// A source that cannot be read, or that is a file.
    pub fn directories(&self) -> Result<Vec<PathBuf>> {
        let directory = |request: &Request| match Source::resolve(&request.path)? {
            Source::Directory(path) => Ok(path),
            Source::File(path) => {
                let message = format!("`{}` is a file, not a skills directory", path.display());
                let error = Error::new(ErrorKind::NotDirectory, message).at(path);
                Err(error.help("with `--agent`, name directories of skills"))
            }
        };
        self.requests.iter().map(directory).collect()
    }
}

/// Finds the skills that are meant, and reads them.
///
/// # Errors
/// A source that cannot be read, no skill at all, or a name that is not there.
pub fn select<R: Send>(selection: &Selection, read: &impl Read<R>) -> Result<Scan<R>> {
    let mut sources = Vec::new();
    for request in &selection.requests {
        sources.push((Source::resolve(&request.path)?, request.name.clone()));
    }
    let mut found = scan::scan(&sources, &selection.scan, read)?;
    if found.names.is_empty() {
        return Err(found.unreadable.pop().unwrap_or_else(|| nothing_found(selection)));
    }
    require(&selection.scan.only, &found.names)?;
    if found.skills.is_empty() {
        let message = format!("no skill matches the filters, of {} found", found.names.len());
        return Err(Error::new(ErrorKind::Usage, message).help(list(&found.names)));
    }
    Ok(found)
}

/// Checks that every name a user asked for is there.
///
/// # Errors
/// The first that is not, with those that are.
pub fn require(wanted: &[String], available: &BTreeSet<String>) -> Result<()> {
    match wanted.iter().find(|name| !available.contains(*name)) {
        Some(missing) => Err(unknown_name(missing, available)),
        None => Ok(()),
    }
}

fn nothing_found(selection: &Selection) -> Error {
    let paths: Vec<String> =
        selection.requests.iter().map(|request| format!("`{}`", request.path.display())).collect();
    let message = if paths.is_empty() {
        "the manifest names no skills".to_owned()
    } else {
        format!("no skill in {}", paths.join(", "))
    };
    let error = Error::new(ErrorKind::MissingSkillMd, message)
        .help("a skill is a directory with a `SKILL.md`; `skills init NAME` makes one");
    match selection.requests.as_slice() {
        [only] => error.at(&only.path),
        _ => error,
    }
}

fn unknown_name(wanted: &str, available: &BTreeSet<String>) -> Error {
    let error = Error::new(ErrorKind::NotFound, format!("no skill named `{wanted}`"));
    match similar::nearest(wanted, available.iter().map(String::as_str)) {
        Some(near) => error.help(format!("did you mean `{near}`? {}", list(available))),
        None => error.help(list(available)),
    }
}

fn list(available: &BTreeSet<String>) -> String {
    if available.is_empty() {
        return "there are no skills at all".to_owned();
    }
    const SHOWN: usize = 20;
    let names: Vec<&str> = available.iter().take(SHOWN).map(String::as_str).collect();
    let more = available.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("available: {}{rest}", names.join(", "))
}
