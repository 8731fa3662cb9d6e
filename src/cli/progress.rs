//! A progress line on the terminal, for work that takes longer than a moment.

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

struct Line {
    verb: &'static str,
    begun: Instant,
    done: AtomicUsize,
    shown: OnceLock<ProgressBar>,
}

/// A reporter that shows a line when `enabled` and standard error is a terminal.
#[must_use]
pub fn reporter(enabled: bool, verb: &'static str) -> Box<dyn Reporter> {
    if !enabled || !std::io::stderr().is_terminal() {
        return Box::new(Silent);
    }
    Box::new(Line {
        verb,
        begun: Instant::now(),
        done: AtomicUsize::new(0),
        shown: OnceLock::new(),
    })
}

impl Reporter for Line {
    fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(STRIDE) && self.begun.elapsed() > PATIENCE {
            self.shown.get_or_init(|| show(self.verb)).set_position(done as u64);
        }
    }

    fn finish(&self) {
        if let Some(bar) = self.shown.get() {
            bar.finish_and_clear();
        }
    }
}

fn show(verb: &'static str) -> ProgressBar {
    // How many there are is known only when the last one has been found.
    let bar = ProgressBar::new_spinner().with_message(verb);
    let style = ProgressStyle::with_template("{spinner} {msg} {pos} skills");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar
}
