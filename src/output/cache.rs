//! What is in the cache, for people.

use std::io::{self, Write};
use std::path::Path;

use super::Screen;
use super::columns::{grouped, pad};
use super::styles::{BOLD, DIM};
use crate::skills::find::cache::{CacheEntry, Cleaned, shelves};

/// One line for each part, then one for all; after a cleaning, what is gone.
pub fn report(
    out: &mut dyn Write,
    root: &Path,
    entries: &[CacheEntry],
    cleaned: Option<&Cleaned>,
    screen: &Screen<'_>,
) -> io::Result<()> {
    let size = |entries: &[&CacheEntry]| -> String {
        let bytes = entries.iter().map(|entry| entry.bytes).sum();
        let number =
            if entries.len() == 1 { "1 entry" } else { &format!("{} entries", entries.len()) };
        format!("{number}, {} bytes", grouped(bytes))
    };
    if let Some(cleaned) = cleaned {
        let removed: Vec<&CacheEntry> = cleaned.removed.iter().collect();
        writeln!(out, "removed {}", size(&removed))?;
        if !cleaned.kept.is_empty() {
            let kept: Vec<&CacheEntry> = cleaned.kept.iter().collect();
            writeln!(out, "kept {}, in use by another run", size(&kept))?;
        }
        if !cleaned.failed.is_empty() {
            let failed: Vec<&CacheEntry> = cleaned.failed.iter().map(|(entry, _)| entry).collect();
            writeln!(out, "could not remove {}", size(&failed))?;
        }
    }
    writeln!(out, "{BOLD}{}{BOLD:#}", screen.path(root))?;
    for shelf in shelves() {
        let own: Vec<&CacheEntry> = entries.iter().filter(|entry| entry.shelf == shelf).collect();
        writeln!(out, "  {}  {DIM}{}{DIM:#}", pad(shelf, 10), size(&own))?;
    }
    let all: Vec<&CacheEntry> = entries.iter().collect();
    writeln!(out, "  {}  {}", pad("all", 10), size(&all))
}
