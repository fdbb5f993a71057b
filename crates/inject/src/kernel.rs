//! The names of kernels.
#![expect(unsafe_code, reason = "calls functions of NVIDIA's libraries")]

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicU64, Ordering};

use cgsan_model::FunctionId;

/// Kernels that were named lately, each at a place that follows from its handle: the recorder remembers all of them, and
/// this spares it being asked at every launch.
static NAMED: [AtomicU64; 1024] = [const { AtomicU64::new(0) }; 1024];

/// The identity of the kernel behind a handle, which has a name from here on.
///
/// # Safety
///
/// `name` is null or ends in a zero byte.
pub unsafe fn named(handle: u64, name: *const c_char) -> FunctionId {
    let id = FunctionId(handle);
    let place = &NAMED[place(handle)];
    if place.load(Ordering::Relaxed) != handle && !name.is_null() {
        // SAFETY: by the contract of this function.
        let name = unsafe { CStr::from_ptr(name) };
        cgsan_observe::define_function(id, &name.to_string_lossy());
        place.store(handle, Ordering::Relaxed);
    }
    id
}

fn place(handle: u64) -> usize {
    // Handles are addresses of objects of some hundred bytes: the lowest bits say little.
    (handle >> 5) as usize % NAMED.len()
}
