//! The end of Python's interpreter: nobody calls it from then on, and it waits for who does.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use cgsan_observe::sealed::is_sealed;

use crate::ffi::gil;

/// Whether the interpreter is about to end.
static ENDED: AtomicBool = AtomicBool::new(false);
/// How many threads are [inside](Inside).
static INSIDE: AtomicUsize = AtomicUsize::new(0);

/// Calls what uses the interpreter, unless that has ended, or this is a sealed child, where no values are computed.
pub fn unless_ended<R>(function: impl FnOnce() -> R) -> Option<R> {
    if is_sealed() {
        return None;
    }
    let _inside = Inside::again();
    (!ENDED.load(Ordering::SeqCst)).then(function)
}

/// The interpreter does not end before this is dropped, if it had not ended when this was made.
pub struct Inside(());

impl Inside {
    /// For who is inside already, or asks whether it has ended.
    pub fn again() -> Inside {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        Inside(())
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The interpreter is about to end: waits for threads that compute, and lets none begin.
pub fn end() {
    ENDED.store(true, Ordering::SeqCst);
    if is_sealed() {
        // The threads that computed are not there.
        return;
    }
    gil::released(|| {
        while INSIDE.load(Ordering::SeqCst) > 0 {
            thread::sleep(Duration::from_micros(100));
        }
    });
}
