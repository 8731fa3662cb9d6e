//! What a repair would change, as a unified diff.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use similar::{ChangeTag, TextDiff};

use super::{paths, sanitize};
use crate::skills::fix::Repair;

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const CONTEXT_LINES: usize = 3;

/// One repair: the text as a diff, the rest as one line each.
///
/// # Errors
/// Those of the stream.
pub fn repair(out: &mut dyn Write, repair: &Repair, directory: &std::path::Path) -> io::Result<()> {
    let name =
        |path: &std::path::Path| sanitize::line(&paths::relative(path, directory)).into_owned();
    if let Some(target) = &repair.rename {
        writeln!(out, "rename {} to {}", name(&repair.file), name(target))?;
    }
    for path in &repair.executable {
        writeln!(out, "make {} executable", name(path))?;
    }
    if repair.before == repair.after {
        return Ok(());
    }
    let file = name(&repair.file);
    writeln!(out, "--- {file}\n+++ {file}")?;
    let diff = TextDiff::from_lines(&repair.before, &repair.after);
    for hunk in diff.unified_diff().context_radius(CONTEXT_LINES).iter_hunks() {
        writeln!(out, "{}", hunk.header())?;
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', REMOVED),
                ChangeTag::Insert => ('+', ADDED),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let line = change.value().trim_end_matches(['\n', '\r']);
            writeln!(out, "{style}{sign}{}{style:#}", sanitize::block(line))?;
            if change.missing_newline() {
                writeln!(out, "\\ No newline at end of file")?;
            }
        }
    }
    Ok(())
}
