//! Which functions CUPTI tells of.
//!
//! A function that is watched costs the program two callbacks a call. So only those that are needed at any time are watched
//! always; all others while something captures. Of launches and copies, which show what was done before a capture, the
//! first so many are watched too.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use cgsan_model::{Call, Code, Stream, ThreadId};

use crate::cupti::Cupti;
use crate::functions::{self, When};
use crate::graph_nodes;

/// How many launches and copies are watched before the first capture, and after each one.
const AT_FIRST: i32 = 5_000;
const AFTER_CAPTURE: i32 = 1_000;

/// How many captures run or are about to begin.
static CAPTURES: AtomicU32 = AtomicU32::new(0);
/// How many more launches and copies are watched outside captures.
static LEFT: AtomicI32 = AtomicI32::new(AT_FIRST);
/// Whether something has captured.
static CAPTURED: AtomicBool = AtomicBool::new(false);

static ORIGINS: Mutex<Vec<(ThreadId, Stream)>> = Mutex::new(Vec::new());
/// Held while CUPTI is told what to watch: it wants that from one thread at a time.
static CHANGING: Mutex<()> = Mutex::new(());

/// Watches what is to be watched at the start.
pub fn open(cupti: &Cupti) {
    set(cupti, true, |when| {
        matches!(when, When::Always | When::AtFirst)
    });
}

/// Watches nothing any more.
pub fn close(cupti: &Cupti) {
    let _changing = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
    cupti.unsubscribe();
}

/// Whether something captures.
#[inline]
pub fn is_capturing() -> bool {
    CAPTURES.load(Ordering::Relaxed) > 0
}

/// A capture is about to begin: from here on everything is watched, so that nothing it refuses is missed.
pub fn capture_begins(cupti: &Cupti) {
    if CAPTURES.fetch_add(1, Ordering::SeqCst) == 0 {
        update(cupti);
    }
}

/// A call has ended and was recorded.
#[inline]
pub fn after(cupti: &Cupti, thread: ThreadId, call: &Call, result: Code) {
    match *call {
        Call::StreamBeginCapture { stream, .. }
        | Call::StreamBeginCaptureToGraph { stream, .. } => {
            if result.is_success() {
                origins().push(key(thread, stream));
            } else {
                one_less(cupti);
            }
        }
        Call::StreamEndCapture { stream, graph } if ends(result) => {
            graph_nodes::end(graph.0);
            leave(cupti, thread, stream);
        }
        Call::StreamDestroy { stream } if result.is_success() => leave(cupti, thread, stream),
        Call::Work { .. } | Call::GraphLaunch { .. } if !is_capturing() => spend(cupti),
        _ => {}
    }
}

/// Whether a capture is over after a call to end it that returned this: all but a call on the wrong stream.
fn ends(result: Code) -> bool {
    result.is_success()
        || matches!(
            result,
            Code::STREAM_CAPTURE_INVALIDATED
                | Code::STREAM_CAPTURE_UNJOINED
                | Code::STREAM_CAPTURE_WRONG_THREAD
        )
}

fn leave(cupti: &Cupti, thread: ThreadId, stream: Stream) {
    let mut origins = origins();
    let origin = key(thread, stream);
    let Some(place) = origins.iter().position(|it| *it == origin) else {
        return;
    };
    origins.swap_remove(place);
    drop(origins);
    one_less(cupti);
}

fn one_less(cupti: &Cupti) {
    if CAPTURES.fetch_sub(1, Ordering::SeqCst) == 1 {
        graph_nodes::end_all();
        CAPTURED.store(true, Ordering::Relaxed);
        LEFT.fetch_max(AFTER_CAPTURE, Ordering::Relaxed);
        update(cupti);
    }
}

/// One launch or copy outside a capture was watched.
fn spend(cupti: &Cupti) {
    if LEFT.fetch_sub(1, Ordering::Relaxed) == 1 {
        update(cupti);
    }
}

/// Watches what is to be watched now.
fn update(cupti: &Cupti) {
    let _changing = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
    let capturing = is_capturing();
    let at_first = capturing || LEFT.load(Ordering::Relaxed) > 0;
    let once_captured = capturing || CAPTURED.load(Ordering::Relaxed);
    apply(cupti, |when| match when {
        When::Always => true,
        When::Capturing => capturing,
        When::AtFirst => at_first,
        When::OnceCaptured => once_captured,
    });
}

fn apply(cupti: &Cupti, wanted: impl Fn(When) -> bool) {
    for function in functions::all().filter(|function| function.when != When::Always) {
        set_one(cupti, function, wanted(function.when));
    }
}

fn set(cupti: &Cupti, on: bool, which: impl Fn(When) -> bool) {
    let _changing = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
    for function in functions::all().filter(|function| which(function.when)) {
        set_one(cupti, function, on);
    }
}

fn set_one(cupti: &Cupti, function: &functions::Function, on: bool) {
    cupti.enable(function.id, on);
    if function.own_stream_id != 0 {
        cupti.enable(function.own_stream_id, on);
    }
}

/// The origin of a capture: the stream, and for per-thread streams, which share a name, also whose it is.
fn key(thread: ThreadId, stream: Stream) -> (ThreadId, Stream) {
    match stream {
        Stream::PerThread(_) => (thread, stream),
        Stream::Created(_) | Stream::Legacy(_) => (ThreadId(0), stream),
    }
}

fn origins() -> std::sync::MutexGuard<'static, Vec<(ThreadId, Stream)>> {
    ORIGINS.lock().unwrap_or_else(PoisonError::into_inner)
}
