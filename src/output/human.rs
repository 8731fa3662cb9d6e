//! Findings for people: the line, a caret under the character, and what to do.

use std::cmp::Reverse;
use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::wrap::wrap;
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
    /// Whether repairs are among that.
    pub repairs: bool,
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
    let page = Page { view, renderer, width: look.width };
    let shown: Vec<&Finding> =
        validation.findings.iter().filter(|finding| view.shows(finding)).collect();
    for finding in &shown {
        writeln!(out, "{}\n", page.finding(finding))?;
    }
    summary(out, validation, view)?;
    if look.hints {
        let fixable = validation.findings.iter().filter(|finding| finding.fix.is_some());
        hints(out, &shown, if look.repairs { fixable.count() } else { 0 })?;
    }
    Ok(())
}

/// What all findings of a run have in common.
struct Page<'a> {
    view: &'a View<'a>,
    renderer: Renderer,
    width: Option<usize>,
}

impl Page<'_> {
    fn finding(&self, finding: &Finding) -> String {
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let label = finding.severity.as_str().len() + finding.rule.id.len() + "[]: ".len();
        let message = self.wrapped(&finding.message, label);
        let path = paths::relative(&finding.path, self.view.directory);
        let path = sanitize::line(&path).into_owned();
        let title = level.primary_title(message).id(finding.rule.id);
        let mut group = Group::with_title(title).element(source(finding, path));
        if let Some(help) = &finding.help {
            let help = self.wrapped(&shorten(help), "  = help: ".len());
            group = group.element(Level::HELP.message(help));
        }
        self.renderer.render(&[group])
    }

    /// Untrusted text; the renderer aligns the lines that follow the first.
    fn wrapped(&self, text: &str, indent: usize) -> String {
        wrap(&sanitize::line(text), self.width, indent, "")
    }
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
    writeln!(out, "{} checked: {result}{hidden}", count(validation.skills.len(), "skill"))
}

fn hints(out: &mut dyn Write, shown: &[&Finding], fixable: usize) -> io::Result<()> {
    if fixable > 0 {
        let them = if fixable == 1 { "it" } else { "them" };
        writeln!(
            out,
            "{} can be repaired: `skills validate --fix` does {them}",
            count(fixable, "finding")
        )?;
    }
    let gravest = shown.iter().min_by_key(|finding| Reverse(finding.severity));
    if let Some(finding) = gravest {
        writeln!(out, "why, and what to do: `skills explain {}`", finding.rule.id)?;
    }
    Ok(())
}
