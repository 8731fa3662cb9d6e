//! What installing, removing and verifying did or found, for people.

use std::io::{self, Write};
use std::path::Path;

use anstyle::Style;

use super::columns::{cut, grouped, pad, width};
use super::styles::{BOLD, DIM, GREEN, RED, YELLOW};
use super::{count, paths, sanitize};
use crate::skills::install::tree::Differences;
use crate::skills::install::verify::{State, Verified};
use crate::skills::install::{Done, Outcome};
use crate::skills::pack::place::Placed;

/// Paths of one sort that are named before they are only counted.
const NAMED: usize = 3;

/// How it looks.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Paths below this directory are relative.
    pub directory: &'a Path,
    /// Paths below the home start with `~`.
    pub home: Option<&'a Path>,
    /// Columns of the terminal, when there is one.
    pub width: Option<usize>,
    /// Whether nothing was written.
    pub dry_run: bool,
}

impl View<'_> {
    fn path(&self, path: &Path) -> String {
        paths::shown(path, self.directory, self.home)
    }
}

/// One line a skill, then one for the directory.
///
/// # Errors
/// Those of the stream.
pub fn outcomes(
    out: &mut dyn Write,
    directory: &Path,
    outcomes: &[&Outcome],
    view: &View<'_>,
) -> io::Result<()> {
    let words = outcomes.iter().map(|outcome| {
        let remark = match outcome.action {
            Done::Unchanged => String::new(),
            Done::Created | Done::Replaced | Done::Removed => {
                let files = count(outcome.files, "file");
                format!("{files}, {} bytes", grouped(outcome.bytes))
            }
        };
        (style(outcome.action), outcome.action.as_str(), outcome.name.as_str(), remark)
    });
    rows(out, words.collect(), view)?;
    let kinds = [Done::Created, Done::Replaced, Done::Unchanged, Done::Removed];
    let number = |action| outcomes.iter().filter(|outcome| outcome.action == action).count();
    let parts = parts(kinds.map(|action| (number(action), action.as_str())));
    let parts = if outcomes.is_empty() { "nothing to do".to_owned() } else { parts };
    let planned = if view.dry_run { " (dry run: nothing was written)" } else { "" };
    writeln!(out, "{}: {parts}{planned}", view.path(directory))?;
    for backup in outcomes.iter().filter_map(|outcome| outcome.backup.as_ref()) {
        writeln!(out, "what was there before is kept in {}", view.path(backup))?;
    }
    Ok(())
}

/// Two lines an archive: what it is, and its digest.
///
/// # Errors
/// Those of the stream.
pub fn packed(out: &mut dyn Write, archives: &[Placed], view: &View<'_>) -> io::Result<()> {
    let width = archives.iter().map(|placed| placed.done.as_str().len()).max().unwrap_or(0);
    for Placed { packed, path, done } in archives {
        let style = style(*done);
        let files = count(packed.files, "file");
        let bytes = grouped(packed.bytes.len() as u64);
        let path = view.path(path);
        let verb = pad(done.as_str(), width);
        writeln!(
            out,
            "{style}{verb}{style:#}  {BOLD}{path}{BOLD:#}  {DIM}{files}, {bytes} bytes{DIM:#}"
        )?;
        writeln!(out, "{}  {DIM}{}{DIM:#}", " ".repeat(width), packed.digest)?;
    }
    Ok(())
}

/// One line a skill, then one for the directory.
///
/// # Errors
/// Those of the stream.
pub fn verified(
    out: &mut dyn Write,
    directory: &Path,
    skills: &[Verified],
    verbose: bool,
    view: &View<'_>,
) -> io::Result<()> {
    let shown = skills.iter().filter(|skill| verbose || skill.state != State::Unrecorded);
    let words = shown.map(|skill| {
        let (style, remark) = match &skill.state {
            State::Same => (GREEN, String::new()),
            State::Modified(differences) => (RED, summary(differences)),
            State::NotADirectory => (RED, "something else is in its place".to_owned()),
            State::Missing => (RED, "it is gone".to_owned()),
            State::Unrecorded => (DIM, "not installed by skills".to_owned()),
            State::NotLocked(digest) => (RED, format!("the lock says {digest}")),
        };
        (style, skill.state.as_str(), skill.name.as_str(), remark)
    });
    rows(out, words.collect(), view)?;
    let number = |word: &str| skills.iter().filter(|skill| skill.state.as_str() == word).count();
    let mut text =
        parts(["ok", "modified", "missing", "not-locked"].map(|word| (number(word), word)));
    if text.is_empty() {
        text = "nothing was installed here".to_owned();
    }
    if number("unrecorded") > 0 {
        text += &format!("; {} not installed by skills", number("unrecorded"));
    }
    writeln!(out, "{}: {text}", view.path(directory))
}

/// `changed SKILL.md; added a, b, c and 4 more; removed d`
#[must_use]
pub fn summary(differences: &Differences) -> String {
    let part = |verb: &str, paths: &[String]| {
        let named: Vec<&str> = paths.iter().take(NAMED).map(String::as_str).collect();
        let more = paths.len().saturating_sub(NAMED);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!paths.is_empty()).then(|| format!("{verb} {}{rest}", named.join(", ")))
    };
    let parts = [
        part("changed", &differences.changed),
        part("added", &differences.added),
        part("removed", &differences.removed),
    ];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
    sanitize::line(&text).into_owned()
}

type Row<'a> = (Style, &'static str, &'a str, String);

fn rows(out: &mut dyn Write, rows: Vec<Row<'_>>, view: &View<'_>) -> io::Result<()> {
    let verb_width = rows.iter().map(|(_, verb, ..)| verb.len()).max().unwrap_or(0);
    let name_width = rows.iter().map(|(_, _, name, _)| width(name)).max().unwrap_or(0);
    let room = view.width.map(|width| width.saturating_sub(verb_width + name_width + 4));
    for (style, verb, name, remark) in rows {
        let name = sanitize::line(name);
        let verb = format!("{style}{}{style:#}", pad(verb, verb_width));
        if remark.is_empty() {
            writeln!(out, "{verb}  {BOLD}{name}{BOLD:#}")?;
            continue;
        }
        let remark = cut(remark, room.unwrap_or(usize::MAX));
        writeln!(out, "{verb}  {BOLD}{}{BOLD:#}  {DIM}{remark}{DIM:#}", pad(&name, name_width))?;
    }
    Ok(())
}

/// `1 created, 2 unchanged`
fn parts<const N: usize>(numbers: [(usize, &str); N]) -> String {
    let some = numbers.iter().filter(|(number, _)| *number > 0);
    some.map(|(number, word)| format!("{number} {word}")).collect::<Vec<_>>().join(", ")
}

const fn style(action: Done) -> Style {
    match action {
        Done::Created => GREEN,
        Done::Replaced | Done::Removed => YELLOW,
        Done::Unchanged => DIM,
    }
}
