//! How the agent computes what kernels do not: an operator's values, right after the operator, or whenever its nodes run.
#![expect(unsafe_code, reason = "exports functions of C")]

use std::ffi::{c_int, c_void};

use crate::api::Function;
use crate::ffi::{Out, guard};
use crate::gpu::work::{HostCode, HostFunction, Work};
use crate::gpu::{self, StreamHandle, kernel, schedule, tally};

/// No kernel was enqueued: there is nothing to compute.
const NOTHING: c_int = 0;
/// The caller computes the values, now.
const NOW: c_int = 1;
/// The function will be called once.
const ONCE: c_int = 2;
/// The function will be called whenever the graph of the capture runs.
const AT_REPLAYS: c_int = 3;

/// An operator begins in the calling thread.
#[unsafe(no_mangle)]
extern "C" fn cgsan_values_begin() {
    guard((), tally::begin);
}

/// Whether a stream captures: 1, or 0. This is asked for the agent, so it is no call of the program's.
#[unsafe(no_mangle)]
extern "C" fn cgsan_values_in_capture(stream: u64) -> c_int {
    guard(0, || {
        let stream = StreamHandle(stream).resolve(&Function::driver("cuStreamIsCapturing"));
        let thread = cgsan_observe::current_thread();
        c_int::from(gpu::lock().model.capture_of(thread, stream).is_some())
    })
}

/// An operator has ended on a stream, and `function` computes its values when it is called with `data`. Returns when that
/// is, and writes the capture's number to `capture` if it is at replays.
///
/// # Safety
///
/// The function may be called with `data` from any thread, until the process ends. `capture` is null or may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn cgsan_values_end(
    stream: u64,
    function: HostCode,
    data: *mut c_void,
    capture: *mut u64,
) -> c_int {
    // SAFETY: by the contract of this function.
    let (function, number) = unsafe { (HostFunction::new(function, data), Out::new(capture)) };
    guard(NOTHING, || {
        let done = tally::end();
        if done.kernels == 0 {
            return NOTHING;
        }
        kernel::note_computed(done.launches);
        if let Some(capture) = done.capture {
            let mut gpu = gpu::lock();
            let gpu = &mut *gpu;
            gpu.graphs
                .compute_newest(&gpu.model, capture, done.nodes, function);
            number.put_if_wanted(capture.0);
            return AT_REPLAYS;
        }
        if schedule::is_empty() {
            return NOW;
        }
        let stream = StreamHandle(stream).resolve(&Function::driver("cuLaunchKernel"));
        schedule::submit(stream, Work::Host(function));
        ONCE
    })
}
