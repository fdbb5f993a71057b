//! The primary context, and which threads have it.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the primary context exists.
static ACTIVE: AtomicBool = AtomicBool::new(false);

thread_local! {
    static CURRENT: Cell<u64> = const { Cell::new(0) };
}

/// The primary context's handle.
pub const PRIMARY: u64 = 0x5500_0000_0040;

/// Makes the primary context current to a thread that has none, as every runtime function does that needs one.
#[inline]
pub fn bind() {
    if CURRENT.get() == 0 {
        set_current(PRIMARY);
    }
}

/// The calling thread's context; 0 if it has none (`cuCtxGetCurrent`).
pub fn current() -> u64 {
    CURRENT.get()
}

/// Makes a context, or none (0), current to the calling thread.
pub fn set_current(context: u64) {
    if context != 0 {
        activate();
    }
    CURRENT.set(context);
}

/// Makes the primary context.
pub fn activate() {
    ACTIVE.store(true, Ordering::Relaxed);
}

/// Whether the primary context exists (`cuDevicePrimaryCtxGetState`).
pub fn is_active() -> bool {
    ACTIVE.load(Ordering::Relaxed)
}

/// Whether this is a context that was handed out.
pub fn exists(context: u64) -> bool {
    context == PRIMARY || context == 0
}
