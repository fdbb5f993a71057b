//! NVSHMEM: not there. Here are the functions that return something other than a status, so that a stub's code would be
//! taken for a value.
#![expect(unsafe_code, reason = "exports functions of C")]

use std::ffi::{c_int, c_void};

use crate::ffi::{called, guard};

/// `NVSHMEM_STATUS_NOT_INITIALIZED`.
const NOT_INITIALIZED: c_int = 0;

fn nothing(name: &'static str) -> *mut c_void {
    guard(std::ptr::null_mut(), || {
        cgsan_observe::missing(name);
        std::ptr::null_mut()
    })
}

/// How far NVSHMEM is set up: not at all.
#[unsafe(no_mangle)]
extern "C" fn nvshmemid_init_status() -> c_int {
    called::note("nvshmemid_init_status");
    NOT_INITIALIZED
}

/// Allocates symmetric memory: none.
#[unsafe(no_mangle)]
extern "C" fn nvshmem_malloc(_bytes: usize) -> *mut c_void {
    nothing("nvshmem_malloc")
}

/// Frees symmetric memory, of which there is none.
#[unsafe(no_mangle)]
extern "C" fn nvshmem_free(_pointer: *mut c_void) {
    called::note("nvshmem_free");
}

/// The address of another rank's memory: none.
#[unsafe(no_mangle)]
extern "C" fn nvshmem_ptr(_pointer: *const c_void, _rank: c_int) -> *mut c_void {
    nothing("nvshmem_ptr")
}

/// The multicast address of symmetric memory: none.
#[unsafe(no_mangle)]
extern "C" fn nvshmemx_mc_ptr(_team: c_int, _pointer: *const c_void) -> *mut c_void {
    nothing("nvshmemx_mc_ptr")
}
