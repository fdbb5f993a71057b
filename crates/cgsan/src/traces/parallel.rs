//! Work on many things at once, whose results come in the order of the things.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// How many results each thread may be ahead of the one that is taken next.
const AHEAD: usize = 2;

/// The stack of a thread, as large as that of the first one usually is.
const STACK: usize = 8 << 20;

/// How many threads work: as many as were asked for, or as there are cores.
pub fn jobs(asked: Option<NonZero<usize>>) -> usize {
    asked
        .or_else(|| thread::available_parallelism().ok())
        .map_or(1, NonZero::get)
}

/// Does `work` on each thing, in so many threads, and gives the results to `take` in the order of the things, whatever was done first.
/// What is done is never far ahead of what is taken, so that memory stays bounded.
///
/// # Errors
///
/// The first that `take` gives; then nothing more is begun.
pub fn in_order<I: Sync, T: Send, E>(
    jobs: usize,
    things: &[I],
    work: &(dyn Fn(&I) -> T + Sync),
    take: &mut dyn FnMut(&I, T) -> Result<(), E>,
) -> Result<(), E> {
    let jobs = jobs.min(things.len());
    let queue = Queue {
        state: Mutex::new(State {
            next: 0,
            taken: 0,
            done: BTreeMap::new(),
            has_ended: false,
        }),
        changed: Condvar::new(),
        ahead: jobs * AHEAD,
        things: things.len(),
    };
    let serve = || {
        let _stop = StopOthers(&queue);
        while let Some(index) = queue.begin() {
            queue.put(index, work(&things[index]));
        }
    };
    thread::scope(|scope| {
        let _end = End(&queue);
        let start = || {
            thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, serve)
        };
        // Where the system permits no thread, this one does the work.
        let working = (0..jobs)
            .take_while(|_| jobs > 1 && start().is_ok())
            .count();
        if working == 0 {
            return things.iter().try_for_each(|thing| take(thing, work(thing)));
        }
        for (index, thing) in things.iter().enumerate() {
            match queue.wait_for(index) {
                Some(result) => take(thing, result)?,
                // A thread panicked, and so will this one when all have ended.
                None => break,
            }
        }
        Ok(())
    })
}

/// What is left to do, and what was done and not yet taken.
struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    ahead: usize,
    things: usize,
}

struct State<T> {
    /// The thing that is begun next.
    next: usize,
    /// The thing whose result is taken next.
    taken: usize,
    done: BTreeMap<usize, T>,
    has_ended: bool,
}

impl<T> Queue<T> {
    /// The next thing to work on, once it is not too far ahead; `None` if there is no more.
    fn begin(&self) -> Option<usize> {
        let state = self.changed.wait_while(self.lock(), |state| {
            !state.has_ended && state.next < self.things && state.next >= state.taken + self.ahead
        });
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.has_ended || state.next >= self.things {
            return None;
        }
        state.next += 1;
        Some(state.next - 1)
    }

    fn put(&self, index: usize, result: T) {
        self.lock().done.insert(index, result);
        self.changed.notify_all();
    }

    /// The result of a thing, once it is there; `None` if it never will be.
    fn wait_for(&self, index: usize) -> Option<T> {
        let state = self.changed.wait_while(self.lock(), |state| {
            !state.has_ended && !state.done.contains_key(&index)
        });
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        let result = state.done.remove(&index)?;
        state.taken = index + 1;
        drop(state);
        self.changed.notify_all();
        Some(result)
    }

    fn end(&self) {
        self.lock().has_ended = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the work when nobody takes results any more.
struct End<'a, T>(&'a Queue<T>);

impl<T> Drop for End<'_, T> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Ends the work of all threads when one panics.
struct StopOthers<'a, T>(&'a Queue<T>);

impl<T> Drop for StopOthers<'_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    /// The squares of numbers, of which later ones are done first.
    fn squares(jobs: usize, most: Option<u64>) -> (Vec<u64>, Result<(), u64>) {
        let numbers: Vec<u64> = (0..50).collect();
        let mut squares = Vec::new();
        let work = |number: &u64| {
            thread::sleep(Duration::from_micros(500 - 10 * number));
            number * number
        };
        let result = in_order(jobs, &numbers, &work, &mut |number, square| {
            if most == Some(*number) {
                return Err(*number);
            }
            squares.push(square);
            Ok(())
        });
        (squares, result)
    }

    #[test]
    fn results_come_in_the_order_of_the_things_whoever_does_the_work() {
        let wanted: Vec<u64> = (0..50).map(|it| it * it).collect();
        for jobs in [0, 1, 2, 7, 64] {
            assert_eq!(squares(jobs, None), (wanted.clone(), Ok(())));
        }
    }

    #[test]
    fn an_error_ends_the_work() {
        for jobs in [1, 4] {
            let (squares, result) = squares(jobs, Some(3));
            assert_eq!((squares, result), (vec![0, 1, 4], Err(3)));
        }
    }

    #[test]
    fn no_thread_is_far_ahead_of_what_is_taken() {
        let begun = AtomicUsize::new(0);
        let things: Vec<usize> = (0..100).collect();
        let work = |_: &usize| begun.fetch_add(1, Ordering::SeqCst);
        in_order(3, &things, &work, &mut |index, _| {
            thread::sleep(Duration::from_micros(100));
            let ahead = begun.load(Ordering::SeqCst) - index;
            assert!(ahead <= 3 * AHEAD + 1, "{ahead}");
            Ok::<(), ()>(())
        })
        .expect("nothing fails");
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_is_not_waited_for() {
        let things: Vec<usize> = (0..100).collect();
        let work = |index: &usize| assert_ne!(*index, 20);
        let _ = in_order(4, &things, &work, &mut |_, ()| Ok::<(), ()>(()));
    }
}
