//! Turns data into text for an `impl Write`. Nothing here decides anything.

pub mod cache;
pub mod card;
pub mod caution;
pub mod changes;
pub mod columns;
pub mod diff;
pub mod enclosed;
pub mod exports;
pub mod github;
pub mod gitlab;
pub mod human;
pub mod install;
pub mod json;
pub mod json_v1;
pub mod junit;
pub mod list;
pub mod lock;
pub mod mcp;
pub mod paths;
pub mod prompt;
pub mod push;
pub mod rule_docs;
pub mod sanitize;
pub mod sarif;
pub mod screen;
mod styles;
pub mod update;
pub mod wrap;
pub mod xml;

pub use screen::Screen;

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
