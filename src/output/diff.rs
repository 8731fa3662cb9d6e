//! What a repair would change, as a unified diff.

use std::io::{self, Write};

use anstyle::Style;
use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{ChangeTag, DiffOp, DiffableStr, group_diff_ops};

use super::styles::{GREEN, RED};
use super::{paths, sanitize};
use crate::skills::judge::fix::Repair;

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
        writeln!(out, "make {} executable", name(&repair.skill.join(path)))?;
    }
    if repair.before == repair.after {
        return Ok(());
    }
    let file = name(&repair.file);
    writeln!(out, "--- {file}\n+++ {file}")?;
    let (before, after) = (repair.before.tokenize_lines(), repair.after.tokenize_lines());
    for hunk in group_diff_ops(changes(&before, &after), CONTEXT_LINES) {
        writeln!(out, "{}", UnifiedHunkHeader::new(&hunk))?;
        for change in hunk.iter().flat_map(|part| part.iter_changes(&before, &after)) {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', RED),
                ChangeTag::Insert => ('+', GREEN),
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

/// What became of which lines. The algorithm is named here and not chosen at run time, which would
/// put all of them, half a megabyte, into the program.
fn changes(before: &[&str], after: &[&str]) -> Vec<DiffOp> {
    let mut found = Compact::new(Replace::new(Capture::new()), before, after);
    let Ok(()) = myers::diff(&mut found, before, 0..before.len(), after, 0..after.len());
    found.into_inner().into_inner().into_ops()
}
