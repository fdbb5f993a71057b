//! No panic crosses into C.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cgsan_model::Code;

use super::called;
use crate::api::Function;
use crate::gpu::{last_error, process};

/// Runs the body of an exported function; a panic becomes `on_panic`.
///
/// The message of the panic has then been printed by the panic hook: the program goes on and its user can report it.
#[inline]
pub fn guard<R>(on_panic: R, body: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(on_panic)
}

/// Runs the body of an entry point of the runtime or the driver and turns its result into what C expects: the code,
/// which for a runtime function also becomes the thread's last error.
///
/// In the child of a fork CUDA cannot be used, and every entry point says so.
#[inline]
pub fn guard_function(
    function: &Function,
    body: impl FnOnce() -> Result<(), Code>,
) -> std::ffi::c_int {
    let result = if process::enter() {
        guard(Err(Code::UNKNOWN), body)
    } else {
        Err(Code::NOT_INITIALIZED)
    };
    match result {
        Ok(()) => {
            called::note(function.name);
            0
        }
        Err(code) => {
            if function.runtime.is_some() {
                last_error::set(code);
            }
            code.0
        }
    }
}
