//! The handles that programs hold.

use std::sync::atomic::{AtomicU64, Ordering};

use cgsan_model::Stream;

use super::context;
use crate::api::Function;

/// Looks like an address of the driver's, and is never one of anything: handles are looked up, not followed.
static NEXT: AtomicU64 = AtomicU64::new(0x5500_0000_1000);

/// A handle that was never handed out before.
pub fn fresh() -> u64 {
    NEXT.fetch_add(0x40, Ordering::Relaxed)
}

/// A stream as C names it (`cudaStream_t`, `CUstream`).
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StreamHandle(pub u64);

#[expect(unsafe_code, reason = "says that a number is plain")]
// SAFETY: it is a number.
unsafe impl cgsan_observe::Plain for StreamHandle {}

impl StreamHandle {
    /// The stream that a function means by this handle: 1 is `cudaStreamLegacy`, 2 is `cudaStreamPerThread`, and 0 is
    /// one of the two, each of the calling thread's device.
    pub fn resolve(self, function: &Function) -> Stream {
        match self.0 {
            0 if function.per_thread_default => Stream::PerThread(context::device()),
            0 | 1 => Stream::Legacy(context::device()),
            2 => Stream::PerThread(context::device()),
            handle => Stream::Created(handle),
        }
    }
}
