//! How far the work has come, for whoever wants to show it.

use std::path::Path;

/// Told about progress from any thread; the default says nothing and costs nothing.
pub trait Reporter: Sync {
    /// One more skill is done.
    fn step(&self) {}
    /// All are done.
    fn finish(&self) {}
    /// The signal that asks for an end, if one has arrived.
    fn cancelled(&self) -> Option<i32> {
        None
    }
    /// Another run, with this process number, works on a directory that is needed.
    fn waiting(&self, _directory: &Path, _process: Option<&str>) {}
}

/// Shows nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Reporter for Silent {}
