//! cuFile: not there. Here are the functions that return a number of bytes, so that a stub's code would be taken for one.
#![expect(unsafe_code, reason = "exports functions of C")]

use crate::ffi::guard;

/// An error of cuFile, negated as these functions return it: `CU_FILE_PLATFORM_NOT_SUPPORTED`.
const NOT_SUPPORTED: isize = -5007;

fn nothing(name: &'static str) -> isize {
    guard(NOT_SUPPORTED, || {
        cgsan_observe::missing(name);
        NOT_SUPPORTED
    })
}

/// Reads a file into device memory: refused.
#[unsafe(no_mangle)]
extern "C" fn cuFileRead() -> isize {
    nothing("cuFileRead")
}

/// Writes device memory into a file: refused.
#[unsafe(no_mangle)]
extern "C" fn cuFileWrite() -> isize {
    nothing("cuFileWrite")
}
