//! `--events FILE`: where what happened is logged.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cli::printer::Printer;
use crate::skills::error::Error;
use crate::skills::events::Event;
use crate::skills::platform;

/// Where events go.
pub(super) enum Log {
    Nowhere,
    Results,
    File(PathBuf, File),
}

/// Opens the log first: what was printed cannot be taken back.
pub(super) fn open_log(path: Option<&Path>) -> Result<Log, Error> {
    match path {
        None => Ok(Log::Nowhere),
        Some(path) if path == Path::new("-") => Ok(Log::Results),
        Some(path) => {
            let file =
                platform::open_log(path).map_err(|error| Error::writing("write", path, &error))?;
            Ok(Log::File(path.to_owned(), file))
        }
    }
}

/// Appends to the log, so that several runs can share it.
pub(super) fn write_events(log: Log, events: &[Event], printer: &Printer) -> Result<()> {
    let mut text = String::new();
    for event in events {
        text += &serde_json::to_string(event)?;
        text.push('\n');
    }
    match log {
        Log::Nowhere => {}
        Log::Results => printer.bytes(text.as_bytes())?,
        Log::File(path, mut file) => {
            file.write_all(text.as_bytes()).map_err(|error| Error::io("write", path, &error))?
        }
    }
    Ok(())
}
