//! The place where tables are shown.

use std::path::Path;

use anstyle::Style;

use super::paths;

/// A name longer than this is cut in a table.
pub(super) const NAME_COLUMNS: usize = 40;

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
        paths::shown(path, self.directory, self.home)
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
