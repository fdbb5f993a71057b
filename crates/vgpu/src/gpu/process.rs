//! Whether CUDA can be used in this process.
#![expect(unsafe_code, reason = "registers a handler with the C library")]

use std::sync::atomic::{AtomicU8, Ordering};

/// No CUDA call was made yet.
const FRESH: u8 = 0;
/// CUDA is in use.
const USED: u8 = 1;
/// This process was forked from one that used CUDA, which the driver does not support.
const FORKED: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(FRESH);

/// Enters the API; false if CUDA cannot be used in this process.
#[inline]
pub fn enter() -> bool {
    match STATE.load(Ordering::Relaxed) {
        USED => true,
        FORKED => false,
        _ => first_use(),
    }
}

#[cold]
fn first_use() -> bool {
    if STATE
        .compare_exchange(FRESH, USED, Ordering::AcqRel, Ordering::Acquire)
        .is_ok()
    {
        // SAFETY: the handler is a function of this library, which is never unloaded while the program runs. Without
        // memory for the registration a forked child is not told apart, which harms nobody else.
        let _ = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    }
    STATE.load(Ordering::Acquire) == USED
}

/// Runs in the child of a fork, where only async-signal-safe work is allowed: a store.
extern "C" fn in_child() {
    STATE.store(FORKED, Ordering::Release);
}
