//! Python's global lock, while a thread waits for another that may need it.
//!
//! Without that lock, a thread has to release the interpreter all the same: one that waits and did not would hold up whoever
//! stops the others for a moment, as the garbage collector does. The functions are the same.
#![expect(unsafe_code, reason = "calls functions of the interpreter's")]

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use super::symbol;

type Ask = unsafe extern "C" fn() -> c_int;
type Give = unsafe extern "C" fn() -> *mut c_void;
type Take = unsafe extern "C" fn(*mut c_void);

/// The interpreter's functions for it (<https://docs.python.org/3/c-api/init.html>).
struct Interpreter {
    is_initialized: Ask,
    is_held: Ask,
    thread: Give,
    release: Give,
    take: Take,
}

/// Waits without the global lock, if the calling thread has it.
pub fn released(wait: impl FnOnce()) {
    static INTERPRETER: OnceLock<Option<Interpreter>> = OnceLock::new();
    let interpreter = INTERPRETER.get_or_init(find).as_ref();
    // SAFETY: any thread may ask.
    let held = interpreter.filter(|it| unsafe {
        (it.is_initialized)() != 0 && !(it.thread)().is_null() && (it.is_held)() == 1
    });
    let Some(interpreter) = held else {
        return wait();
    };
    // SAFETY: the thread has the lock.
    let thread = unsafe { (interpreter.release)() };
    wait();
    // SAFETY: what `release` returned, in the same thread.
    unsafe { (interpreter.take)(thread) };
}

fn find() -> Option<Interpreter> {
    // SAFETY: the documentation of Python's C API gives these functions these signatures.
    unsafe {
        Some(Interpreter {
            is_initialized: std::mem::transmute::<*mut c_void, Ask>(symbol(c"Py_IsInitialized")?),
            is_held: std::mem::transmute::<*mut c_void, Ask>(symbol(c"PyGILState_Check")?),
            thread: std::mem::transmute::<*mut c_void, Give>(symbol(
                c"PyGILState_GetThisThreadState",
            )?),
            release: std::mem::transmute::<*mut c_void, Give>(symbol(c"PyEval_SaveThread")?),
            take: std::mem::transmute::<*mut c_void, Take>(symbol(c"PyEval_RestoreThread")?),
        })
    }
}
