//! Findings for people: the line, a caret under the character, and what to do.

use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::{View, count, paths, sanitize};
use crate::skills::finding::{Excerpt, Finding, Severity};
use crate::skills::validate::Validation;

/// Longer help is cut: it repeats a line of the file, which `--fix` can write.
const HELP_CHARS: usize = 200;
/// The width that tables and excerpts aim for when no terminal says otherwise.
const DEFAULT_WIDTH: usize = 100;

/// How it looks.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Whether colours are used.
    pub styled: bool,
    /// Columns of the terminal, when there is one.
    pub width: Option<usize>,
    /// Whether to say what could be done next.
    pub hints: bool,
}

/// Prints all findings that are shown, then a summary.
///
/// # Errors
/// Those of the stream.
pub fn validation(
    out: &mut dyn Write,
    validation: &Validation,
    view: &View<'_>,
    look: Look,
) -> io::Result<()> {
    let renderer = if look.styled { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(look.width.unwrap_or(DEFAULT_WIDTH));
    let shown: Vec<&Finding> =
        validation.findings.iter().filter(|finding| view.shows(finding)).collect();
    for finding in &shown {
        writeln!(out, "{}\n", finding_text(finding, view, &renderer))?;
    }
    summary(out, validation, view)?;
    if look.hints {
        hints(out, &shown)?;
    }
    Ok(())
}

fn finding_text(finding: &Finding, view: &View<'_>, renderer: &Renderer) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let path = paths::relative(&finding.path, view.directory);
    let path = sanitize::line(&path).into_owned();
    let title = level.primary_title(sanitize::line(&finding.message)).id(finding.rule.id);
    let mut group = Group::with_title(title).element(source(finding, path));
    if let Some(help) = &finding.help {
        let help = shorten(&sanitize::line(help));
        group = group.element(Level::HELP.message(help));
    }
    renderer.render(&[group])
}

/// The excerpt with a caret, or just the place when there is none.
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
        sanitize::block(excerpt.text.get(from..to).unwrap_or_default()).into_owned()
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
fn summary(out: &mut dyn Write, validation: &Validation, view: &View<'_>) -> io::Result<()> {
    let [errors, warnings, notes] =
        [Severity::Error, Severity::Warning, Severity::Note].map(|one| validation.count(one));
    let mut parts = Vec::new();
    if errors > 0 {
        parts.push(count(errors, "error"));
    }
    if warnings > 0 {
        parts.push(count(warnings, "warning"));
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
    writeln!(out, "{} checked: {result}{hidden}", count(validation.skills.len(), "skill"))
}

fn hints(out: &mut dyn Write, shown: &[&Finding]) -> io::Result<()> {
    let fixable = shown.iter().filter(|finding| finding.fix.is_some()).count();
    if fixable > 0 {
        let them = if fixable == 1 { "it" } else { "them" };
        writeln!(
            out,
            "{} can be repaired: `skills validate --fix` does {them}",
            count(fixable, "finding")
        )?;
    }
    let gravest = shown.iter().max_by_key(|finding| finding.severity);
    if let Some(finding) = gravest {
        writeln!(out, "why, and what to do: `skills explain {}`", finding.rule.id)?;
    }
    Ok(())
}
