//! The changes of a new lock, for people.

use std::io::{self, Write};

use anstyle::Style;

use super::install::versions;
use super::styles::{BOLD, DIM, GREEN, RED, YELLOW};
use super::wrap::{beside, wrap};
use super::{count, sanitize};
use crate::skills::find::git::History;
use crate::skills::find::lock::LockFile;
use crate::skills::model::location::short;
use crate::skills::put::locking::update::{SkillChange, SourceChange};

/// Maximum skills or commits to print; the rest are counted.
const SHOWN: usize = 20;

/// How it looks.
#[derive(Debug, Clone, Copy)]
pub struct LockView<'a> {
    /// The path of the lock to show.
    pub path: &'a str,
    /// The advice if something would change.
    pub advice: &'a str,
    /// Whether there was no lock.
    pub is_new: bool,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// Whether to print everything.
    pub verbose: bool,
}

/// Source by source, then one line for all.
pub fn changes(
    out: &mut dyn Write,
    new: &LockFile,
    changes: &[(SourceChange, Option<History>)],
    view: &LockView<'_>,
    columns: Option<usize>,
) -> io::Result<()> {
    for (change, history) in changes {
        source(out, change, history.as_ref(), view.verbose, columns)?;
    }
    let path = sanitize::line(view.path);
    // Count a skill of several sources once.
    let skills = new.sources.iter().flat_map(|source| &source.skills);
    let mut names: Vec<&str> = skills.map(|skill| skill.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let all = format!("{}, {}", count(new.sources.len(), "source"), count(names.len(), "skill"));
    let text = match (changes.len(), view.dry_run) {
        (0, _) => format!("{path}: up to date, {all}"),
        (number, true) => {
            let sources = count(number, "source");
            format!("{path}: {sources} would change ({})", view.advice)
        }
        (_, false) if view.is_new => format!("{path}: written, {all}"),
        (number, false) => format!("{path}: {} changed, {all}", count(number, "source")),
    };
    writeln!(out, "{}", wrap(&text, columns, 0, ""))
}

fn source(
    out: &mut dyn Write,
    change: &SourceChange,
    history: Option<&History>,
    verbose: bool,
    columns: Option<usize>,
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
    let number = number.unwrap_or_default();
    let title = wrap(&format!("{name}{given}{commits}{number}"), columns, 0, "    ");
    match title.strip_prefix(&*name) {
        Some(rest) => writeln!(out, "{BOLD}{name}{BOLD:#}{rest}")?,
        // The title itself wraps over several lines.
        None => writeln!(out, "{title}")?,
    }
    let most = if verbose { usize::MAX } else { SHOWN };
    let commits = history.map(|history| history.changes.as_slice()).unwrap_or_default();
    for commit in commits.iter().take(most) {
        let label = format!("{}  {}", short(&commit.id), commit.date);
        row(out, DIM, &label, label.len(), &commit.subject, columns)?;
    }
    rest(out, commits.len(), most)?;
    let width = change.skills.iter().map(|skill| skill.word().len()).max().unwrap_or(0);
    for skill in change.skills.iter().take(most) {
        let version = versions(&skill.version).map(|text| format!(" {text}")).unwrap_or_default();
        let text = format!("{}{version}", skill.name);
        row(out, style(skill), skill.word(), width, &text, columns)?;
    }
    rest(out, change.skills.len(), most)
}

/// A label of this width, and untrusted text beside it or below it.
fn row(
    out: &mut dyn Write,
    style: Style,
    label: &str,
    width: usize,
    text: &str,
    columns: Option<usize>,
) -> io::Result<()> {
    let indent = width + 4;
    let gap = " ".repeat(indent - 2 - label.len());
    let text = beside(&gap, &sanitize::line(text), columns, indent, &" ".repeat(indent));
    writeln!(out, "  {style}{label}{style:#}{text}")
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
