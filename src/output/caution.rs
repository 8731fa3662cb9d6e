//! Warnings before an agent reads the skills: one title for each skill and rule, and below it every
//! place with its line.

use std::io::{self, Write};

use annotate_snippets::renderer::{DEFAULT_ERROR_STYLE, DEFAULT_NOTE_STYLE, DEFAULT_WARNING_STYLE};

use super::columns::cut;
use super::styles::{BOLD, DIM};
use super::wrap::wrap;
use super::{Screen, count, sanitize};
use crate::skills::judge::rule::{Excerpt, Finding, Severity};
use crate::skills::put::install::caution::{Cautions, NotLoaded};

/// Maximum places of one rule in one skill without `-v`.
const PLACES: usize = 10;
/// Default columns of a line of a file.
const DEFAULT_WIDTH: usize = 160;
/// Columns of a line of a file beside a note.
const NOTE_COLUMNS: usize = 80;
/// Characters of a long line that are shown before the part that matters.
const BEFORE: usize = 20;

/// Prints findings, and which chosen agents do not load a skill. Quiet drops the notes.
pub fn cautions(
    out: &mut dyn Write,
    cautions: &Cautions,
    verbose: bool,
    quiet: bool,
    screen: &Screen<'_>,
) -> io::Result<()> {
    let is_alike = |one: &Finding, other: &Finding| {
        let key =
            |finding: &Finding| (finding.severity, finding.rule.id, finding.skill_path.clone());
        // The last of many findings is a count.
        let is_said =
            one.message.starts_with(&other.message) || other.message.starts_with(&one.message);
        key(one) == key(other) && one.skill == other.skill && is_said
    };
    for alike in cautions.findings.chunk_by(is_alike) {
        match alike {
            [first, ..] if first.severity == Severity::Note && quiet => {}
            [first, ..] if first.severity == Severity::Note && !verbose => {
                note(out, first, alike, screen)?;
            }
            _ => places(out, alike, verbose, screen)?,
        }
    }
    cautions.not_loaded.iter().try_for_each(|one| not_loaded(out, one, screen))
}

/// `warning[rule]: `skill`: message`, then a line for each place.
fn places(
    out: &mut dyn Write,
    alike: &[Finding],
    verbose: bool,
    screen: &Screen<'_>,
) -> io::Result<()> {
    let Some(first) = alike.first() else { return Ok(()) };
    title(out, first, &first.message, screen)?;
    let shown = if verbose { alike.len() } else { PLACES };
    for finding in alike.iter().take(shown) {
        let place = place(finding);
        let text = match &finding.excerpt {
            Some(excerpt) => {
                let room = screen.width.unwrap_or(DEFAULT_WIDTH);
                format!(": {}", line(excerpt, room.saturating_sub(place.len() + 4).max(BEFORE * 2)))
            }
            None => String::new(),
        };
        writeln!(out, "  {place}{DIM}{text}{DIM:#}")?;
    }
    if alike.len() > shown {
        let more = count(alike.len() - shown, "more place");
        writeln!(out, "  {DIM}{more}, shown with -v{DIM:#}")?;
    }
    Ok(())
}

/// The same on one line.
fn note(
    out: &mut dyn Write,
    first: &Finding,
    alike: &[Finding],
    screen: &Screen<'_>,
) -> io::Result<()> {
    let more = match (alike.len() - 1, &first.excerpt) {
        (0, Some(excerpt)) => format!(": {}", line(excerpt, NOTE_COLUMNS)),
        (0, None) => String::new(),
        (more, _) => format!(" and {}", count(more, "more place")),
    };
    let text = format!("{} ({}{more})", first.message, place(first));
    title(out, first, &text, screen)
}

fn title(
    out: &mut dyn Write,
    finding: &Finding,
    text: &str,
    screen: &Screen<'_>,
) -> io::Result<()> {
    let style = match finding.severity {
        Severity::Error => DEFAULT_ERROR_STYLE,
        Severity::Warning => DEFAULT_WARNING_STYLE,
        Severity::Note => DEFAULT_NOTE_STYLE,
    };
    let label = format!("{}[{}]", finding.severity.as_str(), finding.rule.id);
    let text = sanitize::line(&format!("`{}`: {text}", finding.skill)).into_owned();
    let text = wrap(&text, screen.width, label.len() + ": ".len(), "  ");
    writeln!(out, "{style}{label}{style:#}{BOLD}: {text}{BOLD:#}")
}

/// `scripts/setup.sh:12`, below the skill.
fn place(finding: &Finding) -> String {
    let path = finding.path.strip_prefix(&finding.skill_path).unwrap_or(&finding.path);
    let path = sanitize::line(&path.to_string_lossy()).into_owned();
    match finding.place {
        Some(place) => format!("{path}:{}", place.start.line),
        None => path,
    }
}

/// The line with the finding; of a long line, the part around it.
fn line(excerpt: &Excerpt, room: usize) -> String {
    let before = excerpt.text.get(..excerpt.mark.start).unwrap_or_default();
    let from = before.char_indices().rev().nth(BEFORE).map_or(0, |(at, _)| at);
    let whole = excerpt.text.trim();
    let text = if whole.chars().count() <= room || from == 0 {
        whole.to_owned()
    } else {
        format!("…{}", excerpt.text.get(from..).unwrap_or_default().trim())
    };
    cut(sanitize::line(&text), room).into_owned()
}

fn not_loaded(out: &mut dyn Write, one: &NotLoaded, screen: &Screen<'_>) -> io::Result<()> {
    let style = DEFAULT_WARNING_STYLE;
    let text = one.obstacle.sentence(one.agent, &format!("`{}`", one.name));
    let text = wrap(&sanitize::line(&text), screen.width, "warning: ".len(), "  ");
    writeln!(out, "{style}warning{style:#}{BOLD}:{BOLD:#} {text}")
}
