//! The results of installing, removing and verifying, for people.

use std::io::{self, Write};
use std::path::Path;

use anstyle::Style;

use super::columns::{cut, grouped, pad, width};
use super::styles::{BOLD, DIM, GREEN, RED, YELLOW};
use super::wrap::wrap;
use super::{Screen, count, sanitize};
use crate::skills::files::tree::Differences;
use crate::skills::put::install::verify::{State, Verified};
use crate::skills::put::install::{Done, SkillOutcome, VersionChange};
use crate::skills::put::pack::place::PlacedArchive;

/// Maximum paths of one kind to print; the rest are counted.
const NAMED: usize = 3;

/// One line per skill, then one for the directory.
pub fn outcomes(
    out: &mut dyn Write,
    directory: &Path,
    outcomes: &[&SkillOutcome],
    skipped: usize,
    dry_run: bool,
    screen: &Screen<'_>,
) -> io::Result<()> {
    let words = outcomes.iter().map(|outcome| {
        let remark = match outcome.action {
            Done::Unchanged => String::new(),
            _ => {
                let versions = versions(&outcome.version).map(|text| text + ", ");
                let (files, bytes) = (count(outcome.files, "file"), grouped(outcome.bytes));
                format!("{}{files}, {bytes} bytes", versions.unwrap_or_default())
            }
        };
        let name = match &outcome.folder {
            Some(folder) => format!("{folder} → {}", outcome.name),
            None => outcome.name.clone(),
        };
        (style(outcome.action), outcome.action.as_str(), name, remark)
    });
    rows(out, words.collect(), screen)?;
    let kinds = [
        Done::Created,
        Done::Updated,
        Done::Replaced,
        Done::Unchanged,
        Done::Removed,
        Done::Disabled,
        Done::Enabled,
    ];
    let number = |action| outcomes.iter().filter(|outcome| outcome.action == action).count();
    let numbers = kinds.iter().map(|action| (number(*action), action.as_str()));
    let parts = parts(numbers.chain([(skipped, "skipped")]));
    let parts = if outcomes.is_empty() { "nothing to do".to_owned() } else { parts };
    let planned = if dry_run { " (dry run: nothing was written)" } else { "" };
    let text = format!("{}: {parts}{planned}", screen.path(directory));
    writeln!(out, "{}", wrap(&text, screen.width, 0, ""))?;
    for backup in outcomes.iter().filter_map(|outcome| outcome.backup.as_ref()) {
        let text = format!("the previous version is kept in {}", screen.path(backup));
        writeln!(out, "{}", wrap(&text, screen.width, 0, ""))?;
    }
    Ok(())
}

/// `1.2.3 → 1.3.0`, if a skill says that its version changes; `→ 1.3.0` and `1.2.3 →` if it names only
/// one.
pub fn versions(change: &VersionChange) -> Option<String> {
    const MOST_COLUMNS: usize = 40;
    let shown = |version: &str| cut(sanitize::line(version), MOST_COLUMNS).into_owned();
    match (&change.from, &change.to) {
        (Some(from), Some(to)) if from != to => Some(format!("{} → {}", shown(from), shown(to))),
        (None, Some(to)) => Some(format!("→ {}", shown(to))),
        (Some(from), None) => Some(format!("{} →", shown(from))),
        (Some(_), Some(_)) | (None, None) => None,
    }
}

/// Two lines per archive: its contents, and its digest.
pub fn packed(
    out: &mut dyn Write,
    archives: &[PlacedArchive],
    screen: &Screen<'_>,
) -> io::Result<()> {
    let verb_width = archives.iter().map(|placed| placed.done.as_str().len()).max().unwrap_or(0);
    let margin = " ".repeat(verb_width + 2);
    for PlacedArchive { packed, path, done } in archives {
        let style = style(*done);
        let bytes = grouped(packed.bytes.len() as u64);
        let size = format!("{}, {bytes} bytes", count(packed.files, "file"));
        let path = screen.path(path);
        let verb = pad(done.as_str(), verb_width);
        let used = margin.len() + width(&path) + 2 + width(&size);
        let gap = if screen.fits(used) { "  ".to_owned() } else { format!("\n{margin}") };
        writeln!(out, "{style}{verb}{style:#}  {BOLD}{path}{BOLD:#}{gap}{DIM}{size}{DIM:#}")?;
        writeln!(out, "{margin}{DIM}{}{DIM:#}", packed.digest)?;
    }
    Ok(())
}

/// One line per skill, then one for the directory.
pub fn verified(
    out: &mut dyn Write,
    directory: &Path,
    skills: &[Verified],
    verbose: bool,
    screen: &Screen<'_>,
) -> io::Result<()> {
    let is_shown =
        |skill: &&Verified| verbose || skill.state != State::Unrecorded || !skill.rules.is_empty();
    let shown = skills.iter().filter(is_shown);
    let words = shown.map(|skill| {
        let (style, remark) = match &skill.state {
            State::Same => (GREEN, String::new()),
            State::Modified(differences) => (RED, summary(differences)),
            State::NotADirectory => (RED, "something else is in its place".to_owned()),
            State::Linked => (GREEN, linked(skill)),
            State::Missing => (RED, "it is gone".to_owned()),
            State::Unrecorded => (DIM, "not installed by skills".to_owned()),
            State::Disabled => (DIM, "`skills enable` brings it back".to_owned()),
            State::NotLocked(digest) => (RED, format!("the lock says {digest}")),
            State::Dropped => {
                (YELLOW, "the manifest no longer names it; `skills sync` removes it".to_owned())
            }
        };
        let (style, remark) = match skill.rules.as_slice() {
            [] => (style, remark),
            rules => (RED, format!("[!{}] {remark}", rules.join(", ")).trim_end().to_owned()),
        };
        (style, skill.state.as_str(), skill.name.clone(), remark)
    });
    rows(out, words.collect(), screen)?;
    let number = |word: &str| skills.iter().filter(|skill| skill.state.as_str() == word).count();
    let mut text = parts(
        ["ok", "linked", "modified", "missing", "not-locked", "dropped", "disabled"]
            .map(|word| (number(word), word)),
    );
    if text.is_empty() {
        text = "nothing was installed here".to_owned();
    }
    if number("unrecorded") > 0 {
        text += &format!("; {} not installed by skills", number("unrecorded"));
    }
    let text = format!("{}: {text}", screen.path(directory));
    writeln!(out, "{}", wrap(&text, screen.width, 0, ""))
}

/// Where a link leads.
fn linked(skill: &Verified) -> String {
    let source = skill.record.as_ref().map(|record| sanitize::line(&record.source).into_owned());
    source.map(|source| format!("to {source}")).unwrap_or_default()
}

/// `changed SKILL.md; added a, b, c and 4 more; removed d`
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

type OutcomeRow = (Style, &'static str, String, String);

fn rows(out: &mut dyn Write, rows: Vec<OutcomeRow>, screen: &Screen<'_>) -> io::Result<()> {
    let most = screen.name_columns();
    let name = |row: &OutcomeRow| cut(sanitize::line(&row.2), most).into_owned();
    let verb_width = rows.iter().map(|(_, verb, ..)| verb.len()).max().unwrap_or(0);
    let name_width = rows.iter().map(|row| width(&name(row))).max().unwrap_or(0);
    let room = screen.width.map(|width| width.saturating_sub(verb_width + name_width + 4));
    for row in rows {
        let name = name(&row);
        let (style, verb, _, remark) = row;
        let verb = format!("{style}{}{style:#}", pad(verb, verb_width));
        let remark = cut(remark, room.unwrap_or(usize::MAX));
        if remark.is_empty() {
            writeln!(out, "{verb}  {BOLD}{name}{BOLD:#}")?;
        } else {
            let name = pad(&name, name_width);
            writeln!(out, "{verb}  {BOLD}{name}{BOLD:#}  {DIM}{remark}{DIM:#}")?;
        }
    }
    Ok(())
}

/// `1 created, 2 unchanged`
fn parts<'a>(numbers: impl IntoIterator<Item = (usize, &'a str)>) -> String {
    let some = numbers.into_iter().filter(|(number, _)| *number > 0);
    some.map(|(number, word)| format!("{number} {word}")).collect::<Vec<_>>().join(", ")
}

const fn style(action: Done) -> Style {
    match action {
        Done::Created => GREEN,
        Done::Updated | Done::Replaced | Done::Removed => YELLOW,
        Done::Unchanged => DIM,
        Done::Disabled => YELLOW,
        Done::Enabled => GREEN,
    }
}
