//! Runs one function over many items on several threads, results in the order of the items.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Fewer items than this are not worth a thread.
const WORTH_A_THREAD: usize = 32;
/// Items a thread takes at once: small enough to balance, large enough to rarely contend.
const BATCH: usize = 16;

/// Applies `work` to every item; the result does not depend on `threads`.
pub fn map<T: Sync, R: Send>(items: &[T], threads: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = threads.min(items.len() / WORTH_A_THREAD + 1);
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let take_batches = || {
        let mut done = Vec::new();
        loop {
            let start = next.fetch_add(BATCH, Ordering::Relaxed);
            let Some(batch) = items.get(start..items.len().min(start + BATCH)) else {
                break;
            };
            if batch.is_empty() {
                break;
            }
            done.push((start, batch.iter().map(&work).collect::<Vec<R>>()));
        }
        done
    };
    let mut batches = thread::scope(|scope| {
        // A thread that the system refuses is not missed: the others take its share.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, take_batches).ok();
        let workers: Vec<_> = (1..threads).filter_map(spawn).collect();
        let mut batches = take_batches();
        for worker in workers {
            match worker.join() {
                Ok(more) => batches.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        batches
    });
    batches.sort_unstable_by_key(|(start, _)| *start);
    batches.into_iter().flat_map(|(_, results)| results).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn order_is_that_of_the_items_for_any_number_of_threads() {
        let items: Vec<usize> = (0..1000).collect();
        let expected: Vec<usize> = items.iter().map(|item| item * 2).collect();
        for threads in [0, 1, 2, 3, 8] {
            assert_eq!(map(&items, threads, |item| item * 2), expected);
        }
        assert!(map(&[] as &[usize], 4, |item| *item).is_empty());
    }
}
