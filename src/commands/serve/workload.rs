//! How much memory the answers over HTTP may take: few are made at once, and few long ones wait for
//! clients that read them slowly.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::commands::serve::host::lock;

/// Answers that are made at once.
const MOST_MADE: usize = 2;

/// Bytes of long answers that are on their way at once.
const MOST_BYTES: usize = 24 * 1024 * 1024;

/// A shorter answer does not count.
const LONG: usize = 256 * 1024;

/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is being done.
#[derive(Default)]
pub struct Workload {
    now: Mutex<Now>,
    changed: Condvar,
}

#[derive(Default)]
struct Now {
    made: usize,
    bytes: usize,
}

impl Workload {
    /// Waits until an answer may be made; none if that takes too long.
    pub fn turn(self: &Arc<Self>) -> Option<Turn> {
        self.wait(|now| now.made < MOST_MADE, |now| now.made += 1)?;
        Some(Turn(Arc::clone(self)))
    }

    /// Waits until something may be done, and does it; none if that takes too long.
    fn wait(&self, may: impl Fn(&Now) -> bool, begin: impl FnOnce(&mut Now)) -> Option<()> {
        let waited = self.changed.wait_timeout_while(lock(&self.now), PATIENCE, |now| !may(now));
        let (mut now, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if !may(&now) {
            return None;
        }
        begin(&mut now);
        Some(())
    }

    fn end(&self, end: impl FnOnce(&mut Now)) {
        end(&mut lock(&self.now));
        self.changed.notify_all();
    }
}

/// The right to make an answer.
pub struct Turn(Arc<Workload>);

impl Turn {
    /// Exchanges it for the right to send an answer of this many bytes; none if others take too long.
    pub fn send(self, bytes: usize) -> Option<Sending> {
        let bytes = if bytes < LONG { 0 } else { bytes };
        let fits = |now: &Now| bytes == 0 || now.bytes == 0 || now.bytes + bytes <= MOST_BYTES;
        self.0.wait(fits, |now| now.bytes += bytes)?;
        Some(Sending { load: Arc::clone(&self.0), bytes })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.end(|now| now.made -= 1);
    }
}

/// The right to send an answer.
pub struct Sending {
    load: Arc<Workload>,
    bytes: usize,
}

impl Drop for Sending {
    fn drop(&mut self) {
        self.load.end(|now| now.bytes -= self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// Asserts that `waits` blocks until `done` is dropped, and then succeeds.
    fn assert_waits<Done>(waits: impl FnOnce() -> bool + Send + 'static, done: Done) {
        let waiting = thread::Builder::new().spawn(waits).unwrap();
        thread::sleep(Duration::from_millis(50));
        assert!(!waiting.is_finished());
        drop(done);
        assert!(waiting.join().unwrap());
    }

    #[test]
    fn few_answers_are_made_and_few_long_ones_sent_at_once() {
        let load: Arc<Workload> = Arc::default();
        let send_long = |turn: Turn| move || turn.send(LONG).is_some();
        let first = load.turn().unwrap();
        let others: Vec<Turn> = (1..MOST_MADE).map(|_| load.turn().unwrap()).collect();
        assert_eq!(lock(&load.now).made, MOST_MADE);
        // One that is longer than all together may be goes alone.
        let long = first.send(2 * MOST_BYTES).unwrap();
        let short: Vec<Sending> = others.into_iter().map(|turn| turn.send(10).unwrap()).collect();
        assert_waits(send_long(load.turn().unwrap()), (long, short));
        // As many as there may be, and one more.
        let turns: Vec<Turn> = (0..MOST_MADE).map(|_| load.turn().unwrap()).collect();
        let next = Arc::clone(&load);
        assert_waits(move || next.turn().is_some(), turns);
        // As many bytes as there may be, and one more.
        let halves = [(); 2].map(|()| load.turn().unwrap().send(MOST_BYTES / 2).unwrap());
        assert_waits(send_long(load.turn().unwrap()), halves);
        let Now { made, bytes } = &*lock(&load.now);
        assert_eq!((*made, *bytes), (0, 0));
    }
}
