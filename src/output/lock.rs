//! What a new lock would change, for people.

use std::io::{self, Write};

use anstyle::Style;

use super::columns::pad;
use super::styles::{BOLD, DIM, GREEN, RED, YELLOW};
use super::{count, sanitize};
use crate::skills::git::{History, short};
use crate::skills::lock::Lock;
use crate::skills::lock::update::{SkillChange, SourceChange};

/// Skills or commits that are written out before they are only counted.
const SHOWN: usize = 20;

/// How it looks.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The lock, as it is shown.
    pub path: &'a str,
    /// What there is to say when something would change.
    pub advice: &'a str,
    /// Whether there was none.
    pub is_new: bool,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// Whether everything is written out.
    pub verbose: bool,
}

/// Source by source, then one line for all.
///
/// # Errors
/// Those of the stream.
pub fn changes(
    out: &mut dyn Write,
    new: &Lock,
    changes: &[(SourceChange, Option<History>)],
    view: &View<'_>,
) -> io::Result<()> {
    for (change, history) in changes {
        source(out, change, history.as_ref(), view)?;
    }
    let path = sanitize::line(view.path);
    // What several sources hold is one skill.
    let skills = new.sources.iter().flat_map(|source| &source.skills);
    let mut names: Vec<&str> = skills.map(|skill| skill.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let all = format!("{}, {}", count(new.sources.len(), "source"), count(names.len(), "skill"));
    match (changes.len(), view.dry_run) {
        (0, _) => writeln!(out, "{path}: up to date, {all}"),
        (number, true) => {
            let sources = count(number, "source");
            writeln!(out, "{path}: {sources} would change ({})", view.advice)
        }
        (_, false) if view.is_new => writeln!(out, "{path}: written, {all}"),
        (number, false) => writeln!(out, "{path}: {} changed, {all}", count(number, "source")),
    }
}

fn source(
    out: &mut dyn Write,
    change: &SourceChange,
    history: Option<&History>,
    view: &View<'_>,
) -> io::Result<()> {
    let commits = match (&change.from, &change.to) {
        (Some(from), Some(to)) if from != to => format!(": {} → {}", short(from), short(to)),
        (None, Some(commit)) => format!(": {}", short(commit)),
        _ => String::new(),
    };
    let number = history.map(|history| {
        let more = if history.is_cut { "at least " } else { "" };
        format!(", {more}{}", count(history.changes.len(), "commit"))
    });
    let name = sanitize::line(&change.source);
    let given = change.name.as_ref().map(|name| format!(" as {}", sanitize::line(name)));
    let given = given.unwrap_or_default();
    writeln!(out, "{BOLD}{name}{BOLD:#}{given}{commits}{}", number.unwrap_or_default())?;
    let most = if view.verbose { usize::MAX } else { SHOWN };
    let commits = history.map(|history| history.changes.as_slice()).unwrap_or_default();
    for commit in commits.iter().take(most) {
        let (id, date) = (short(&commit.id), &commit.date);
        writeln!(out, "  {DIM}{id}  {date}{DIM:#}  {}", sanitize::line(&commit.subject))?;
    }
    rest(out, commits.len(), most)?;
    let width = change.skills.iter().map(|skill| skill.word().len()).max().unwrap_or(0);
    for skill in change.skills.iter().take(most) {
        let style = style(skill);
        let word = pad(skill.word(), width);
        writeln!(out, "  {style}{word}{style:#}  {}", sanitize::line(&skill.name))?;
    }
    rest(out, change.skills.len(), most)
}

fn rest(out: &mut dyn Write, number: usize, most: usize) -> io::Result<()> {
    match number.saturating_sub(most) {
        0 => Ok(()),
        more => writeln!(out, "  {DIM}and {more} more, shown with -v{DIM:#}"),
    }
}

const fn style(skill: &SkillChange) -> Style {
    match (&skill.from, &skill.to) {
        (None, _) => GREEN,
        (Some(_), Some(_)) => YELLOW,
        (Some(_), None) => RED,
    }
}
