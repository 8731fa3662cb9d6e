//! The files of a skill as a tree, with sizes and marks.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use super::{DIM, Screen, YELLOW, count, sanitize};
use crate::output::columns::{cut, grouped, pad, width};
use crate::skills::files::inventory::{Excess, is_part_of_skill};
use crate::skills::files::platform::FileKind;
use crate::skills::show::card::SkillDetails;
use crate::skills::show::file_pass::CardFile;

/// Maximum files to show; the rest are counted.
const MOST_FILES: usize = 30;
/// Minimum columns for a name.
const LEAST_NAME: usize = 12;

/// Writes the tree.
pub(super) fn write(
    out: &mut dyn Write,
    details: &SkillDetails,
    verbose: bool,
    screen: &Screen<'_>,
) -> io::Result<()> {
    let shown = if verbose { usize::MAX } else { MOST_FILES };
    let lines = lines(details.files.iter().take(shown));
    let size = |line: &TreeLine<'_>| {
        line.file.filter(|file| file.kind == FileKind::Regular).map(|file| grouped(file.bytes))
    };
    let digits = lines.iter().filter_map(size).map(|size| size.len()).max().unwrap_or(0);
    let marked = lines.iter().filter_map(|line| line.file).map(|file| marks(file).len()).max();
    let behind = 2 + 2 + digits + 2 + marked.unwrap_or(0);
    let most = screen.width.map_or(usize::MAX, |all| all.saturating_sub(behind).max(LEAST_NAME));
    let names: Vec<Cow<'_, str>> = lines.iter().map(|line| cut(line.name.as_str(), most)).collect();
    let widest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    let (dim, mark) = (screen.style(DIM), screen.style(YELLOW));
    for (line, name) in lines.iter().zip(&names) {
        let Some(file) = line.file else {
            writeln!(out, "  {dim}{name}{dim:#}")?;
            continue;
        };
        write!(out, "  {}  {:>digits$}", pad(name, widest), size(line).unwrap_or_default())?;
        let marks = marks(file);
        match marks.is_empty() {
            true => writeln!(out)?,
            false => writeln!(out, "  {mark}{marks}{mark:#}")?,
        }
    }
    let more = details.files.len().saturating_sub(shown);
    if more > 0 {
        writeln!(out, "  … {}, shown with -v", count(more, "more file"))?;
    }
    let files = details.files.iter().filter(|file| file.kind == FileKind::Regular);
    let (number, bytes) = files
        .fold((0, 0_u64), |(number, bytes), file| (number + 1, bytes.saturating_add(file.bytes)));
    let bytes = grouped(bytes);
    writeln!(out, "  {}, {bytes} bytes", count(number, "file"))?;
    match &details.excess {
        None => Ok(()),
        Some(Excess::Entries) => writeln!(out, "  and more files than a skill may have"),
        Some(Excess::Depth(_)) => writeln!(out, "  and more, deeper than a skill may be"),
        Some(Excess::Path(_)) => {
            writeln!(out, "  and more, with longer paths than a skill may have")
        }
    }
}

/// A line of the tree: a file, or a directory before its files.
struct TreeLine<'a> {
    name: String,
    file: Option<&'a CardFile>,
}

fn lines<'a>(files: impl Iterator<Item = &'a CardFile>) -> Vec<TreeLine<'a>> {
    let mut lines = Vec::new();
    let mut open: Vec<&std::ffi::OsStr> = Vec::new();
    let named = |level: usize, name: &std::ffi::OsStr, end: &str| {
        format!("{}{}{end}", "  ".repeat(level), sanitize::line(&name.to_string_lossy()))
    };
    for file in files {
        let parts: Vec<&std::ffi::OsStr> =
            file.path.parent().unwrap_or(Path::new("")).iter().collect();
        let same = open.iter().zip(&parts).take_while(|(one, other)| one == other).count();
        for (level, part) in parts.iter().enumerate().skip(same) {
            lines.push(TreeLine { name: named(level, part, "/"), file: None });
        }
        open.clone_from(&parts);
        let end = if file.kind == FileKind::Directory { "/" } else { "" };
        let name = named(parts.len(), file.path.file_name().unwrap_or_default(), end);
        lines.push(TreeLine { name, file: Some(file) });
    }
    lines
}

/// Properties of a file that matter before an agent runs it.
fn marks(file: &CardFile) -> String {
    let mut marks: Vec<&str> = Vec::new();
    match file.kind {
        FileKind::Symlink => marks.push("link"),
        FileKind::Special(word) => marks.push(word),
        FileKind::Regular | FileKind::Directory => {}
    }
    if !is_part_of_skill(&file.path) {
        marks.push("never installed");
    }
    if file.executable {
        marks.push("executable");
    }
    if file.is_script {
        marks.push("script");
    }
    marks.join(" ")
}
