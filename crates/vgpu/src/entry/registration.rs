//! What the start-up code that nvcc generates calls. It runs for every library with kernels, thousands of times, before
//! the program uses CUDA: it stores, and does nothing else.
#![expect(unsafe_code, reason = "reads what the API promises of its parameters")]

use std::ffi::{c_char, c_int, c_void};

use crate::ffi::{called, guard};
use crate::module::{Registered, register, register_variable};

/// Registers the binary of a library's kernels; its handle is its own address.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterFatBinary(binary: *mut c_void) -> *mut c_void {
    called::note("__cudaRegisterFatBinary");
    binary
}

/// Ends the registration of a binary.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterFatBinaryEnd(_binary: *mut c_void) {
    called::note("__cudaRegisterFatBinaryEnd");
}

/// Takes a binary back, when its library is unloaded.
#[unsafe(no_mangle)]
extern "C" fn __cudaUnregisterFatBinary(_binary: *mut c_void) {
    called::note("__cudaUnregisterFatBinary");
}

/// Says that a binary is ready.
#[unsafe(no_mangle)]
extern "C" fn __cudaInitModule(_binary: *mut c_void) -> c_char {
    called::note("__cudaInitModule");
    1
}

/// Registers a kernel.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterFunction(
    binary: *mut c_void,
    symbol: *const c_void,
    _device_function: *mut c_char,
    name: *const c_char,
    _thread_limit: c_int,
) {
    called::note("__cudaRegisterFunction");
    // SAFETY: the compiler registers the names of kernels as static texts that end in a null byte, and the handle of a binary is
    // the static data that was registered of it.
    let kernel = unsafe { Registered::new(symbol, name, binary) };
    guard((), || register(kernel));
}

/// Registers a variable.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterVar(
    _binary: *mut c_void,
    symbol: *const c_void,
    _device_address: *mut c_char,
    _name: *const c_char,
    _external: c_int,
    bytes: usize,
    _constant: c_int,
    _global: c_int,
) {
    called::note("__cudaRegisterVar");
    guard((), || register_variable(symbol, bytes));
}

/// Registers a managed variable.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterManagedVar(
    _binary: *mut c_void,
    symbol: *const *const c_void,
    _device_address: *mut c_char,
    _name: *const c_char,
    _external: c_int,
    bytes: usize,
    _constant: c_int,
    _global: c_int,
) {
    called::note("__cudaRegisterManagedVar");
    guard((), || register_variable(symbol.cast(), bytes));
}
