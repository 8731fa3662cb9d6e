//! Undoing and cleaning up, which the next run can do as well: nobody has to wait for their end.

use std::io;

use crate::skills::install::site::bounded_threads;
use crate::skills::reporter::Reporter;

/// Tells of every step, and knows when to stop.
#[derive(Clone, Copy)]
pub(super) struct Watch<'a> {
    reporter: &'a dyn Reporter,
    /// Signals that are heard before it is time to stop.
    patience: usize,
    /// Threads to use where there is something to compute.
    threads: usize,
}

impl<'a> Watch<'a> {
    /// For undoing, to which the first signal has led: the second ends it.
    pub(super) const fn undoing(reporter: &'a dyn Reporter, threads: usize) -> Self {
        Self { reporter, patience: 1, threads }
    }

    /// For cleaning up: the first signal ends it.
    pub(super) const fn cleaning_up(reporter: &'a dyn Reporter, threads: usize) -> Self {
        Self { reporter, patience: 0, threads }
    }

    /// Nobody watches.
    #[cfg(test)]
    pub(super) const fn silent() -> Self {
        Self { reporter: &crate::skills::reporter::Silent, patience: 0, threads: 1 }
    }

    /// Threads to use. Removing files is waiting for the disk, which does several things at once.
    pub(super) fn threads(&self) -> usize {
        const AT_ONCE: usize = 8;
        if self.threads > 1 { bounded_threads(self.threads.max(AT_ONCE)) } else { 1 }
    }

    /// One more step is taken.
    pub(super) fn step(&self) {
        self.reporter.step();
    }

    /// An error when it is time to stop.
    pub(super) fn go_on(&self) -> io::Result<()> {
        let is_over = match self.patience {
            0 => self.reporter.cancelled().is_some(),
            _ => self.reporter.is_impatient(),
        };
        if is_over {
            Err(io::Error::new(io::ErrorKind::Interrupted, "interrupted"))
        } else {
            Ok(())
        }
    }
}
