//! Errors: the last one, and what codes mean.
#![expect(unsafe_code, reason = "reads what the API promises of its parameters")]

use std::ffi::{c_char, c_int};

use cgsan_model::Code;

use crate::device::describe;
use crate::ffi::{Out, called, entry, guard};
use crate::gpu::last_error;

/// Returns the calling thread's last error and forgets it.
#[unsafe(no_mangle)]
extern "C" fn cudaGetLastError() -> c_int {
    called::note("cudaGetLastError");
    guard(Code::UNKNOWN.0, || last_error::take().0)
}

/// Returns the calling thread's last error.
#[unsafe(no_mangle)]
extern "C" fn cudaPeekAtLastError() -> c_int {
    called::note("cudaPeekAtLastError");
    guard(Code::UNKNOWN.0, || last_error::peek().0)
}

/// Returns a code's name in the runtime API.
#[unsafe(no_mangle)]
extern "C" fn cudaGetErrorName(code: c_int) -> *const c_char {
    called::note("cudaGetErrorName");
    describe(code)
        .map_or(c"unrecognized error code", |known| known.runtime)
        .as_ptr()
}

/// Returns what a code means.
#[unsafe(no_mangle)]
extern "C" fn cudaGetErrorString(code: c_int) -> *const c_char {
    called::note("cudaGetErrorString");
    describe(code)
        .map_or(c"unrecognized error code", |known| known.text)
        .as_ptr()
}

entry! {
    /// Writes a code's name in the driver API; null and an error if there is none.
    fn cuGetErrorName(_this, code: c_int, name: Out<*const c_char>) {
        let known = describe(code).filter(|known| !known.driver.is_empty());
        name.put(known.map_or(std::ptr::null(), |known| known.driver.as_ptr()))?;
        known.map(drop).ok_or(Code::INVALID_VALUE)
    }

    /// Writes what a code means; null and an error if there is none.
    fn cuGetErrorString(_this, code: c_int, text: Out<*const c_char>) {
        let known = describe(code).filter(|known| !known.driver.is_empty());
        text.put(known.map_or(std::ptr::null(), |known| known.text.as_ptr()))?;
        known.map(drop).ok_or(Code::INVALID_VALUE)
    }

    /// Takes a callback for the driver's log, in which nothing is ever written: the driver's reasons are in the report.
    fn cuLogsRegisterCallback, cudaLogsRegisterCallback(
        _this, _callback: usize, _data: usize, handle: Out<usize>,
    ) {
        handle.put_if_wanted(LOG_CALLBACK);
        Ok(())
    }

    /// Forgets a callback for the driver's log.
    fn cuLogsUnregisterCallback, cudaLogsUnregisterCallback(_this, _handle: usize) {
        Ok(())
    }
}

/// The handle of every callback for the driver's log.
const LOG_CALLBACK: usize = 1;
