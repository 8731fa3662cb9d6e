//! Workflow commands that GitHub shows as annotations on a pull request.

use std::io::{self, Write};
use std::path::Path;

use crate::output::{FindingsView, layout, sanitize};
use crate::skills::judge::rule::{Finding, Severity};
use crate::skills::judge::validate::Validation;
use crate::skills::model::error::Error;

/// One command for every finding that is shown.
pub fn validation(
    out: &mut dyn Write,
    validation: &Validation,
    view: &FindingsView<'_>,
) -> io::Result<()> {
    for finding in validation.findings.iter().filter(|finding| view.shows(finding)) {
        annotation(out, finding, view)?;
    }
    Ok(())
}

/// A failed run, so that the pull request shows the reason.
pub fn failure(out: &mut dyn Write, error: &Error, directory: &Path) -> io::Result<()> {
    write!(out, "::error ")?;
    if let Some(path) = &error.path {
        write!(out, "file={},", property(&layout::relative(path, directory)))?;
    }
    write!(out, "title=skills::{}", data(&error.message))?;
    if let Some(help) = &error.help {
        write!(out, "%0Ahelp: {}", data(help))?;
    }
    writeln!(out)
}

fn annotation(out: &mut dyn Write, finding: &Finding, view: &FindingsView<'_>) -> io::Result<()> {
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let file = layout::relative(&finding.path, view.directory);
    write!(out, "::{command} file={}", property(&file))?;
    if let Some(place) = finding.place {
        write!(out, ",line={},endLine={}", place.start.line, place.end.line)?;
        // GitHub ignores columns of a range over several lines.
        if place.start.line == place.end.line {
            write!(out, ",col={},endColumn={}", place.start.column, place.end.column)?;
        }
    }
    write!(out, ",title={}::{}", property(finding.rule.id), data(&finding.message))?;
    if let Some(help) = &finding.help {
        write!(out, "%0Ahelp: {}", data(help))?;
    }
    writeln!(out)
}

/// Text of the message: `%` and line breaks are escaped.
fn data(text: &str) -> String {
    sanitize::line(text).replace('%', "%25")
}

/// A property ends at `,` or `:` too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
