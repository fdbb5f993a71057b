//! How far the work is, for who asks without the queue: each call, and memory that is given back.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use cgsan_observe::sealed::is_sealed;

use super::policy::{self, Schedule};

/// A task; a later one has a greater number, and no task waits for a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u64);

/// How many tasks there are; one more where the schedule makes a task of all work.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// The newest task; 0 if all are done.
static NEWEST: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The task that the thread is doing. What that waits for by itself, such as a destructor, is not waited for: it may be the
    /// task.
    static DOING: Cell<Option<TaskId>> = const { Cell::new(None) };
}

/// Whether work is done at once when it is enqueued: there is no task, and the schedule makes none. In a sealed child, the thread
/// that does tasks is not there: nobody waits for those that it inherited.
#[inline]
pub fn is_immediate() -> bool {
    COUNT.load(Ordering::Acquire) == 0 || is_sealed()
}

/// How many tasks there are, at most one too many.
#[inline]
pub fn about_how_many() -> usize {
    COUNT.load(Ordering::Relaxed)
}

/// The newest task, unless all are done or never will be.
pub fn newest() -> Option<TaskId> {
    let newest = NEWEST.load(Ordering::Acquire);
    (newest != 0 && !is_sealed()).then_some(TaskId(newest))
}

/// The task that the calling thread is doing.
pub fn under_way() -> Option<TaskId> {
    DOING.get()
}

/// Does a task.
pub fn during<R>(task: TaskId, run: impl FnOnce() -> R) -> R {
    let before = DOING.replace(Some(task));
    let result = run();
    DOING.set(before);
    result
}

/// So many tasks are not done, and this is the newest of all. Told by who holds the queue.
pub fn note(count: usize, newest: TaskId) {
    let sentinel = usize::from(policy::current() != Schedule::Eager);
    NEWEST.store(if count > 0 { newest.0 } else { 0 }, Ordering::Release);
    COUNT.store(count + sentinel, Ordering::Release);
}
