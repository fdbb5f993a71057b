//! How the agent computes what kernels do not: an operator's values, right after the operator, when it is their turn, or
//! whenever its nodes run.
#![expect(unsafe_code, reason = "exports functions of C")]

use std::ffi::{c_int, c_void};

use cgsan_model::{CaptureId, Code};

use crate::api::Function;
use crate::ffi::python::{self, Python};
use crate::ffi::{In, Out, Untyped, guard, plain};
use crate::gpu::computation::Computation;
use crate::gpu::{self, StreamHandle, beneath, fault, interpreter, schedule};
use crate::memory::table;
use crate::random::{Draw, LANES, Philox, ROUNDS, Spread};
use crate::values::agent::Agent;
use crate::values::{self, turn};

/// Has operators computed by these functions of the agent's, objects of Python's that live as long as the process. 1 if that is
/// possible.
///
/// # Safety
///
/// They are objects, and the calling thread has the interpreter.
#[unsafe(no_mangle)]
unsafe extern "C" fn cgsan_values_compute_with(
    known: *mut c_void,
    begins: *mut c_void,
    prepares: *mut c_void,
    enter: *mut c_void,
    set_compiler: *mut c_void,
    wants_all: c_int,
) -> c_int {
    guard(0, || {
        let Some(python) = Python::enter() else {
            return 0;
        };
        // SAFETY: by the contract of this function.
        let object = |at| unsafe { python.object_at(at) };
        let objects = [known, begins, prepares, enter, set_compiler].map(object);
        let [
            Some(known),
            Some(begins),
            Some(prepares),
            Some(enter),
            Some(set_compiler),
        ] = objects
        else {
            return 0;
        };
        beneath::enter_with(enter);
        python::call_uncompiled(set_compiler);
        let agent = Agent {
            known,
            begins,
            prepares,
            wants_all: wants_all != 0,
        };
        c_int::from(values::compute_with(agent))
    })
}

/// A kernel begins to be launched that the caller computes.
#[unsafe(no_mangle)]
extern "C" fn cgsan_values_begin() {
    guard((), values::begin_launch);
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

/// It was launched. Returns when its values are computed. If that is later, the caller says by whom.
#[unsafe(no_mangle)]
extern "C" fn cgsan_values_end() -> c_int {
    guard(0, || turn::decided(values::end_launch()) as c_int)
}

/// The values of the kernel that was launched last are computed later, by an object of Python's that is called. Writes the capture's
/// number to `capture` if it is at replays.
///
/// # Safety
///
/// It is an object. `capture` may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn cgsan_values_later(function: *mut c_void, capture: *mut u64) {
    // SAFETY: by the contract of this function.
    let number = unsafe { Out::new(capture) };
    guard((), || {
        // SAFETY: as above.
        let capture = unsafe { computation(function) }.and_then(turn::later);
        if let Some(capture) = capture {
            number.put_if_wanted(capture.0);
        }
    });
}

/// At each launch of what a capture records, and before it, an object of Python's is called.
///
/// # Safety
///
/// It is an object.
#[unsafe(no_mangle)]
unsafe extern "C" fn cgsan_values_at_launches(capture: u64, function: *mut c_void) {
    guard((), || {
        // SAFETY: by the contract of this function.
        if let Some(computation) = unsafe { computation(function) } {
            gpu::lock()
                .graphs
                .call_at_launches(CaptureId(capture), computation);
        }
    });
}

/// # Safety
///
/// It is an object of Python's.
unsafe fn computation(function: *mut c_void) -> Option<Computation> {
    let python = Python::enter()?;
    // SAFETY: by the contract of this function.
    unsafe { python.object_at(function) }.map(|it| Computation::new(it, Vec::new(), 0))
}

/// Has copies of this process find in memory of the GPU what it holds, if `keep` is not 0, or zeros. Work that waits is done first, if it
/// waits for nobody else: no copy does it.
#[unsafe(no_mangle)]
extern "C" fn cgsan_values_in_copies(keep: c_int) {
    guard((), || {
        if keep != 0 {
            schedule::finish();
        }
        table::lock().in_copies(keep != 0);
    });
}

/// Where an address lies: 1 in memory of the GPU, 2 in pinned memory of the host, 0 in neither. Memory counts that was given back
/// behind the launch of the work that the calling thread does. Writes where that memory begins and ends, unless `ends` is null.
///
/// # Safety
///
/// `ends` is null or may be written twice.
#[unsafe(no_mangle)]
unsafe extern "C" fn cgsan_values_place(address: u64, ends: *mut u64) -> c_int {
    // SAFETY: by the contract of this function.
    let ends = unsafe { Out::new(ends) };
    guard(0, || {
        let table = table::lock();
        if let Some(block) = table.find(address) {
            ends.put_all([block.start, block.start + block.bytes], 2);
            return if block.kind.is_device() { 1 } else { 2 };
        }
        let Some(kept) = table.kept_for_work(address) else {
            return 0;
        };
        ends.put_all(kept, 2);
        1
    })
}

/// Writes the random numbers that so many `threads` from `first` on draw, to `numbers`, which has room for `count`. The generator
/// made `draw` draws before, and goes `rounds` rounds.
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
    rounds: u32,
) {
    // SAFETY: by the contract of this function.
    let numbers = unsafe { Out::new(numbers) };
    guard((), || {
        if threads == 0 {
            return;
        }
        let draws = (0..).flat_map(|more| {
            (0..threads).map(move |thread| Draw {
                at: draw.wrapping_add(more),
                thread: first.wrapping_add(thread),
            })
        });
        let draws = draws.zip((0..count).step_by(LANES));
        Philox { seed, rounds }.draw_each(draws, |at, words| {
            // SAFETY: the place lies before the count.
            let place = unsafe { numbers.part(at) };
            place.put_all(words.map(i64::from), count - at);
        });
    });
}

/// Marks elements by what threads draw for them, and may multiply by that.
#[repr(C)]
#[derive(Clone, Copy)]
struct Marking {
    /// A byte for each element: whether its number is below the bound; may be 0.
    marks: Untyped,
    /// Floats that are multiplied by zero or one, and by the factor then; 0 stands for ones.
    source: Untyped,
    /// Where the products go; 0 where none are wanted.
    output: Untyped,
    elements: usize,
    seed: u64,
    draw: u64,
    threads: usize,
    at_once: usize,
    skipped: usize,
    bound: u64,
    /// A float's bits.
    factor: u32,
    /// Marks those that are not below.
    is_turned: u32,
}

plain! {
    Marking {
        marks: Untyped,
        source: Untyped,
        output: Untyped,
        elements: usize,
        seed: u64,
        draw: u64,
        threads: usize,
        at_once: usize,
        skipped: usize,
        bound: u64,
        factor: u32,
        is_turned: u32,
    }
}

/// Does what a [`Marking`] says.
///
/// # Safety
///
/// The places that it names have room for its elements, and hold the source.
#[unsafe(no_mangle)]
unsafe extern "C" fn cgsan_values_mark(marking: In<Marking>) {
    guard((), || {
        let Ok(marking) = marking.get() else { return };
        let generator = Philox {
            seed: marking.seed,
            rounds: ROUNDS,
        };
        let over = Spread {
            draw: marking.draw,
            threads: marking.threads,
            at_once: marking.at_once,
            skipped: marking.skipped,
            elements: marking.elements,
        };
        // SAFETY: by the contract of this function.
        let (marks, source, output) = unsafe {
            (
                marking.marks.output::<u8>(),
                marking.source.input::<u32>(),
                marking.output.output::<f32>(),
            )
        };
        generator.spread(over, |at, number| {
            let is_marked = (u64::from(number) < marking.bound) != (marking.is_turned != 0);
            // SAFETY: an element's place, which those that are there have room for.
            let (mark, given, product) =
                unsafe { (marks.part(at), source.part(at), output.part(at)) };
            mark.put_if_wanted(is_marked.into());
            let given = given.get_if_given().map_or(1.0, f32::from_bits);
            product.put_if_wanted(
                given * f32::from(u8::from(is_marked)) * f32::from_bits(marking.factor),
            );
        });
    });
}

/// What computes values came to what the kernel on a GPU fails at, with this result. Returns whether the device had not failed before.
#[unsafe(no_mangle)]
extern "C" fn cgsan_values_fail(code: c_int) -> c_int {
    guard(0, || {
        let is_first = !fault::has_happened();
        fault::happened(Code(code));
        c_int::from(is_first)
    })
}

/// How many kernels were launched so far that no operator launched, and that nobody computes.
#[unsafe(no_mangle)]
extern "C" fn cgsan_values_missing() -> u64 {
    guard(0, values::missing::launches)
}

/// Python is about to end: what is left is computed, if it waits for nobody else.
#[unsafe(no_mangle)]
extern "C" fn cgsan_values_finish() {
    guard((), || {
        schedule::finish();
        interpreter::end();
    });
}
