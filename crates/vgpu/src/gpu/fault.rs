//! Accesses to memory that is gone, and assertions of kernels: the device notices them while it works, and from then on refuses
//! what is asked of it.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use cgsan_model::{Call, Code};

/// `CUDA_ERROR_ILLEGAL_ADDRESS`: what such an access ends in.
pub const ILLEGAL_ADDRESS: Code = Code(700);
/// `CUDA_ERROR_LAUNCH_FAILED`: what it ends in where a copy to the host reads.
pub const LAUNCH_FAILED: Code = Code(719);

/// How work failed; success if none has.
static FAILED: AtomicI32 = AtomicI32::new(Code::SUCCESS.0);
/// Whether a call has returned it.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Work failed. The first failure is the one that calls return.
pub fn happened(code: Code) {
    let none = Code::SUCCESS.0;
    // Whoever was first has stored what is wanted.
    let _ = FAILED.compare_exchange(none, code.0, Ordering::Relaxed, Ordering::Relaxed);
}

/// Whether work failed, after which none is done.
pub fn has_happened() -> bool {
    FAILED.load(Ordering::Relaxed) != Code::SUCCESS.0
}

/// What a call returns on account of work that failed: the first call that waits for work does, and after it each that
/// asks the device for something.
#[inline]
pub fn answer(call: &Call) -> Result<(), Code> {
    if !has_happened() {
        return Ok(());
    }
    if waits(call) {
        TOLD.store(true, Ordering::Relaxed);
    }
    if is_without_device(call) {
        return Ok(());
    }
    told()
}

/// As [`answer`], for a call that neither waits for work nor concerns captures.
pub fn told() -> Result<(), Code> {
    if TOLD.load(Ordering::Relaxed) {
        return Err(Code(FAILED.load(Ordering::Relaxed)));
    }
    Ok(())
}

/// What a call returns that has waited for work, which may have failed meanwhile.
pub fn after_waiting() -> Result<(), Code> {
    if has_happened() {
        TOLD.store(true, Ordering::Relaxed);
    }
    told()
}

fn waits(call: &Call) -> bool {
    matches!(
        call,
        Call::StreamSynchronize { .. }
            | Call::StreamQuery { .. }
            | Call::DeviceSynchronize { .. }
            | Call::EventSynchronize { .. }
            | Call::EventQuery { .. }
            | Call::SynchronousWork { .. }
    )
}

fn is_without_device(call: &Call) -> bool {
    matches!(
        call,
        Call::GraphCreate { .. }
            | Call::GraphDestroy { .. }
            | Call::GraphExecDestroy { .. }
            | Call::ThreadExchangeCaptureMode { .. }
    )
}
