//! Accesses to memory that is gone: the device notices them while it works, and from then on refuses every call.

use std::sync::atomic::{AtomicU8, Ordering};

use cgsan_model::{Call, Code};

/// The work that is enqueued has an access to memory that is gone.
const HAPPENED: u8 = 1;
/// A call has returned it.
const TOLD: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(0);

/// `CUDA_ERROR_ILLEGAL_ADDRESS`.
const ILLEGAL_ADDRESS: Code = Code(700);

/// Work accessed memory that is gone.
pub fn illegal_address() {
    STATE.fetch_max(HAPPENED, Ordering::Relaxed);
}

/// What a call returns on account of an earlier access to memory that is gone: the first call that waits for work does,
/// and each call after it that asks the device for something.
#[inline]
pub fn answer(call: &Call) -> Result<(), Code> {
    match STATE.load(Ordering::Relaxed) {
        0 => Ok(()),
        HAPPENED if !waits(call) => Ok(()),
        _ if matches!(
            call,
            Call::GraphDestroy { .. } | Call::GraphExecDestroy { .. }
        ) =>
        {
            Ok(())
        }
        _ => {
            STATE.store(TOLD, Ordering::Relaxed);
            Err(ILLEGAL_ADDRESS)
        }
    }
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
