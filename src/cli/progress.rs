//! A progress bar on the terminal, for work that takes longer than a moment.

use std::io::IsTerminal;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::skills::reporter::{Reporter, Silent};

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(700);
/// Steps between two looks at the clock.
const STRIDE: usize = 64;

struct Bar {
    verb: &'static str,
    begun: Instant,
    total: AtomicUsize,
    done: AtomicUsize,
    shown: OnceLock<ProgressBar>,
}

/// A reporter that shows a bar when `enabled` and standard error is a terminal.
#[must_use]
pub fn reporter(enabled: bool, verb: &'static str) -> Box<dyn Reporter> {
    if !enabled || !std::io::stderr().is_terminal() {
        return Box::new(Silent);
    }
    Box::new(Bar {
        verb,
        begun: Instant::now(),
        total: AtomicUsize::new(0),
        done: AtomicUsize::new(0),
        shown: OnceLock::new(),
    })
}

impl Reporter for Bar {
    fn start(&self, total: usize) {
        self.total.store(total, Ordering::Relaxed);
    }

    fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(STRIDE) && self.begun.elapsed() > PATIENCE {
            self.shown
                .get_or_init(|| show(self.total.load(Ordering::Relaxed), self.verb))
                .set_position(done as u64);
        }
    }

    fn finish(&self) {
        if let Some(bar) = self.shown.get() {
            bar.finish_and_clear();
        }
    }
}

fn show(total: usize, verb: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(total as u64).with_message(verb);
    let style = ProgressStyle::with_template("{msg} [{wide_bar}] {pos}/{len}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
    bar
}
