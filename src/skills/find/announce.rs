//! Notices before slow steps, such as fetching from a server.

use std::fmt::Display;
use std::time::Duration;

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
