//! Turns data into text for an `impl Write`. Nothing here decides anything.

pub mod card;
pub mod diff;
pub mod exports;
pub mod findings;
pub mod github;
pub mod gitlab;
pub mod json;
pub mod junit;
pub mod layout;
pub mod list;
pub mod mcp;
pub mod prompt;
pub mod report;
pub mod rule_docs;
pub mod sanitize;
pub mod sarif;

use std::path::Path;

use anstyle::{AnsiColor, Style};

use crate::skills::judge::rule::{Finding, Severity};

/// What every format of findings needs to know.
#[derive(Debug, Clone, Copy)]
pub struct FindingsView<'a> {
    /// Paths below this directory are shown relative to it.
    pub directory: &'a std::path::Path,
    /// Whether notes are shown; JSON and JUnit always have them.
    pub notes: bool,
}

impl FindingsView<'_> {
    /// Whether people are shown this finding.
    pub fn shows(&self, finding: &Finding) -> bool {
        self.notes || finding.severity > Severity::Note
    }
}

/// `1 error`, `2 errors`.
pub fn count(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

// The place where tables are shown.

/// A name longer than this is cut in a table.
pub const NAME_COLUMNS: usize = 40;

/// Where text for people is shown: relative paths, width and styles.
#[derive(Debug, Clone, Copy)]
pub struct Screen<'a> {
    /// Paths below this directory are relative.
    pub directory: &'a Path,
    /// Paths below the home start with `~`.
    pub home: Option<&'a Path>,
    /// Columns of the terminal, if there is one.
    pub width: Option<usize>,
    /// Whether styles are shown.
    pub styled: bool,
}

impl Screen<'_> {
    /// This style, or none.
    pub const fn style(&self, style: Style) -> Style {
        if self.styled { style } else { Style::new() }
    }

    /// A path, short and harmless.
    pub fn path(&self, path: &Path) -> String {
        layout::shown(path, self.directory, self.home)
    }

    /// Whether a line of this many columns fits.
    pub fn fits(&self, columns: usize) -> bool {
        self.width.is_none_or(|width| columns <= width)
    }

    /// Maximum columns for the name of a skill in a table.
    pub fn name_columns(&self) -> usize {
        self.width.map_or(usize::MAX, |width| NAME_COLUMNS.min(width * 2 / 5).max(8))
    }
}

// The styles of tables and diffs, the same in all of them.

pub const BOLD: Style = Style::new().bold();

pub const DIM: Style = Style::new().dimmed();

pub const RED: Style = AnsiColor::Red.on_default();

pub const YELLOW: Style = AnsiColor::Yellow.on_default();

pub const GREEN: Style = AnsiColor::Green.on_default();
