//! Whether a thread computes values: what it calls meanwhile is not the program's.

use std::cell::Cell;
use std::time::Instant;

use cgsan_trace::waits;

use super::size;

thread_local! {
    static COMPUTES: Cell<bool> = const { Cell::new(false) };
}

/// Whether the calling thread computes values.
pub fn is_computing() -> bool {
    COMPUTES.get()
}

/// Computes values.
pub fn computing<R>(compute: impl FnOnce() -> R) -> R {
    if COMPUTES.replace(true) {
        return compute();
    }
    let start = Instant::now();
    let computes = cgsan_observe::waiting(waits::COMPUTES);
    let result = compute();
    drop(computes);
    COMPUTES.set(false);
    size::took(start.elapsed());
    result
}
