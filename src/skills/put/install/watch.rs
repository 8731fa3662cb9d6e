//! When to stop undoing and cleaning up. The next run can finish both, so a signal may end them.

use std::io;
use std::time::{Duration, Instant};

use crate::skills::model::reporter::Reporter;
use crate::skills::put::install::site::bounded_threads;

/// How long cleaning up may take before a signal ends it.
const A_MOMENT: Duration = Duration::from_secs(1);

/// Reports every step, and knows when to stop.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    reporter: &'a dyn Reporter,
    patience: Patience,
    /// The number of threads for computing.
    threads: usize,
}

/// When to stop.
#[derive(Clone, Copy)]
enum Patience {
    /// At the second signal.
    TwoSignals,
    /// At a signal, but not before this instant.
    OneSignal(Instant),
}

impl<'a> Watch<'a> {
    /// For undoing, which the first signal started. The second ends it.
    pub const fn undoing(reporter: &'a dyn Reporter, threads: usize) -> Self {
        Self { reporter, patience: Patience::TwoSignals, threads }
    }

    /// For cleaning up. A signal ends it, but gives it a moment.
    pub fn cleaning_up(reporter: &'a dyn Reporter, threads: usize) -> Self {
        let patience = Patience::OneSignal(Instant::now() + A_MOMENT);
        Self { reporter, patience, threads }
    }

    /// For cleaning up that any signal ends at once.
    #[cfg(test)]
    pub fn hurried(reporter: &'a dyn Reporter) -> Self {
        Self { reporter, patience: Patience::OneSignal(Instant::now()), threads: 1 }
    }

    /// For tests: never stops.
    #[cfg(test)]
    pub const fn silent() -> Self {
        Self::undoing(&crate::skills::model::reporter::Silent, 1)
    }

    /// The number of threads for removing files, which mostly wait for the disk.
    pub fn threads(&self) -> usize {
        const AT_ONCE: usize = 8;
        if self.threads > 1 { bounded_threads(self.threads.max(AT_ONCE)) } else { 1 }
    }

    /// Reports a step.
    pub fn step(&self) {
        self.reporter.step();
    }

    /// Returns an error when it is time to stop.
    pub fn go_on(&self) -> io::Result<()> {
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
