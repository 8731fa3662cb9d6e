//! The differences between an installed skill and its source, as a unified diff.

use std::io::{self, Write};
use std::path::Path;

use super::diff::{self, Name};
use crate::skills::put::compare::{FileChange, FileVersion};

/// Longer texts are not compared line by line, because that takes quadratic time.
const MOST_LINES: usize = 20_000;

/// Writes every change, with paths below a directory. Lines of the installed skill have a minus, lines
/// of the source a plus. Bytes that are not text are only said to differ.
pub fn changes(out: &mut dyn Write, changes: &[FileChange], directory: &Path) -> io::Result<()> {
    changes.iter().try_for_each(|change| file(out, change, &directory.join(&change.path)))
}

fn file(out: &mut dyn Write, change: &FileChange, path: &Path) -> io::Result<()> {
    let name = Name::of(path, Path::new(""));
    let side = |prefix: &str, version: Option<&FileVersion>| match version {
        Some(_) => name.with(prefix),
        None => "/dev/null".to_owned(),
    };
    let (before, after) = (change.before.as_ref(), change.after.as_ref());
    let [old, new] = [side("a/", before), side("b/", after)];
    match (before, after) {
        (Some(old), Some(new)) if new.executable && !old.executable => {
            writeln!(out, "{} becomes executable", name.with(""))?;
        }
        (Some(old), Some(new)) if old.executable && !new.executable => {
            writeln!(out, "{} loses its execute bit", name.with(""))?;
        }
        _ => {}
    }
    let bytes = |version: Option<&FileVersion>| version.map_or(Vec::new(), |one| one.bytes.clone());
    let is_same = before.is_some() == after.is_some();
    let (before, after) = (bytes(before), bytes(after));
    if before == after && is_same {
        return Ok(());
    }
    let (Some(before), Some(after)) = (text_of(&before), text_of(&after)) else {
        return writeln!(out, "Binary files {old} and {new} differ");
    };
    if before.lines().count() + after.lines().count() > MOST_LINES {
        return writeln!(out, "Files {old} and {new} differ and are too long to show");
    }
    writeln!(out, "--- {old}\n+++ {new}")?;
    diff::text(out, before, after)
}

fn text_of(bytes: &[u8]) -> Option<&str> {
    str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}
