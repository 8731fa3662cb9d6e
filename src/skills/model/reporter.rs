//! How far the work has come, for whoever wants to show it.

use std::path::Path;

/// Told about progress from any thread; the default says nothing and costs nothing.
pub trait Reporter: Send + Sync {
    /// One more skill is done.
    fn step(&self) {}
    /// All are done.
    fn finish(&self) {}
    /// The signal that asks for an end, if one has arrived.
    fn cancelled(&self) -> Option<i32> {
        None
    }
    /// Whether a second signal asks for an end at once, whatever is left to do.
    fn is_impatient(&self) -> bool {
        false
    }
    /// What was done is undone now, in about this many steps.
    fn undoing(&self, _steps: usize) {}
    /// All is done, and what is left over is removed now, in about this many steps.
    fn cleaning_up(&self, _steps: usize) {}
    /// Another run, with this process number, works on a directory that is needed.
    fn waiting(&self, _directory: &Path, _process: Option<&str>) {}
}

/// Shows nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Reporter for Silent {}
