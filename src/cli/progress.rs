//! A progress line on the terminal, for work that takes a while.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::printer::Printer;
use crate::skills::files::Interrupts;
use crate::skills::model::reporter::{Reporter, Silent};

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(700);

struct ProgressLine {
    verb: &'static str,
    /// The name of the counted things.
    unit: &'static str,
    total: Option<u64>,
    begun: Instant,
    done: AtomicUsize,
    shown: OnceLock<ProgressBar>,
}

/// A reporter that shows a line when `enabled` and standard error is a terminal.
pub fn reporter(enabled: bool, verb: &'static str) -> Box<dyn Reporter> {
    reporter_of(enabled, verb, "skills", None)
}

/// The same for work with a known number of steps; also reports waiting for another run. From now
/// on, signals that would end the process are only reported.
pub fn careful_bar(
    enabled: bool,
    verb: &'static str,
    total: usize,
    printer: Printer,
) -> io::Result<Box<dyn Reporter>> {
    let line = Mutex::new(reporter_of(enabled, verb, "skills", Some(total as u64)));
    Ok(Box::new(Speaking { line, enabled, printer, interrupts: Interrupts::listen()? }))
}

struct Speaking {
    /// The current line; each kind of work has its own.
    line: Mutex<Box<dyn Reporter>>,
    enabled: bool,
    printer: Printer,
    interrupts: Interrupts,
}

impl Speaking {
    fn line(&self) -> MutexGuard<'_, Box<dyn Reporter>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts another kind of work.
    fn turn_to(&self, verb: &'static str, total: usize) {
        let mut line = self.line();
        line.finish();
        *line = reporter_of(self.enabled, verb, "steps", Some(total as u64));
    }
}

impl Reporter for Speaking {
    fn step(&self) {
        self.line().step();
    }

    fn finish(&self) {
        self.line().finish();
    }

    fn cancelled(&self) -> Option<i32> {
        self.interrupts.signal()
    }

    fn is_impatient(&self) -> bool {
        self.interrupts.is_repeated()
    }

    fn undoing(&self, steps: usize) {
        self.turn_to("undone", steps);
        if self.cancelled().is_some() {
            let message = "interrupted: undoing all changes; press Ctrl-C again to leave this to the next run";
            self.printer.note(message);
        }
    }

    fn cleaning_up(&self, steps: usize) {
        self.turn_to("cleaned up", steps);
    }

    fn waiting(&self, directory: &Path, process: Option<&str>) {
        let who = process.map(|process| format!(" (process {process})")).unwrap_or_default();
        let path = directory.display();
        self.printer.note(&format!("waiting for another run{who} to finish with `{path}`"));
    }
}

fn reporter_of(
    enabled: bool,
    verb: &'static str,
    unit: &'static str,
    total: Option<u64>,
) -> Box<dyn Reporter> {
    if !enabled || !std::io::stderr().is_terminal() {
        return Box::new(Silent);
    }
    Box::new(ProgressLine {
        verb,
        unit,
        total,
        begun: Instant::now(),
        done: AtomicUsize::new(0),
        shown: OnceLock::new(),
    })
}

impl Reporter for ProgressLine {
    fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        // Checking the clock is cheap compared with a skill, and even a few skills can take long.
        if self.begun.elapsed() > PATIENCE {
            self.shown
                .get_or_init(|| show(self.verb, self.unit, self.total))
                .set_position(done as u64);
        }
    }

    fn finish(&self) {
        if let Some(bar) = self.shown.get() {
            bar.finish_and_clear();
        }
    }
}

/// A line about bytes that come from servers, over all transfers of a run.
#[derive(Debug)]
pub struct TransferLine {
    enabled: bool,
    state: Mutex<Transfers>,
}

#[derive(Debug, Default)]
struct Transfers {
    /// How many are under way.
    open: usize,
    begun: Option<Instant>,
    done: u64,
    total: u64,
    /// Whether a server did not say how much it sends.
    is_unknown: bool,
    shown: Option<ProgressBar>,
}

impl TransferLine {
    /// A line that shows when `enabled` and standard error is a terminal.
    pub fn new(enabled: bool) -> Self {
        Self { enabled: enabled && io::stderr().is_terminal(), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, Transfers> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A transfer begins.
    pub fn begin(&self, bytes: Option<u64>) {
        let mut state = self.state();
        state.open += 1;
        state.begun.get_or_insert_with(Instant::now);
        state.total += bytes.unwrap_or(0);
        state.is_unknown |= bytes.is_none();
    }

    /// More bytes have come.
    pub fn add(&self, bytes: u64) {
        let mut state = self.state();
        state.done += bytes;
        let is_long = state.begun.is_some_and(|begun| begun.elapsed() > PATIENCE);
        if !(self.enabled && is_long) {
            return;
        }
        let (done, total) = (state.done, Some(state.total).filter(|_| !state.is_unknown));
        let bar = state.shown.get_or_insert_with(|| show_bytes(total));
        bar.set_length(total.unwrap_or(done));
        bar.set_position(done);
    }

    /// A transfer is over.
    pub fn end(&self) {
        let mut state = self.state();
        state.open = state.open.saturating_sub(1);
        if state.open == 0 {
            if let Some(bar) = &state.shown {
                bar.finish_and_clear();
            }
            *state = Transfers::default();
        }
    }

    /// Says something without breaking the line.
    pub fn beside(&self, say: impl FnOnce()) {
        match &self.state().shown {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }
}

fn show_bytes(total: Option<u64>) -> ProgressBar {
    let (bar, template) = match total {
        None => (ProgressBar::new_spinner(), "{spinner} fetched {binary_bytes}"),
        Some(total) => {
            (ProgressBar::new(total), "{bar:24} fetched {binary_bytes} of {binary_total_bytes}")
        }
    };
    let style = ProgressStyle::with_template(template);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar
}

fn show(verb: &'static str, unit: &'static str, total: Option<u64>) -> ProgressBar {
    // Often the total is known only at the end.
    let (bar, template) = match total {
        None => (ProgressBar::new_spinner(), "{spinner} {msg} {pos} {prefix}"),
        Some(total) => (ProgressBar::new(total), "{bar:24} {msg} {pos} of {len} {prefix}"),
    };
    let style = ProgressStyle::with_template(template);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.with_message(verb).with_prefix(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_skills_that_take_long_are_worth_a_line() {
        let line = |begun| ProgressLine {
            verb: "copied",
            unit: "skills",
            total: Some(2),
            begun,
            done: AtomicUsize::new(0),
            shown: OnceLock::new(),
        };
        let quick = line(Instant::now() + PATIENCE);
        quick.step();
        assert!(quick.shown.get().is_none());
        let slow = line(Instant::now().checked_sub(PATIENCE * 2).unwrap());
        slow.step();
        assert_eq!(slow.shown.get().map(ProgressBar::position), Some(1));
    }
}
