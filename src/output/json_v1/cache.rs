//! What is in the cache, for scripts.

use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

use serde::Serialize;

use super::{VERSION, text};
use crate::output::json;
use crate::skills::find::cache::{CacheEntry, Cleaned, shelves};
use crate::skills::text::clock;

#[derive(Serialize)]
struct CacheReport {
    version: u32,
    path: String,
    entries: usize,
    bytes: u64,
    shelves: Vec<ShelfRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<CacheSum>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<CacheSum>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<CacheSum>,
}

#[derive(Serialize)]
struct ShelfRow {
    shelf: &'static str,
    entries: usize,
    bytes: u64,
    oldest_use: Option<String>,
    latest_use: Option<String>,
}

#[derive(Serialize)]
struct CacheSum {
    entries: usize,
    bytes: u64,
}

/// The document.
pub fn report(
    out: &mut dyn Write,
    root: &Path,
    entries: &[CacheEntry],
    cleaned: Option<&Cleaned>,
) -> io::Result<()> {
    let time = |used: SystemTime| {
        clock::timestamp(used.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default())
    };
    let row = |shelf: &'static str| {
        let own: Vec<&CacheEntry> = entries.iter().filter(|entry| entry.shelf == shelf).collect();
        ShelfRow {
            shelf,
            entries: own.len(),
            bytes: own.iter().map(|entry| entry.bytes).sum(),
            oldest_use: own.iter().map(|entry| entry.used).min().map(time),
            latest_use: own.iter().map(|entry| entry.used).max().map(time),
        }
    };
    let failed = |cleaned: &Cleaned| sum(cleaned.failed.iter().map(|(entry, _)| entry));
    json::write(
        out,
        &CacheReport {
            version: VERSION,
            path: text(root),
            entries: entries.len(),
            bytes: entries.iter().map(|entry| entry.bytes).sum(),
            shelves: shelves().map(row).into(),
            removed: cleaned.map(|cleaned| sum(cleaned.removed.iter())),
            kept: cleaned.map(|cleaned| sum(cleaned.kept.iter())),
            failed: cleaned.map(failed),
        },
    )
}

fn sum<'a>(entries: impl ExactSizeIterator<Item = &'a CacheEntry>) -> CacheSum {
    CacheSum { entries: entries.len(), bytes: entries.map(|entry| entry.bytes).sum() }
}
