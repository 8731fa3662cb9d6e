//! The result of an update, done or planned, for people.

use std::io::{self, Write};
use std::path::Path;

use anstyle::Style;

use super::changes::changes;
use super::install::{summary, versions};
use super::styles::{BOLD, DIM, GREEN, RED, YELLOW};
use super::wrap::{beside, wrap};
use super::{Screen, columns, count, sanitize};
use crate::skills::find::git::History;
use crate::skills::judge::rule::Finding;
use crate::skills::model::location::short;
use crate::skills::put::update::apply::UpdateReport;
use crate::skills::put::update::{UpdateOutcome, UpdateState};

/// Maximum commits to print; the rest are counted.
const SHOWN: usize = 5;
/// The indentation of details.
const MARGIN: &str = "    ";

/// How it looks.
#[derive(Debug, Clone, Copy)]
pub struct UpdateView<'a> {
    /// Whether nothing was written.
    pub dry_run: bool,
    /// Whether to print everything.
    pub verbose: bool,
    /// Where it is shown.
    pub screen: &'a Screen<'a>,
}

/// Skill by skill, then one line for each directory.
pub fn report(out: &mut dyn Write, report: &UpdateReport, view: &UpdateView<'_>) -> io::Result<()> {
    if report.directories.is_empty() && report.failures.is_empty() {
        return writeln!(out, "nothing to update: `skills` has not installed anything");
    }
    for directory in &report.directories {
        let here = report.outcomes.iter().filter(|one| one.path.parent() == Some(directory));
        let here: Vec<&UpdateOutcome> = here.collect();
        let is_shown = |one: &&&UpdateOutcome| view.verbose || one.state != UpdateState::Unchanged;
        let width = here.iter().filter(is_shown).map(|one| word(one).len()).max().unwrap_or(0);
        for outcome in here.iter().filter(is_shown) {
            skill(out, outcome, width, view)?;
        }
        let text = format!("{}: {}", view.screen.path(directory), numbers(&here, view.dry_run));
        writeln!(out, "{}", wrap(&text, view.screen.width, 0, ""))?;
    }
    Ok(())
}

/// `1 updated, 2 unchanged`
fn numbers(outcomes: &[&UpdateOutcome], dry_run: bool) -> String {
    let mut numbers: Vec<(&str, usize)> = Vec::new();
    for outcome in outcomes {
        let word = word(outcome);
        match numbers.iter_mut().find(|(known, _)| *known == word) {
            Some((_, number)) => *number += 1,
            None => numbers.push((word, 1)),
        }
    }
    // List changes first, and unchanged skills last.
    numbers.sort_by_key(|(word, _)| *word == UpdateState::Unchanged.as_str());
    let parts: Vec<String> =
        numbers.iter().map(|(word, number)| format!("{number} {word}")).collect();
    let is_there = |state| dry_run && outcomes.iter().any(|one| one.state == state);
    let planned = if is_there(UpdateState::Outdated) {
        " (nothing was written; run `skills update`)"
    } else if is_there(UpdateState::Restored) {
        " (nothing was written; run `skills update --undo`)"
    } else {
        ""
    };
    match parts.is_empty() {
        true => "no skills".to_owned(),
        false => format!("{}{planned}", parts.join(", ")),
    }
}

fn word(outcome: &UpdateOutcome) -> &'static str {
    outcome.state.as_str()
}

fn skill(
    out: &mut dyn Write,
    outcome: &UpdateOutcome,
    width: usize,
    view: &UpdateView<'_>,
) -> io::Result<()> {
    let columns = view.screen.width;
    let style = style(outcome.state);
    let name = sanitize::line(&outcome.name);
    let state = columns::pad(word(outcome), width);
    let version = versions(&outcome.version).map(|text| format!(" {text}")).unwrap_or_default();
    let used = width + 2 + columns::width(&name) + columns::width(&version) + 2;
    let origin = beside("  ", &origin(outcome), columns, used, MARGIN);
    writeln!(out, "{style}{state}{style:#}  {BOLD}{name}{BOLD:#}{version}{DIM}{origin}{DIM:#}")?;
    for finding in &outcome.findings {
        let text = safety(outcome, finding);
        let text = wrap(&text, columns, MARGIN.len(), MARGIN);
        writeln!(out, "{MARGIN}{YELLOW}{text}{YELLOW:#}")?;
    }
    if let Some(error) = &outcome.reason {
        detail(out, &sanitize::line(&error.message), columns)?;
        if let Some(help) = &error.help {
            for line in help.lines() {
                detail(out, &format!("help: {}", sanitize::line(line)), columns)?;
            }
        }
    }
    let files = summary(&outcome.files);
    if !files.is_empty() {
        detail(out, &files, columns)?;
    }
    if let Some(history) = &outcome.history {
        commits(out, history, view)?;
    }
    if let Some(backup) = &outcome.backup {
        let text = format!("the edited version is kept in {}", view.screen.path(backup));
        detail(out, &text, columns)?;
    }
    changes(out, &outcome.versions, Path::new(&outcome.name))
}

/// `gh:o/r@main: 1a2b3c4d5e6f → 6f5e4d3c2b1a, 3 commits`
fn origin(outcome: &UpdateOutcome) -> String {
    let source = sanitize::line(&outcome.source);
    let commits = match (&outcome.from, &outcome.to) {
        (Some(from), Some(to)) if from != to => format!(": {} → {}", short(from), short(to)),
        _ => String::new(),
    };
    let number = outcome.history.as_ref().map(|history| {
        let more = if history.is_cut { "at least " } else { "" };
        format!(", {more}{}", count(history.changes.len(), "commit"))
    });
    sanitize::line(&format!("{source}{commits}{}", number.unwrap_or_default())).into_owned()
}

/// ``pipe-to-shell: `scripts/setup.sh` is new: …``
fn safety(outcome: &UpdateOutcome, finding: &Finding) -> String {
    let path = finding.path.strip_prefix(&outcome.path).unwrap_or(&finding.path);
    let path = path.display().to_string();
    let is_new = outcome.files.added.contains(&path);
    let new = if is_new { "is new" } else { "has changed" };
    let line = finding.place.map(|place| format!(", line {}", place.start.line));
    let (rule, message) = (finding.rule.id, &finding.message);
    let text = format!("{rule}: `{path}` {new}{}: {message}", line.unwrap_or_default());
    sanitize::line(&text).into_owned()
}

fn commits(out: &mut dyn Write, history: &History, view: &UpdateView<'_>) -> io::Result<()> {
    let most = if view.verbose { usize::MAX } else { SHOWN };
    for commit in history.changes.iter().take(most) {
        let label = format!("{}  {}", short(&commit.id), commit.date);
        let label = sanitize::line(&label);
        let indent = MARGIN.len() + columns::width(&label) + 2;
        let subject = sanitize::line(&commit.subject);
        let text = beside("  ", &subject, view.screen.width, indent, &" ".repeat(indent));
        writeln!(out, "{MARGIN}{DIM}{label}{DIM:#}{text}")?;
    }
    match history.changes.len().saturating_sub(most) {
        0 => Ok(()),
        more => writeln!(out, "{MARGIN}{DIM}and {more} more, shown with -v{DIM:#}"),
    }
}

fn detail(out: &mut dyn Write, text: &str, columns: Option<usize>) -> io::Result<()> {
    writeln!(out, "{MARGIN}{}", wrap(text, columns, MARGIN.len(), MARGIN))
}

const fn style(state: UpdateState) -> Style {
    match state {
        UpdateState::Updated | UpdateState::Restored => GREEN,
        UpdateState::Unchanged | UpdateState::Managed | UpdateState::Disabled => DIM,
        UpdateState::Outdated
        | UpdateState::Gone
        | UpdateState::Removed
        | UpdateState::Renamed
        | UpdateState::Missing => YELLOW,
        UpdateState::Edited
        | UpdateState::Refused
        | UpdateState::Unreachable
        | UpdateState::Failed
        | UpdateState::Unknown
        | UpdateState::Untrusted => RED,
    }
}
