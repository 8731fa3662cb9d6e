//! How far the work has come, for whoever wants to show it.

/// Told about progress from any thread; the default says nothing and costs nothing.
pub trait Reporter: Sync {
    /// One more skill is done.
    fn step(&self) {}
    /// All are done.
    fn finish(&self) {}
}

/// Shows nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Reporter for Silent {}
