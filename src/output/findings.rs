//! Findings for people: the line, a caret under the character, and what to do; what must be known before
//! an agent reads a skill.

use std::cmp::Reverse;
use std::io::{self, Write};

use annotate_snippets::renderer::{DEFAULT_ERROR_STYLE, DEFAULT_NOTE_STYLE, DEFAULT_WARNING_STYLE};
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet, Title};

use crate::output::layout::{self, cut, lines, wrap};
use crate::output::{BOLD, DIM, FindingsView, Screen, count, sanitize};
use crate::skills::judge::rule::{Excerpt, Finding, RepairScope, Severity};
use crate::skills::judge::validate::Validation;
use crate::skills::put::install::caution::{Cautions, NotLoaded};

/// Longer help is cut: it repeats a line of the file, which `--fix` can write.
const HELP_CHARS: usize = 200;

/// The default width of tables and excerpts.
const DEFAULT_WIDTH: usize = 100;

/// Which hints to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hints {
    /// Nothing.
    None,
    /// The command that explains the rules.
    Explain,
    /// That, and hints about repairs.
    All,
}

impl Hints {
    /// No hints when quiet; hints about repairs only where `repairs` says so.
    pub const fn of(quiet: bool, repairs: bool) -> Self {
        match (quiet, repairs) {
            (true, _) => Self::None,
            (false, false) => Self::Explain,
            (false, true) => Self::All,
        }
    }
}

/// Prints the findings, then a summary and hints.
pub fn validation(
    out: &mut dyn Write,
    validation: &Validation,
    view: &FindingsView<'_>,
    screen: &Screen<'_>,
    hints: Hints,
) -> io::Result<()> {
    let renderer = if screen.styled { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(screen.width.unwrap_or(DEFAULT_WIDTH));
    let page = Page { view, renderer, screen };
    let shown: Vec<&Finding> =
        validation.findings.iter().filter(|finding| view.shows(finding)).collect();
    for finding in &shown {
        writeln!(out, "{}\n", page.finding(finding))?;
    }
    let mut texts = Vec::new();
    if hints == Hints::All {
        texts.extend(repair_hints(&shown));
    }
    if hints != Hints::None {
        texts.extend(explain_hint(&shown));
    }
    for text in [summary(validation, view)].iter().chain(&texts) {
        writeln!(out, "{}", wrap(text, screen.width, 0, ""))?;
    }
    Ok(())
}

/// Data for all findings of a run.
struct Page<'a> {
    view: &'a FindingsView<'a>,
    screen: &'a Screen<'a>,
    renderer: Renderer,
}

impl Page<'_> {
    fn finding(&self, finding: &Finding) -> String {
        let path = layout::relative(&finding.path, self.view.directory);
        let path = sanitize::line(&path).into_owned();
        let mut group = Group::with_title(self.title(finding)).element(source(finding, path));
        if let Some(effect) = &finding.effect {
            let effect = sanitize::line(effect);
            let room = self.screen.width.unwrap_or(usize::MAX).saturating_sub("  = note: ".len());
            group = group.element(Level::NOTE.message(lines(&effect, room, "")));
        }
        if let Some(help) = &finding.help {
            let help = shorten(help);
            let help = sanitize::line(&help);
            let room = self.screen.width.unwrap_or(usize::MAX).saturating_sub("  = help: ".len());
            // The renderer aligns the lines that follow the first.
            group = group.element(Level::HELP.message(lines(&help, room, "")));
        }
        self.renderer.render(&[group])
    }

    /// `error[rule]: message`
    fn title(&self, finding: &Finding) -> Title<'static> {
        let (level, style) = match finding.severity {
            Severity::Error => (Level::ERROR, DEFAULT_ERROR_STYLE),
            Severity::Warning => (Level::WARNING, DEFAULT_WARNING_STYLE),
            Severity::Note => (Level::NOTE, DEFAULT_NOTE_STYLE),
        };
        let label = format!("{}[{}]", finding.severity.as_str(), finding.rule.id);
        let message = sanitize::line(&finding.message);
        let message = wrap(&message, self.screen.width, label.len() + ": ".len(), "");
        if message.starts_with('\n') {
            // The renderer aligns the message with the label anyway.
            let (style, bold) = (self.screen.style(style), self.screen.style(BOLD));
            let text = format!("{style}{label}{style:#}{bold}:{message}{bold:#}");
            return level.no_name().secondary_title(text);
        }
        level.primary_title(message).id(finding.rule.id)
    }
}

/// The excerpt with a caret, or just the place if there is no excerpt.
fn source(finding: &Finding, path: String) -> Element<'static> {
    match (&finding.excerpt, finding.place) {
        (Some(excerpt), _) if excerpt.from_line_start => {
            let (text, mark) = printable(excerpt);
            Snippet::source(text)
                .line_start(excerpt.first_line)
                .path(path)
                .annotation(AnnotationKind::Primary.span(mark))
                .into()
        }
        (_, Some(place)) => {
            Origin::path(path).line(place.start.line).char_column(place.start.column).into()
        }
        (_, None) => Origin::path(path).into(),
    }
}

/// The excerpt without dangerous characters, and the mark moved along.
fn printable(excerpt: &Excerpt) -> (String, std::ops::Range<usize>) {
    let part = |from: usize, to: usize| {
        let text = excerpt.text.get(from..to).unwrap_or_default().replace("\r\n", "\n");
        sanitize::block(&text).into_owned()
    };
    let before = part(0, excerpt.mark.start);
    let marked = part(excerpt.mark.start, excerpt.mark.end);
    let after = part(excerpt.mark.end, excerpt.text.len());
    let mark = before.len()..before.len() + marked.len();
    (before + &marked + &after, mark)
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(HELP_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// `3 skills checked: 2 errors, 1 warning`
fn summary(validation: &Validation, view: &FindingsView<'_>) -> String {
    let [errors, warnings, notes] =
        [Severity::Error, Severity::Warning, Severity::Note].map(|one| validation.count(one));
    let mut parts = Vec::new();
    if errors > 0 {
        parts.push(count(errors, "error"));
    }
    if warnings > 0 {
        parts.push(count(warnings, "warning"));
    }
    if warnings > 0 && errors == 0 && validation.strict {
        let verb = if warnings == 1 { "fails" } else { "fail" };
        parts.push(format!("which {verb} with --strict"));
    }
    if notes > 0 && view.notes {
        parts.push(count(notes, "note"));
    }
    let result = if parts.is_empty() { "no problems".to_owned() } else { parts.join(", ") };
    let hidden = if notes > 0 && !view.notes {
        format!(" ({}, shown with -v)", count(notes, "note"))
    } else {
        String::new()
    };
    format!("{} checked: {result}{hidden}", count(validation.skills.len(), "skill"))
}

/// Hints about the shown findings that can be repaired.
fn repair_hints(shown: &[&Finding]) -> Vec<String> {
    let fixable = |scope| shown.iter().filter(|finding| finding.is_fixable(scope)).count();
    let faults = fixable(RepairScope::Faults);
    let notes = fixable(RepairScope::All) - faults;
    let hint = |number, thing, flag| {
        let things = count(number, thing);
        (number > 0).then(|| format!("{things} can be repaired with `skills validate {flag}`"))
    };
    [hint(faults, "finding", "--fix"), hint(notes, "note", "--fix=all")]
        .into_iter()
        .flatten()
        .collect()
}

fn explain_hint(shown: &[&Finding]) -> Option<String> {
    let gravest = shown.iter().min_by_key(|finding| Reverse(finding.severity))?;
    Some(format!("why, and what to do: `skills explain {}`", gravest.rule.id))
}

// Warnings before an agent reads the skills: one title for each skill and rule, and below it every
// place with its line.

/// Maximum places of one rule in one skill without `-v`.
const PLACES: usize = 10;

/// Default columns of a line of a file.
const WARNING_WIDTH: usize = 160;

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
                let room = screen.width.unwrap_or(WARNING_WIDTH);
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
