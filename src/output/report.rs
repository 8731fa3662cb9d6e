//! What happened in a run, for people: installing, removing, verifying, updating, locking, pushing,
//! and the cache.

use std::io::{self, Write};
use std::path::Path;

use anstyle::Style;

use crate::output::diff::file_changes;
use crate::output::layout::{self, beside, cut, grouped, pad, width, wrap};
use crate::output::{BOLD, DIM, GREEN, RED, Screen, YELLOW, count, sanitize};
use crate::skills::fetch::cache::{CacheEntry, Cleaned, shelves};
use crate::skills::fetch::git::History;
use crate::skills::files::digest::Differences;
use crate::skills::find::lock::LockFile;
use crate::skills::judge::rule::Finding;
use crate::skills::model::location::short;
use crate::skills::publish::Published;
use crate::skills::publish::archive::PlacedArchive;
use crate::skills::put::install::verify::{State, Verified};
use crate::skills::put::install::{Done, SkillOutcome, VersionChange};
use crate::skills::put::locking::update::{SkillChange, SourceChange};
use crate::skills::put::update::apply::UpdateReport;
use crate::skills::put::update::{UpdateOutcome, UpdateState};

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

// The result of an update, done or planned, for people.

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
pub fn update(out: &mut dyn Write, report: &UpdateReport, view: &UpdateView<'_>) -> io::Result<()> {
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
    let style = state_style(outcome.state);
    let name = sanitize::line(&outcome.name);
    let state = layout::pad(word(outcome), width);
    let version = versions(&outcome.version).map(|text| format!(" {text}")).unwrap_or_default();
    let used = width + 2 + layout::width(&name) + layout::width(&version) + 2;
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
    file_changes(out, &outcome.versions, Path::new(&outcome.name))
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
        let indent = MARGIN.len() + layout::width(&label) + 2;
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

const fn state_style(state: UpdateState) -> Style {
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

// The changes of a new lock, for people.

/// Maximum skills or commits to print; the rest are counted.
const SHOWN_CHANGES: usize = 20;

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
pub fn lock(
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
    let most = if verbose { usize::MAX } else { SHOWN_CHANGES };
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
        row(out, change_style(skill), skill.word(), width, &text, columns)?;
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

const fn change_style(skill: &SkillChange) -> Style {
    match (&skill.from, &skill.to) {
        (None, _) => GREEN,
        (Some(_), Some(_)) => YELLOW,
        (Some(_), None) => RED,
    }
}

// What was published, for people.

/// Two lines for each artifact of a layout, then one for all.
pub fn written(
    out: &mut dyn Write,
    published: &[Published],
    path: &Path,
    done: Done,
    screen: &Screen<'_>,
) -> io::Result<()> {
    let (bold, dim) = (screen.style(BOLD), screen.style(DIM));
    for one in published {
        let name = sanitize::line(&one.name);
        let kind = if one.is_collection { "  collection" } else { "" };
        writeln!(out, "{bold}{name}{bold:#}{dim}{kind}{dim:#}")?;
        writeln!(out, "  {dim}{}{dim:#}", one.digest)?;
    }
    let artifacts = count(published.len(), "artifact");
    writeln!(out, "{}: {artifacts}, {}", screen.path(path), done.as_str())
}

/// Two lines for each artifact, then one for all.
pub fn published(
    out: &mut dyn Write,
    published: &[Published],
    dry_run: bool,
    screen: &Screen<'_>,
) -> io::Result<()> {
    let verb = |one: &Published| match (one.uploaded, dry_run) {
        (false, _) => "unchanged",
        (true, false) => "pushed",
        (true, true) => "would push",
    };
    let verbs = published.iter().map(|one| verb(one).len()).max().unwrap_or_default();
    let margin = " ".repeat(verbs + 2);
    for one in published {
        let style = screen.style(if one.uploaded { GREEN } else { DIM });
        let (bold, dim) = (screen.style(BOLD), screen.style(DIM));
        let reference = one.reference();
        let place = sanitize::line(&reference);
        let others = one.tags.get(1..).unwrap_or_default().join(", ");
        let others = match others.as_str() {
            "" => String::new(),
            others => format!("also {others}"),
        };
        let used = margin.len() + width(&place) + 2 + width(&others);
        let gap = match (others.is_empty(), screen.fits(used)) {
            (true, _) => String::new(),
            (false, true) => "  ".to_owned(),
            (false, false) => format!("\n{margin}"),
        };
        let verb = pad(verb(one), verbs);
        writeln!(out, "{style}{verb}{style:#}  {bold}{place}{bold:#}{gap}{dim}{others}{dim:#}")?;
        writeln!(out, "{margin}{dim}{}{dim:#}", one.digest)?;
    }
    let number =
        |is_uploaded: bool| published.iter().filter(|one| one.uploaded == is_uploaded).count();
    let skills = published.iter().filter(|one| !one.is_collection).count();
    let collections = published.len() - skills;
    let mut what = vec![count(skills, "skill")];
    if collections > 0 {
        what.push(count(collections, "collection"));
    }
    let (sent, kept) = (number(true), number(false));
    let done = match (sent, kept, dry_run) {
        (0, _, _) => "nothing to upload".to_owned(),
        (sent, 0, false) => format!("{sent} pushed"),
        (sent, kept, false) => format!("{sent} pushed, {kept} unchanged"),
        (sent, _, true) => format!("{sent} would be pushed (dry run: nothing was uploaded)"),
    };
    writeln!(out, "{}: {done}", what.join(", "))
}

// What is in the cache, for people.

/// One line for each part, then one for all; after a cleaning, what is gone.
pub fn cache(
    out: &mut dyn Write,
    root: &Path,
    entries: &[CacheEntry],
    cleaned: Option<&Cleaned>,
    screen: &Screen<'_>,
) -> io::Result<()> {
    let size = |entries: &[&CacheEntry]| -> String {
        let bytes = entries.iter().map(|entry| entry.bytes).sum();
        let number =
            if entries.len() == 1 { "1 entry" } else { &format!("{} entries", entries.len()) };
        format!("{number}, {} bytes", grouped(bytes))
    };
    if let Some(cleaned) = cleaned {
        let removed: Vec<&CacheEntry> = cleaned.removed.iter().collect();
        writeln!(out, "removed {}", size(&removed))?;
        if !cleaned.kept.is_empty() {
            let kept: Vec<&CacheEntry> = cleaned.kept.iter().collect();
            writeln!(out, "kept {}, in use by another run", size(&kept))?;
        }
        if !cleaned.failed.is_empty() {
            let failed: Vec<&CacheEntry> = cleaned.failed.iter().map(|(entry, _)| entry).collect();
            writeln!(out, "could not remove {}", size(&failed))?;
        }
    }
    writeln!(out, "{BOLD}{}{BOLD:#}", screen.path(root))?;
    for shelf in shelves() {
        let own: Vec<&CacheEntry> = entries.iter().filter(|entry| entry.shelf == shelf).collect();
        writeln!(out, "  {}  {DIM}{}{DIM:#}", pad(shelf, 10), size(&own))?;
    }
    let all: Vec<&CacheEntry> = entries.iter().collect();
    writeln!(out, "  {}  {}", pad("all", 10), size(&all))
}
