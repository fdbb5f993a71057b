//! How the agent computes what kernels do not: an operator's values, right after the operator, when it is their turn, or
//! whenever its nodes run.
#![expect(unsafe_code, reason = "exports functions of C")]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::num::NonZeroU64;

use cgsan_model::CaptureId;

use crate::api::Function;
use crate::ffi::{Out, guard};
use crate::gpu::tally::Tally;
use crate::gpu::work::{HostCode, HostFunction, Work};
use crate::gpu::{self, StreamHandle, kernel, schedule, tally, values};
use crate::memory::table;
use crate::random;

/// Nothing was enqueued.
const NOTHING: c_int = 0;
/// The caller computes the values, now.
const NOW: c_int = 1;
/// What computes them is called once.
const ONCE: c_int = 2;
/// What computes them is called whenever the graph of the capture runs.
const AT_REPLAYS: c_int = 3;
/// Added where no kernel was enqueued and bytes are moved.
const MOVED: c_int = 8;

thread_local! {
    /// The operator that ended last.
    static ENDED: Cell<Option<Tally>> = const { Cell::new(None) };
}

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

/// An operator has ended. Returns when its values are computed. If that is later, the caller says by whom.
#[unsafe(no_mangle)]
extern "C" fn cgsan_values_end() -> c_int {
    guard(NOTHING, || {
        let done = tally::end();
        ENDED.set(Some(done));
        if done.works == 0 {
            NOTHING
        } else if done.kernels == 0 {
            MOVED + when(&done)
        } else {
            kernel::note_computed(done.launches);
            when(&done)
        }
    })
}

/// The values of the operator that ended last are computed later, by `function` when it is called with `data`. Writes the
/// capture's number to `capture` if it is at replays.
///
/// # Safety
///
/// The function may be called with `data` from any thread, until Python ends. `capture` may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn cgsan_values_later(function: HostCode, data: *mut c_void, capture: *mut u64) {
    // SAFETY: by the contract of this function.
    let (function, number) = unsafe { (HostFunction::new(function, data), Out::new(capture)) };
    guard((), || {
        let Some(done) = ENDED.take() else { return };
        match done.capture {
            Some(capture) => {
                let mut gpu = gpu::lock();
                let gpu = &mut *gpu;
                gpu.graphs
                    .compute_newest(&gpu.model, capture, done.nodes, function);
                number.put_if_wanted(capture.0);
            }
            None => schedule::submit_in_turn(&done.streams(), Work::Values(function)),
        }
    });
}

/// At each launch of what a capture records, and before it, `function` is called with `data`.
///
/// # Safety
///
/// The function may be called with `data` from any thread, until Python ends.
#[unsafe(no_mangle)]
unsafe extern "C" fn cgsan_values_at_launches(capture: u64, function: HostCode, data: *mut c_void) {
    // SAFETY: by the contract of this function.
    let function = unsafe { HostFunction::new(function, data) };
    guard((), || {
        gpu::lock()
            .graphs
            .call_at_launches(CaptureId(capture), function);
    });
}

/// Where an address lies: 1 in memory of the GPU, 2 in pinned memory of the host, 0 in neither.
#[unsafe(no_mangle)]
extern "C" fn cgsan_values_place(address: u64) -> c_int {
    guard(0, || {
        let block = table::lock().find(address);
        block.map_or(0, |block| if block.kind.is_device() { 1 } else { 2 })
    })
}

/// Writes the random numbers that so many `threads` from `first` on draw, to `numbers`, which has room for `count`. The generator
/// made `draw` draws before.
///
/// # Safety
///
/// The numbers may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn cgsan_values_random(
    numbers: *mut i64,
    count: usize,
    seed: u64,
    draw: u64,
    first: u64,
    threads: u64,
) {
    // SAFETY: by the contract of this function.
    let numbers = unsafe { Out::new(numbers) };
    guard((), || {
        if let Some(threads) = NonZeroU64::new(threads) {
            numbers.put_all(random::numbers(seed, draw, first, threads), count);
        }
    });
}

/// The caller is about to read what the work of a stream computes.
#[unsafe(no_mangle)]
extern "C" fn cgsan_values_wait(stream: u64) {
    guard((), || {
        let function = Function::driver("cuStreamSynchronize");
        schedule::wait_for_stream(StreamHandle(stream).resolve(&function));
    });
}

/// Python is about to end: what is left is computed, if it waits for nobody else.
#[unsafe(no_mangle)]
extern "C" fn cgsan_values_finish() {
    guard((), || {
        schedule::finish();
        values::end();
    });
}

fn when(done: &Tally) -> c_int {
    if done.capture.is_some() {
        AT_REPLAYS
    } else if schedule::is_immediate() {
        NOW
    } else if done.waited {
        // Sizes may be needed as soon as the operator returns, and the host waited for work already.
        done.streams()
            .into_iter()
            .for_each(schedule::wait_for_stream);
        NOW
    } else {
        ONCE
    }
}
