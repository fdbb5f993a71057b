//! Announcements of captures, so that CUPTI need not stay in the process between them.
//!
//! PyTorch begins captures through the CUDA runtime. The functions below stand before the runtime's ([`crate::libraries`]): they
//! announce what is coming, and pass the call on. Streams are announced, too: a program that creates some often captures soon.
//!
//! The agent announces what it sees as well ([`cgsan_capture_announced`]); and where it sees a library that reaches CUDA in
//! other ways, it asks to stay ([`cgsan_keep_watching`]).
#![expect(unsafe_code, reason = "calls functions of NVIDIA's libraries")]

use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};
use std::panic::catch_unwind;

use cgsan_observe::clock;

use crate::libraries::passed_on;
use crate::{followed, gate, subscription};

thread_local! {
    /// Whether the calling thread is in a call that it announced.
    static ANNOUNCED: Cell<bool> = const { Cell::new(false) };
}

/// Whether the calling thread has announced the call that it makes.
pub fn is_announced() -> bool {
    ANNOUNCED.get()
}

/// Whether the functions below stand in for the runtime's: the first of that name is ours, and stays it.
pub fn are_announced() -> bool {
    // SAFETY: the name ends in a zero byte.
    let first = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"cudaStreamBeginCapture".as_ptr()) };
    std::ptr::eq(first, cudaStreamBeginCapture as *const c_void)
}

/// Functions that are announced, by what makes the call.
macro_rules! announced {
    ($through:ident: $($name:ident($($parameter:ident: $type:ty),*);)*) => {
        passed_on! { Runtime: $($name($($parameter: $type),*) => $through;)* }
    };
}

announced! {
    beginning:
    cudaStreamBeginCapture(stream: *mut c_void, mode: c_int);
    cudaStreamBeginCapture_ptsz(stream: *mut c_void, mode: c_int);
    cudaStreamBeginCaptureToGraph(
        stream: *mut c_void, graph: *mut c_void, nodes: *const c_void, edges: *const c_void, count: usize, mode: c_int
    );
    cudaStreamBeginCaptureToGraph_ptsz(
        stream: *mut c_void, graph: *mut c_void, nodes: *const c_void, edges: *const c_void, count: usize, mode: c_int
    );
}

announced! {
    announcing:
    cudaStreamCreate(stream: *mut c_void);
    cudaStreamCreateWithFlags(stream: *mut c_void, flags: c_uint);
    cudaStreamCreateWithPriority(stream: *mut c_void, flags: c_uint, priority: c_int);
}

passed_on! {
    Runtime:
    cudaStreamEndCapture(stream: *mut c_void, graph: *mut c_void) => ending;
    cudaStreamEndCapture_ptsz(stream: *mut c_void, graph: *mut c_void) => ending;
}

/// Makes a call that begins a capture.
fn beginning(call: impl FnOnce() -> c_int) -> c_int {
    clock::capture_begins();
    let _ = catch_unwind(clock::wait_for_profiler);
    let result = announcing(call);
    if result != 0 {
        clock::capture_was_refused();
    }
    result
}

/// Makes a call that ends one.
fn ending(call: impl FnOnce() -> c_int) -> c_int {
    let result = call();
    clock::capture_ends(result);
    result
}

/// Makes a call that is announced.
fn announcing(call: impl FnOnce() -> c_int) -> c_int {
    // A panic leaves the capture unwatched, and the program need not know.
    let announcement = catch_unwind(|| subscription::announce(gate::open));
    let outer = ANNOUNCED.replace(true);
    let result = call();
    ANNOUNCED.set(outer);
    drop(announcement);
    result
}

/// The agent calls this when PyTorch is about to begin a capture.
#[unsafe(no_mangle)]
extern "C" fn cgsan_capture_announced() {
    let _ = catch_unwind(|| {
        // The capture's code may be run again in children.
        followed::prepare();
        drop(subscription::announce(gate::open));
    });
}

/// The agent calls this when a library is there whose captures are not announced.
#[unsafe(no_mangle)]
extern "C" fn cgsan_keep_watching() {
    subscription::stay();
    // Nor does what it waits for pass here.
    let _ = catch_unwind(cgsan_observe::order_is_unseen);
}
