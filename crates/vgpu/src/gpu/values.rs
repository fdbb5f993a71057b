//! Calling what computes values: functions of Python, which come to an end with the interpreter.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::work::HostFunction;
use crate::ffi::gil;

/// Whether the interpreter is about to end.
static ENDED: AtomicBool = AtomicBool::new(false);
/// How many threads are in such a function.
static INSIDE: AtomicUsize = AtomicUsize::new(0);

/// Computes values, unless the interpreter has ended.
pub fn compute(function: HostFunction) {
    INSIDE.fetch_add(1, Ordering::SeqCst);
    if !ENDED.load(Ordering::SeqCst) {
        function.call();
    }
    INSIDE.fetch_sub(1, Ordering::SeqCst);
}

/// The interpreter is about to end: waits for threads that compute, and lets none begin.
pub fn end() {
    ENDED.store(true, Ordering::SeqCst);
    gil::released(|| {
        while INSIDE.load(Ordering::SeqCst) > 0 {
            thread::sleep(Duration::from_micros(100));
        }
    });
}
