//! Progress of the work, for a caller that shows it.

use std::path::Path;

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
