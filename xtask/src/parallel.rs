//! The same work on many things, several at a time.

use std::num::NonZero;
use std::sync::Mutex;
use std::thread;

use crate::failure::Result;

/// What `work` makes of each item, in their order, by so many workers. All items are worked on, also after a failure; the first
/// one is returned.
pub fn map<T: Sync, R: Send>(
    workers: usize,
    items: &[T],
    work: impl Fn(usize, &T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let next = Mutex::new(items.iter().enumerate());
    let take = || next.lock().expect("no worker panics").next();
    let results: Mutex<Vec<Option<Result<R>>>> = Mutex::new(items.iter().map(|_| None).collect());
    thread::scope(|scope| {
        for _ in 0..workers.max(1) {
            scope.spawn(|| {
                while let Some((index, item)) = take() {
                    let result = work(index, item);
                    results.lock().expect("no worker panics")[index] = Some(result);
                }
            });
        }
    });
    let results = results.into_inner().expect("no worker panics");
    results.into_iter().flatten().collect()
}

/// How many workers the machine has room for.
pub fn workers() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}
