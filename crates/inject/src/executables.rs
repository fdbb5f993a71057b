//! What executable graphs take from the driver: the memory that is free before and after the calls that take some.
//!
//! It costs two calls to the driver for each instantiation, upload and first launch, so it is done only where it was asked for. A
//! capture permits `cuMemGetInfo` in every mode (`docs/captures.md`); all the same, nothing is asked while anything captures.
#![expect(unsafe_code, reason = "calls functions of NVIDIA's libraries")]

use std::ffi::c_int;
use std::panic::catch_unwind;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use cgsan_model::ExecId;

use crate::{driver, gate};

static IS_ASKED_FOR: AtomicBool = AtomicBool::new(false);

/// From now on, it is measured.
pub fn measure() {
    IS_ASKED_FOR.store(true, Ordering::Relaxed);
}

/// Makes a call that may take memory for the executable graph that `exec` gives, which is asked once it has succeeded.
pub fn measuring(exec: impl FnOnce() -> u64, call: impl FnOnce() -> c_int) -> c_int {
    let before = catch_unwind(free).ok().flatten();
    let result = call();
    if let (Some(before), 0) = (before, result) {
        // A panic leaves it unmeasured, and the program need not know.
        if let Ok(Some(after)) = catch_unwind(free) {
            cgsan_observe::executable_memory(ExecId(exec()), before, after);
        }
    }
    result
}

/// How much memory of the calling thread's device is free, in bytes; `None` if it is not to be asked now, or the driver does not
/// say it.
fn free() -> Option<u64> {
    type GetInfo = unsafe extern "C" fn(*mut usize, *mut usize) -> c_int;
    static GET_INFO: OnceLock<Option<GetInfo>> = OnceLock::new();
    let is_wanted = IS_ASKED_FOR.load(Ordering::Relaxed) && cgsan_observe::is_recording();
    if !is_wanted || gate::is_capturing() {
        return None;
    }
    // SAFETY: the driver's function of this name has this type (`cuda.h`).
    let get_info = GET_INFO.get_or_init(|| unsafe { driver::function(c"cuMemGetInfo_v2") });
    let (mut free, mut total) = (0, 0);
    // SAFETY: the driver writes two numbers there, or nothing.
    let result = unsafe { (*get_info)?(&raw mut free, &raw mut total) };
    (result == 0).then_some(free as u64)
}
