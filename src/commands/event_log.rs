//! `--events FILE`: logs events.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cli::printer::Printer;
use crate::output::json;
use crate::skills::files;
use crate::skills::model::error::Error;
use crate::skills::show::events::Event;

/// Where events go.
pub enum EventLog {
    Nowhere,
    Results,
    File(PathBuf, File),
}

/// Opens the log. Call it before anything is printed, so that a failure leaves no output.
pub fn open_log(path: Option<&Path>) -> Result<EventLog, Error> {
    match path {
        None => Ok(EventLog::Nowhere),
        Some(path) if path == Path::new("-") => Ok(EventLog::Results),
        Some(path) => {
            let file =
                files::open_log(path).map_err(|error| Error::writing("write", path, &error))?;
            Ok(EventLog::File(path.to_owned(), file))
        }
    }
}

/// Appends to the log, so that several runs can share it.
pub fn write_events(mut log: EventLog, events: &[Event], printer: &Printer) -> Result<()> {
    log.append(events, printer)
}

impl EventLog {
    /// Appends events.
    pub fn append(&mut self, events: &[Event], printer: &Printer) -> Result<()> {
        let mut lines = Vec::new();
        events.iter().try_for_each(|event| json::line(&mut lines, event))?;
        match self {
            Self::Nowhere => {}
            Self::Results => printer.bytes(&lines)?,
            Self::File(path, file) => {
                file.write_all(&lines).map_err(|error| Error::io("write", &*path, &error))?
            }
        }
        Ok(())
    }
}
