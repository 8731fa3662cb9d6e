//! Progress of the work, for a caller that shows it.

use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

/// Receives progress from any thread. The default does nothing.
pub trait Reporter: Send + Sync {
    /// One more skill is done.
    fn step(&self) {}
    /// All are done.
    fn finish(&self) {}
    /// The signal that asks to stop, if one has arrived.
    fn cancelled(&self) -> Option<i32> {
        None
    }
    /// Whether a second signal asks to stop at once.
    fn is_impatient(&self) -> bool {
        false
    }
    /// Changes are being undone in about this many steps.
    fn undoing(&self, _steps: usize) {}
    /// The work is done, and leftovers are being removed in about this many steps.
    fn cleaning_up(&self, _steps: usize) {}
    /// Waits for another run, with this process number, that uses the directory.
    fn waiting(&self, _directory: &Path, _process: Option<&str>) {}
}

/// Shows nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Reporter for Silent {}

// Notices before slow steps, such as fetching from a server.

/// A notice before a slow step.
#[derive(Clone, Copy)]
pub enum Progress<'a> {
    /// The user wrote a short form, which means this source.
    Meaning {
        /// The short form.
        written: &'a str,
        /// The source.
        location: &'a dyn Display,
        /// The skill, or none for all skills.
        skill: Option<&'a str>,
    },
    /// This is being fetched.
    Fetching(&'a dyn Display),
    /// Another run is fetching this.
    Waiting(&'a dyn Display),
    /// A part of a source is not read.
    PassedOver {
        /// The part.
        what: &'a dyn Display,
        /// Why.
        reason: &'a str,
    },
    /// A transfer begins, of so many bytes if that is known.
    Begun(Option<u64>),
    /// So many more bytes were transferred.
    Moved(u64),
    /// A transfer is over.
    Ended,
    /// A server is asked again after a pause.
    Pausing {
        /// The server.
        host: &'a str,
        /// Why.
        reason: &'a str,
        /// How long.
        pause: Duration,
    },
}

/// Called before something slow starts.
pub type Announce = dyn Fn(Progress<'_>) + Send + Sync;
