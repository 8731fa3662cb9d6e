//! Notices before slow steps, such as fetching from a server.

use std::fmt::Display;

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
}

/// Called before something slow starts.
pub type Announce = dyn Fn(Progress<'_>) + Send + Sync;
