//! Undoing and cleaning up, which the next run can do as well: nobody has to wait for their end.

use std::io;
use std::time::{Duration, Instant};

use crate::skills::model::reporter::Reporter;
use crate::skills::put::install::site::bounded_threads;

/// Who asks for an end waits for so much cleaning up.
const A_MOMENT: Duration = Duration::from_secs(1);

/// Tells of every step, and knows when to stop.
#[derive(Clone, Copy)]
pub(super) struct Watch<'a> {
    reporter: &'a dyn Reporter,
    patience: Patience,
    /// Threads to use where there is something to compute.
    threads: usize,
}

/// What it takes to stop.
#[derive(Clone, Copy)]
enum Patience {
    /// A second signal.
    TwoSignals,
    /// A signal, from then on.
    OneSignal(Instant),
}

impl<'a> Watch<'a> {
    /// For undoing, to which the first signal has led: the second ends it.
    pub(super) const fn undoing(reporter: &'a dyn Reporter, threads: usize) -> Self {
        Self { reporter, patience: Patience::TwoSignals, threads }
    }

    /// For cleaning up: the first signal ends it, unless it is over in a moment.
    pub(super) fn cleaning_up(reporter: &'a dyn Reporter, threads: usize) -> Self {
        let patience = Patience::OneSignal(Instant::now() + A_MOMENT);
        Self { reporter, patience, threads }
    }

    /// For cleaning up that nobody waits for at all.
    #[cfg(test)]
    pub(super) fn hurried(reporter: &'a dyn Reporter) -> Self {
        Self { reporter, patience: Patience::OneSignal(Instant::now()), threads: 1 }
    }

    /// Nobody watches.
    #[cfg(test)]
    pub(super) const fn silent() -> Self {
        Self::undoing(&crate::skills::model::reporter::Silent, 1)
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
            Patience::TwoSignals => self.reporter.is_impatient(),
            Patience::OneSignal(from) => {
                self.reporter.cancelled().is_some() && Instant::now() >= from
            }
        };
        if is_over {
            Err(io::Error::new(io::ErrorKind::Interrupted, "interrupted"))
        } else {
            Ok(())
        }
    }
}
