//! Repairs as a diff. `patch -p1` and `git apply` turn it into exactly what `--fix` writes.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use anstyle::Style;
use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{ChangeTag, DiffOp, group_diff_ops};

use crate::output::{GREEN, RED, sanitize};
use crate::skills::judge::fix::Repair;
use crate::skills::put::compare::{FileChange, FileVersion};
use crate::skills::text::document::BOM;
use crate::skills::text::quote::is_printable;

/// Unchanged lines around a change. Fewer if a line is not safe to print, but at least one, because
/// `git apply` takes a hunk without context for the end of the file.
const CONTEXT_LINES: [usize; 3] = [3, 2, 1];

/// Writes repairs, with paths relative to a directory.
///
/// Changes of names and modes come last, with git headers: `patch` would read a plain header after
/// them as part of them. All other changes have plain headers, because `git apply` takes paths in
/// git headers as relative to the top of the repository.
pub struct Diff<'a> {
    directory: &'a Path,
    last: Vec<u8>,
}

impl<'a> Diff<'a> {
    /// A diff to be applied in `directory`.
    pub const fn new(directory: &'a Path) -> Self {
        Self { directory, last: Vec::new() }
    }

    /// Writes one repair, or keeps it for the end.
    pub fn repair(&mut self, out: &mut dyn Write, repair: &Repair) -> io::Result<()> {
        let file = Name::of(&repair.file, self.directory);
        match &repair.rename {
            None => change(out, [&file; 2], repair)?,
            Some(target) => {
                let target = Name::of(target, self.directory);
                writeln!(self.last, "diff --git {} {}", file.with("a/"), target.with("b/"))?;
                writeln!(self.last, "rename from {}", file.with(""))?;
                writeln!(self.last, "rename to {}", target.with(""))?;
                change(&mut self.last, [&file, &target], repair)?;
            }
        }
        for change in &repair.executable {
            let path = repair.skill.join(&change.path);
            let name = Name::of(&path, self.directory);
            writeln!(self.last, "diff --git {} {}", name.with("a/"), name.with("b/"))?;
            writeln!(self.last, "old mode 100{:03o}", change.before)?;
            writeln!(self.last, "new mode 100{:03o}", change.after)?;
        }
        Ok(())
    }

    /// Writes the repairs that were kept for the end.
    pub fn finish(self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.last)
    }
}

/// The new text of a file, if it has one.
fn change(out: &mut dyn Write, [old, new]: [&Name<'_>; 2], repair: &Repair) -> io::Result<()> {
    if repair.before == repair.after {
        return Ok(());
    }
    writeln!(out, "--- {}\n+++ {}", old.with("a/"), new.with("b/"))?;
    text(out, &repair.before, &repair.after)
}

/// The lines that differ between two texts, with those around them.
pub fn text(out: &mut dyn Write, before: &str, after: &str) -> io::Result<()> {
    // Only a newline ends a line, as in `patch`.
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<_>>();
    let (before, after) = (lines(before), lines(after));
    for hunk in hunks(&before, &after) {
        writeln!(out, "{}", UnifiedHunkHeader::new(&hunk))?;
        for change in hunk.iter().flat_map(|part| part.iter_changes(&before, &after)) {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', RED),
                ChangeTag::Insert => ('+', GREEN),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let is_first = change.old_index() == Some(0);
            let (mark, line, end) = parts(change.value(), is_first);
            writeln!(out, "{style}{sign}{mark}{}{style:#}{end}", sanitize::block(line))?;
            if !change.value().ends_with('\n') {
                writeln!(out, "\\ No newline at end of file")?;
            }
        }
    }
    Ok(())
}

/// A line without a byte order mark at the start of the file and without its carriage return.
fn parts(line: &str, is_first: bool) -> (&'static str, &str, &'static str) {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let (line, end) = line.strip_suffix('\r').map_or((line, ""), |line| (line, "\r"));
    match line.strip_prefix(BOM).filter(|_| is_first) {
        Some(line) => (BOM, line, end),
        None => ("", line, end),
    }
}

/// The changes with the lines around them.
fn hunks(before: &[&str], after: &[&str]) -> Vec<Vec<DiffOp>> {
    let is_printable = |hunks: &Vec<Vec<DiffOp>>| {
        let mut changes = hunks.iter().flatten().flat_map(|part| part.iter_changes(before, after));
        changes.all(|change| is_printable(parts(change.value(), change.old_index() == Some(0)).1))
    };
    let mut grouped =
        CONTEXT_LINES.into_iter().map(|lines| group_diff_ops(changes(before, after), lines));
    let last = CONTEXT_LINES.len() - 1;
    grouped.by_ref().take(last).find(is_printable).or_else(|| grouped.next()).unwrap_or_default()
}

/// The changes by line. Names the algorithm statically: choosing it at run time would add all of
/// them, half a megabyte, to the program.
fn changes(before: &[&str], after: &[&str]) -> Vec<DiffOp> {
    let mut found = Compact::new(Replace::new(Capture::new()), before, after);
    let Ok(()) = myers::diff(&mut found, before, 0..before.len(), after, 0..after.len());
    found.into_inner().into_inner().into_ops()
}

/// A path as the header of a diff has it.
pub struct Name<'a>(Cow<'a, [u8]>);

impl<'a> Name<'a> {
    pub fn of(path: &'a Path, directory: &Path) -> Self {
        let path = path.strip_prefix(directory).unwrap_or(path);
        let bytes = path.as_os_str().as_encoded_bytes();
        Self(if std::path::MAIN_SEPARATOR == '\\' {
            Cow::Owned(bytes.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect())
        } else {
            Cow::Borrowed(bytes.strip_prefix(b"/").unwrap_or(bytes))
        })
    }

    /// The name after a prefix; quoted and escaped if it has special characters.
    pub fn with(&self, prefix: &str) -> String {
        if let Ok(name) = str::from_utf8(&self.0)
            && !name.contains([' ', '"', '\\'])
            && sanitize::line(name) == name
        {
            return format!("{prefix}{name}");
        }
        let mut quoted = format!("\"{prefix}");
        for byte in self.0.iter() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b' ' | b'-' | b'_' | b'.' | b'/' => {
                    quoted.push(char::from(*byte));
                }
                _ => quoted.push_str(&format!("\\{byte:03o}")),
            }
        }
        quoted + "\""
    }
}

// The differences between an installed skill and its source, as a unified diff.

/// Longer texts are not compared line by line, because that takes quadratic time.
const MOST_LINES: usize = 20_000;

/// Writes every change, with paths below a directory. Lines of the installed skill have a minus, lines
/// of the source a plus. Bytes that are not text are only said to differ.
pub fn file_changes(
    out: &mut dyn Write,
    changes: &[FileChange],
    directory: &Path,
) -> io::Result<()> {
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
    text(out, before, after)
}

fn text_of(bytes: &[u8]) -> Option<&str> {
    str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}
