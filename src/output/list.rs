//! Skills for people: a table that fits the terminal, or all details.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use anstyle::Style;

use crate::output::layout::{beside, cut, cut_start, grouped, pad, width, wrap};
use crate::output::{BOLD, DIM, GREEN, NAME_COLUMNS, RED, Screen, YELLOW, count, sanitize};
use crate::skills::agents::join_titles;
use crate::skills::model::inline::tool_names;
use crate::skills::model::scope::Scope;
use crate::skills::show::groups::ListGroup;
use crate::skills::show::listing::{ListLine, Placement, Status, catalog_total};
use crate::skills::show::tools::ToolUse;
use crate::skills::text::document::tokens;
use crate::skills::text::field_values::FieldValues;

/// Minimum columns for a description; with less, the column of places is left out.
const LEAST_DESCRIPTION: usize = 12;

/// With less room than this for descriptions, the column of sources is left out.
const WANTED_DESCRIPTION: usize = 30;

/// Longer sources are cut.
const SOURCE_COLUMNS: usize = 28;

/// One line per skill, then a summary.
pub fn table(out: &mut dyn Write, groups: &[ListGroup<'_>], screen: &Screen<'_>) -> io::Result<()> {
    let most = screen.name_columns();
    let names: Vec<Cow<'_, str>> = groups.iter().map(|group| cut(name(group.row), most)).collect();
    let places: Vec<Cow<'_, str>> = groups.iter().map(places).collect();
    let sources: Vec<Cow<'_, str>> = groups.iter().map(|group| source(group, screen)).collect();
    let widest = |texts: &[Cow<'_, str>]| texts.iter().map(|text| width(text)).max().unwrap_or(0);
    let name_width = widest(&names);
    // Leave out columns with the same value in every line.
    let status_width = if groups.iter().all(|group| group.row.status == Status::Active) {
        0
    } else {
        groups.iter().map(|group| group.row.status.as_str().len()).max().unwrap_or(0)
    };
    let mut columns = [name_width, status_width, widest(&places), widest(&sources)];
    let used = |columns: &[usize]| -> usize {
        columns.iter().filter(|width| **width > 0).map(|width| width + 2).sum()
    };
    // The description matters more than source and place.
    for (column, least) in [(3, WANTED_DESCRIPTION), (2, LEAST_DESCRIPTION)] {
        if screen.width.is_some_and(|width| used(&columns) + least > width) {
            columns[column] = 0;
        }
    }
    let room = screen.width.map(|width| width.saturating_sub(used(&columns)));
    let [name_width, status_width, place_width, source_width] = columns;
    let (bold, dim) = (screen.style(BOLD), screen.style(DIM));
    for (((group, name), place), source) in groups.iter().zip(&names).zip(&places).zip(&sources) {
        let row = group.row;
        write!(out, "{bold}{}{bold:#}", pad(name, name_width))?;
        if status_width > 0 {
            let style = screen.style(status_style(row.status));
            write!(out, "  {style}{}{style:#}", pad(row.status.as_str(), status_width))?;
        }
        for (text, width) in [(place, place_width), (source, source_width)] {
            if width > 0 {
                write!(out, "  {dim}{}{dim:#}", pad(text, width))?;
            }
        }
        let mut text = remark(group, screen);
        if let Some(room) = room {
            text = cut(text, room);
        }
        writeln!(out, "  {}", text.trim_end())?;
    }
    summary(out, groups, screen)
}

/// One paragraph per skill, then a summary.
pub fn long(out: &mut dyn Write, groups: &[ListGroup<'_>], screen: &Screen<'_>) -> io::Result<()> {
    let (bold, dim) = (screen.style(BOLD), screen.style(DIM));
    for group in groups {
        let (row, entry) = (group.row, &group.row.entry);
        let style = screen.style(status_style(row.status));
        let (name, status, place) = (name(row), row.status.as_str(), origin(row));
        let gap = if place.is_empty() { "" } else { "  " };
        let used = width(&name) + 2 + status.len() + gap.len() + width(&place);
        let below = if screen.fits(used) { "  " } else { "\n  " };
        write!(out, "{bold}{name}{bold:#}{below}{style}{status}{style:#}")?;
        writeln!(out, "{gap}{dim}{place}{dim:#}")?;
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
        if row.placement == Some(Placement::Prompt) {
            writeln!(out, "  {}", wrap(&in_prompt(row), screen.width, 2, "  "))?;
        }
        if let Some(text) = entry.fields.as_ref().and_then(version_and_license) {
            writeln!(out, "  {}", wrap(&text, screen.width, 2, "  "))?;
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
        for copy in &group.copies {
            let path = screen.path(&copy.entry.skill.path);
            let gap = if copy.origin.provider.is_some() { "  " } else { "" };
            writeln!(out, "  identical: {path}{gap}{dim}{}{dim:#}", origin(copy))?;
        }
        if let Some(text) = shown_by(group) {
            writeln!(out, "  {}", wrap(&text, screen.width, 2, "  "))?;
        }
        writeln!(out)?;
    }
    summary(out, groups, screen)
}

/// `version 1.2.0, license MIT`
fn version_and_license(fields: &FieldValues) -> Option<String> {
    let part = |word: &str, text: &str| format!("{word} {}", sanitize::folded(text));
    let version = fields.version().map(|text| part("version", text));
    let license = fields.text("license").map(|text| part("license", text));
    let parts: Vec<String> = version.into_iter().chain(license).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// One line per tool with the skills that use it, then a summary.
pub fn tools(out: &mut dyn Write, tools: &[ToolUse], screen: &Screen<'_>) -> io::Result<()> {
    if tools.is_empty() {
        return writeln!(out, "no tools");
    }
    let bold = screen.style(BOLD);
    let names: Vec<Cow<'_, str>> = tools.iter().map(|one| sanitize::line(&one.tool)).collect();
    let widest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    // A tool with long arguments must not widen the whole column.
    let column = widest.min(screen.name_columns().min(NAME_COLUMNS));
    let margin = " ".repeat(column + 2);
    for (one, name) in tools.iter().zip(&names) {
        let skills: Vec<Cow<'_, str>> =
            one.skills.iter().map(|name| sanitize::line(name)).collect();
        let skills = skills.join(", ");
        let used = width(name).max(column) + 2;
        let gap = " ".repeat(used - width(name));
        let text = beside(&gap, &skills, screen.width, used, &margin);
        writeln!(out, "{bold}{name}{bold:#}{text}")?;
    }
    let asking: HashSet<&String> = tools.iter().flat_map(|one| &one.skills).collect();
    let (tools, skills) = (count(tools.len(), "tool"), count(asking.len(), "skill"));
    writeln!(out, "{tools}, asked for by {skills}")
}

/// `stays in the prompt, with the tools lint_code, run_tests`
fn in_prompt(row: &ListLine) -> String {
    let tools =
        row.entry.skill.inline().map(|inline| tool_names(&inline.tools)).unwrap_or_default();
    let tools = if tools.is_empty() { tools } else { format!(", with the tools {tools}") };
    format!("stays in the prompt{}", sanitize::folded(&tools))
}

/// `installed from ~/src/pdf on 2026-11-16, edited since`
fn installed(row: &ListLine, screen: &Screen<'_>) -> Option<String> {
    if let Some(other) = &row.other {
        let from = other.source.as_ref().map(|source| format!(" from {}", sanitize::line(source)));
        return Some(format!(
            "installed by {}{}",
            other.installer.title(),
            from.unwrap_or_default()
        ));
    }
    let record = row.record.as_ref()?;
    let day = record.installed_at.split('T').next().unwrap_or_default();
    if row.linked {
        let target = screen.path(Path::new(&record.source));
        return Some(format!("linked to {target} on {}", sanitize::line(day)));
    }
    let edited = if row.is_edited() == Some(true) { ", edited since" } else { "" };
    let source = screen.path(Path::new(&record.source));
    Some(format!("installed from {source} on {}{edited}", sanitize::line(day)))
}

/// `5 skills in 7 copies: 4 active, 1 invalid; catalogue of 1,200 characters, about 300 tokens`
fn summary(out: &mut dyn Write, groups: &[ListGroup<'_>], screen: &Screen<'_>) -> io::Result<()> {
    if groups.is_empty() {
        return writeln!(out, "no skills");
    }
    let rows = || groups.iter().map(|group| group.row);
    let with = |status: Status| rows().filter(|row| row.status == status).count();
    let parts: Vec<String> = Status::ALL
        .into_iter()
        .filter(|status| with(*status) > 0)
        .map(|status| format!("{} {}", with(status), status.as_str()))
        .collect();
    let copies: usize = groups.iter().map(|group| group.copies.len()).sum();
    let copies = match copies {
        0 => String::new(),
        copies => format!(" in {} copies", groups.len() + copies),
    };
    let placed = |placement| rows().filter(|row| row.placement == Some(placement)).count();
    let placed = match (placed(Placement::Native), placed(Placement::Prompt)) {
        (_, 0) => String::new(),
        (native, in_prompt) => format!("; {native} native, {in_prompt} in the prompt"),
    };
    let characters = catalog_total(rows());
    let text = format!(
        "{}{copies}: {}{placed}; catalogue of {} characters, about {} tokens",
        count(groups.len(), "skill"),
        parts.join(", "),
        grouped(characters as u64),
        grouped(tokens(characters) as u64)
    );
    writeln!(out, "{}", wrap(&text, screen.width, 0, ""))
}

fn name(row: &ListLine) -> Cow<'_, str> {
    match row.full_name() {
        Cow::Borrowed(name) => sanitize::line(name),
        Cow::Owned(name) => Cow::Owned(sanitize::line(&name).into_owned()),
    }
}

/// `claude/user`, or nothing.
fn origin(row: &ListLine) -> Cow<'static, str> {
    match (row.origin.provider, row.origin.scope) {
        (None, _) => Cow::Borrowed(""),
        (Some(provider), None) => Cow::Borrowed(provider),
        (Some(provider), Some(scope)) => Cow::Owned(format!("{provider}/{}", scope.as_str())),
    }
}

/// Where a skill and its copies are: `claude,agents/user`, or `claude/project claude/user`.
fn places(group: &ListGroup<'_>) -> Cow<'static, str> {
    if group.copies.is_empty() {
        return origin(group.row);
    }
    let rows = || std::iter::once(group.row).chain(group.copies.iter().copied());
    let mut scopes: Vec<(Option<Scope>, Vec<&str>)> = Vec::new();
    for row in rows() {
        let Some(provider) = row.origin.provider else { continue };
        match scopes.iter_mut().find(|(scope, _)| *scope == row.origin.scope) {
            Some((_, known)) if known.contains(&provider) => {}
            Some((_, known)) => known.push(provider),
            None => scopes.push((row.origin.scope, vec![provider])),
        }
    }
    let words = scopes.iter().map(|(scope, providers)| match scope {
        Some(scope) => format!("{}/{}", providers.join(","), scope.as_str()),
        None => providers.join(","),
    });
    Cow::Owned(words.collect::<Vec<_>>().join(" "))
}

/// Where a skill came from: the source as the user wrote it, or nothing.
fn source<'a>(group: &ListGroup<'a>, screen: &Screen<'_>) -> Cow<'a, str> {
    let rows = std::iter::once(group.row).chain(group.copies.iter().copied());
    let Some(record) = rows.filter_map(|row| row.record.as_ref()).next() else {
        return Cow::Borrowed("");
    };
    let written = record.requested.as_deref().unwrap_or(&record.source);
    let text = screen.path(Path::new(written));
    // The end of a path is more useful than its start.
    match text.starts_with(['/', '~', '.']) {
        true => Cow::Owned(cut_start(&text, SOURCE_COLUMNS)),
        false => cut(text, SOURCE_COLUMNS),
    }
}

/// `shown by Claude and Codex`, where skills of one name differ.
fn shown_by(group: &ListGroup<'_>) -> Option<String> {
    Some(match group.shown_by.as_ref()?.as_slice() {
        [] => "shown by none of the six agents".to_owned(),
        agents => format!("shown by {}", join_titles(agents)),
    })
}

/// Whether the skill or a copy of it is a link to where somebody writes it.
fn is_linked(group: &ListGroup<'_>) -> bool {
    group.row.linked || group.copies.iter().any(|copy| copy.linked)
}

/// What matters most: why it is not used, else what it is for.
fn remark<'a>(group: &ListGroup<'a>, screen: &Screen<'_>) -> Cow<'a, str> {
    let row = group.row;
    match (row.status, &row.reason) {
        (Status::Active | Status::Hidden, _) | (_, None) => {
            let description =
                sanitize::folded(row.entry.description.as_deref().unwrap_or_default());
            let description = match row.placement {
                Some(Placement::Prompt) => format!("[in prompt] {description}").into(),
                Some(Placement::Native) | None => description,
            };
            let description = match is_linked(group) {
                true => format!("[linked] {description}").into(),
                false => description,
            };
            let agents = shown_by(group).map(|agents| format!("[{agents}] "));
            // Agents load it, but it breaks the specification.
            let rules = match row.rules.as_slice() {
                [] => None,
                rules => Some(format!("[!{}] ", rules.join(", "))),
            };
            match (agents, rules) {
                (None, None) => description,
                (agents, rules) => {
                    let [agents, rules] = [agents, rules].map(Option::unwrap_or_default);
                    format!("{agents}{rules}{description}").into()
                }
            }
        }
        (Status::Shadowed, Some(reason)) => match (&row.shadowed_by, &row.copy_of) {
            (_, Some(twin)) => format!("identical to {}", screen.path(twin)).into(),
            (Some(winner), None) => match shown_by(group) {
                Some(agents) => format!("{agents}; differs from {}", screen.path(winner)).into(),
                None => format!("by {}", screen.path(winner)).into(),
            },
            (None, None) => sanitize::folded(reason),
        },
        (_, Some(reason)) => sanitize::folded(reason),
    }
}

pub const fn status_style(status: Status) -> Style {
    match status {
        Status::Active => GREEN,
        Status::Invalid => RED,
        Status::Shadowed => YELLOW,
        Status::Disabled | Status::Hidden => DIM,
    }
}
