//! Skills for people: a table that fits the terminal, or everything there is to know.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use anstyle::Style;

use super::columns::{cut, grouped, pad, width};
use super::styles::{BOLD, DIM, GREEN, RED, YELLOW};
use super::wrap::wrap;
use super::{Screen, count, sanitize};
use crate::skills::show::listing::{ListLine, Status, catalog_total};
use crate::skills::text::limits::tokens;

/// A description gets at least this much room, or its column is left out.
const LEAST_DESCRIPTION: usize = 12;

/// One line a skill, then a summary.
///
/// # Errors
/// Those of the stream.
pub fn table(out: &mut dyn Write, rows: &[ListLine], screen: &Screen<'_>) -> io::Result<()> {
    let most = screen.name_columns();
    let names: Vec<Cow<'_, str>> = rows.iter().map(|row| cut(name(row), most)).collect();
    let origins: Vec<Cow<'_, str>> = rows.iter().map(origin).collect();
    let widest = |texts: &[Cow<'_, str>]| texts.iter().map(|text| width(text)).max().unwrap_or(0);
    let name_width = widest(&names);
    // Columns that would say the same in every line are left out.
    let status_width = if rows.iter().all(|row| row.status == Status::Active) {
        0
    } else {
        rows.iter().map(|row| row.status.as_str().len()).max().unwrap_or(0)
    };
    let mut origin_width = widest(&origins);
    let used = |origin: usize| {
        let shown = [name_width, status_width, origin].into_iter().filter(|width| *width > 0);
        shown.map(|width| width + 2).sum::<usize>()
    };
    if screen.width.is_some_and(|width| used(origin_width) + LEAST_DESCRIPTION > width) {
        origin_width = 0;
    }
    let room = screen.width.map(|width| width.saturating_sub(used(origin_width)));
    let (bold, dim) = (screen.style(BOLD), screen.style(DIM));
    for ((row, name), origin) in rows.iter().zip(&names).zip(&origins) {
        write!(out, "{bold}{}{bold:#}", pad(name, name_width))?;
        if status_width > 0 {
            let style = screen.style(style(row.status));
            write!(out, "  {style}{}{style:#}", pad(row.status.as_str(), status_width))?;
        }
        if origin_width > 0 {
            write!(out, "  {dim}{}{dim:#}", pad(origin, origin_width))?;
        }
        let mut text = remark(row, screen);
        if let Some(room) = room {
            text = cut(text, room);
        }
        writeln!(out, "  {}", text.trim_end())?;
    }
    summary(out, rows, screen)
}

/// A paragraph a skill, then a summary.
///
/// # Errors
/// Those of the stream.
pub fn long(out: &mut dyn Write, rows: &[ListLine], screen: &Screen<'_>) -> io::Result<()> {
    let (bold, dim) = (screen.style(BOLD), screen.style(DIM));
    for row in rows {
        let entry = &row.entry;
        let style = screen.style(style(row.status));
        let (name, status, origin) = (name(row), row.status.as_str(), origin(row));
        let gap = if origin.is_empty() { "" } else { "  " };
        let used = width(&name) + 2 + status.len() + gap.len() + width(&origin);
        let below = if screen.fits(used) { "  " } else { "\n  " };
        write!(out, "{bold}{name}{bold:#}{below}{style}{status}{style:#}")?;
        writeln!(out, "{gap}{dim}{origin}{dim:#}")?;
        if let Some(reason) = &row.reason {
            writeln!(out, "  {}", wrap(&sanitize::folded(reason), screen.width, 2, "  "))?;
        }
        if !row.rules.is_empty() && row.status != Status::Invalid {
            let rules = format!("breaks {}", row.rules.join(", "));
            writeln!(out, "  {}", wrap(&rules, screen.width, 2, "  "))?;
        }
        if let Some(description) = &entry.description {
            writeln!(out, "  {}", wrap(&sanitize::folded(description), screen.width, 2, "  "))?;
        }
        if let Some(size) = entry.size {
            let files = count(size.files, "file");
            let [catalog, body] = [entry.catalog_chars, entry.body_chars].map(tokens);
            let bytes = grouped(size.bytes);
            let text = format!(
                "{files}, {bytes} bytes; about {} tokens in the catalogue, {} in the body",
                grouped(catalog as u64),
                grouped(body as u64)
            );
            writeln!(out, "  {}", wrap(&text, screen.width, 2, "  "))?;
        }
        writeln!(out, "  {}", screen.path(&entry.skill.path))?;
        if let Some(digest) = &entry.digest {
            writeln!(out, "  {digest}")?;
        }
        if let Some(text) = installed(row, screen) {
            writeln!(out, "  {}", wrap(&text, screen.width, 2, "  "))?;
        }
        writeln!(out)?;
    }
    summary(out, rows, screen)
}

/// `installed from ~/src/pdf on 2026-11-16, edited since`
fn installed(row: &ListLine, screen: &Screen<'_>) -> Option<String> {
    let record = row.record.as_ref()?;
    let day = record.installed_at.split('T').next().unwrap_or_default();
    let edited = if row.is_edited() == Some(true) { ", edited since" } else { "" };
    let source = screen.path(Path::new(&record.source));
    Some(format!("installed from {source} on {}{edited}", sanitize::line(day)))
}

/// `5 skills: 3 active, 1 shadowed, 1 invalid; catalogue of 1,200 characters, about 300 tokens`
fn summary(out: &mut dyn Write, rows: &[ListLine], screen: &Screen<'_>) -> io::Result<()> {
    if rows.is_empty() {
        return writeln!(out, "no skills");
    }
    let with = |status: Status| rows.iter().filter(|row| row.status == status).count();
    let parts: Vec<String> = Status::ALL
        .into_iter()
        .filter(|status| with(*status) > 0)
        .map(|status| format!("{} {}", with(status), status.as_str()))
        .collect();
    let characters = catalog_total(rows);
    let text = format!(
        "{}: {}; catalogue of {} characters, about {} tokens",
        count(rows.len(), "skill"),
        parts.join(", "),
        grouped(characters as u64),
        grouped(tokens(characters) as u64)
    );
    writeln!(out, "{}", wrap(&text, screen.width, 0, ""))
}

fn name(row: &ListLine) -> Cow<'_, str> {
    sanitize::line(row.shown_name())
}

/// `claude/user`, or nothing.
fn origin(row: &ListLine) -> Cow<'static, str> {
    match (row.origin.provider, row.origin.scope) {
        (None, _) => Cow::Borrowed(""),
        (Some(provider), None) => Cow::Borrowed(provider),
        (Some(provider), Some(scope)) => Cow::Owned(format!("{provider}/{}", scope.as_str())),
    }
}

/// What matters most: why it is not used, else what it is for.
fn remark<'a>(row: &'a ListLine, screen: &Screen<'_>) -> Cow<'a, str> {
    match (row.status, &row.reason) {
        (Status::Active | Status::Hidden, _) | (_, None) => {
            let description =
                sanitize::folded(row.entry.description.as_deref().unwrap_or_default());
            // Agents load it, but it breaks the specification.
            match row.rules.as_slice() {
                [] => description,
                rules => format!("[!{}] {description}", rules.join(", ")).into(),
            }
        }
        (Status::Shadowed, Some(reason)) => match &row.shadowed_by {
            Some(winner) => format!("by {}", screen.path(winner)).into(),
            None => sanitize::folded(reason),
        },
        (_, Some(reason)) => sanitize::folded(reason),
    }
}

const fn style(status: Status) -> Style {
    match status {
        Status::Active => GREEN,
        Status::Invalid => RED,
        Status::Shadowed => YELLOW,
        Status::Disabled | Status::Hidden => DIM,
    }
}
