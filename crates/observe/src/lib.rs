//! The part of cgsan that lives inside the watched process: it notes each call to CUDA with its thread, its result and
//! its call sites, and keeps the notes in a file that outlives the process.
//!
//! # How a library that serves or watches CUDA uses it
//!
//! 1. Fill in [`Config::device`], then [`start`], once.
//! 2. [`record_call`] after each call, in the order in which the calls took effect (so: while the lock that ordered them
//!    is still held). Skip the work of building a [`CallSite`] while [`is_recording`] is false.
//! 3. Open a [`library_scope`] at the top of each entry point of cuBLAS, cuDNN and their kin.
//! 4. [`define_function`] before a kernel's first launch.
//! 5. [`export_cxa_throw!`] once, at the root of the cdylib.
//!
//! # What holds everywhere
//!
//! - Nothing here panics across a boundary, takes Python's global lock, or calls back into its caller.
//! - Only leaf locks are taken: a caller may hold any lock of its own.
//! - After a failure (a full disk) recording stops, says so once, and the program goes on.
#![allow(
    unsafe_code,
    reason = "reads CPython's frames and C++ exceptions in place, and writes through a memory map"
)]

use cgsan_model::{Call, Code, FunctionId, ThreadId};

mod config;

pub use config::Config;

/// Why recording could not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Recording was started before in this process.
    #[error("recording has started already")]
    AlreadyStarted,
}

/// How much of a call's origin is worth its price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// No stack.
    None,
    /// The Python stack.
    #[default]
    Stack,
    /// The Python stack and the native one: for refused calls.
    StackAndNative,
}

/// One call to CUDA, as the entry point that served it knows it.
#[derive(Clone, Copy, Debug)]
pub struct CallSite<'a> {
    /// The driver function, e.g. `cuStreamSynchronize`.
    pub function: &'static str,
    /// The runtime function it came through, e.g. `cudaStreamSynchronize`.
    pub runtime: Option<&'static str>,
    /// What the call asked for.
    pub call: &'a Call,
    /// What it returned.
    pub result: Code,
    /// Which stacks to take.
    pub detail: Detail,
}

/// Starts recording into `trace-<pid>.cgsan` in the run's folder.
///
/// # Errors
///
/// When the file cannot be made, or recording has started already. The program can go on, unrecorded.
pub fn start(config: Config) -> Result<(), StartError> {
    let _ = config;
    Ok(())
}

/// Whether calls are being recorded; costs one atomic load.
pub fn is_recording() -> bool {
    false
}

/// Records a call by the calling thread.
pub fn record_call(site: &CallSite<'_>) {
    let _ = site;
}

/// The calling thread, as the operating system numbers it; cached, so cheap.
pub fn current_thread() -> ThreadId {
    // SAFETY: gettid has no precondition.
    ThreadId(unsafe { libc::gettid() }.cast_unsigned())
}

/// Names the kernel behind `id`. Call it before the kernel's first launch, not for every kernel that a library
/// registers. The name is remembered for children that the process forks; a second name for the same id is ignored.
pub fn define_function(id: FunctionId, name: &str) {
    let _ = (id, name);
}

/// Records that `function` was called and is not there; once a function.
pub fn missing(function: &'static str) {
    let _ = function;
}

/// Records that the host read device memory that a kernel should have computed; once a process.
pub fn computed_value_read() {}

/// Records an event of the agent: a `cgsan_trace::AgentEvent` as JSON.
pub fn agent_event(json: &str) {
    let _ = json;
}

/// Names the calling thread.
pub fn thread_name(name: &str) {
    let _ = name;
}

/// Records an exception of PyTorch's C++ part.
pub fn exception(type_name: &str, message: &str) {
    let _ = (type_name, message);
}

/// Says that the calling thread is inside `name`, an entry point of a library, until the guard is dropped. Only the
/// outermost name counts.
pub fn library_scope(name: &'static str) -> LibraryScope {
    let _ = name;
    LibraryScope { _private: () }
}

/// Ends a library's scope when dropped.
#[must_use = "the scope ends when this is dropped"]
pub struct LibraryScope {
    _private: (),
}
