//! Which functions CUPTI tells of.
//!
//! A function that is watched costs the program two callbacks a call. So only those that are needed at any time are watched
//! always; all others while something captures. Of launches, copies and replays, which show what was done before a capture,
//! the first so many are watched too; when they are over, all is calm, and CUPTI is left.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use cgsan_model::{Call, Code, Stream, ThreadId};

use crate::cupti::Cupti;
use crate::functions::{self, When};
use crate::{graph_nodes, parameters, subscription};

/// How many launches, copies and replays are watched before the first capture, and after each one.
const AT_FIRST: i32 = 3_000;
const AFTER_CAPTURE: i32 = 500;

/// How many captures run or are about to begin.
static CAPTURES: AtomicU32 = AtomicU32::new(0);
/// How many more launches, copies and replays are watched outside captures.
static LEFT: AtomicI32 = AtomicI32::new(AT_FIRST);
/// How often CUPTI was left and came back.
static RETURNS: AtomicI32 = AtomicI32::new(0);
/// Whether something has captured.
static CAPTURED: AtomicBool = AtomicBool::new(false);

static ORIGINS: Mutex<Vec<(ThreadId, Stream)>> = Mutex::new(Vec::new());

/// Watches what is to be watched at the start, and again after CUPTI was left.
pub fn open(cupti: &Cupti) {
    if LEFT.load(Ordering::Relaxed) <= 0 {
        RETURNS.fetch_add(1, Ordering::Relaxed);
        LEFT.store(until_calm(), Ordering::Relaxed);
    }
    // What was begun while nobody watched is not known to end, either.
    CAPTURES.store(0, Ordering::SeqCst);
    origins().clear();
    graph_nodes::end_all();
    let once_captured = CAPTURED.load(Ordering::Relaxed);
    for function in functions::all() {
        let watched = match function.when {
            When::Always | When::AtFirst => true,
            When::OnceCaptured => once_captured,
            When::Capturing => false,
        };
        if watched {
            set_one(cupti, function, true);
        }
    }
}

/// How many are watched after a capture: more with each return, which takes its time.
fn until_calm() -> i32 {
    let returns = RETURNS.load(Ordering::Relaxed).max(1);
    AFTER_CAPTURE.saturating_mul(returns).min(AT_FIRST)
}

/// Whether something captures.
#[inline]
pub fn is_capturing() -> bool {
    CAPTURES.load(Ordering::Relaxed) > 0
}

/// A capture is about to begin: from here on everything is watched, so that nothing it refuses is missed.
pub fn capture_begins() {
    if CAPTURES.fetch_add(1, Ordering::SeqCst) == 0 {
        subscription::change(update);
    }
}

/// A call has ended and was recorded.
#[inline]
pub fn after(thread: ThreadId, call: &Call, result: Code) {
    match *call {
        Call::StreamBeginCapture { stream, .. }
        | Call::StreamBeginCaptureToGraph { stream, .. } => {
            if result.is_success() {
                origins().push(key(thread, stream));
            } else {
                one_less();
            }
        }
        Call::StreamEndCapture { stream, graph } if ends(result) => {
            graph_nodes::end(graph.0);
            leave(thread, stream);
        }
        Call::StreamDestroy { stream } if result.is_success() => leave(thread, stream),
        Call::Work { .. } | Call::GraphLaunch { .. } if !is_capturing() => spend(),
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

fn leave(thread: ThreadId, stream: Stream) {
    let mut origins = origins();
    let origin = key(thread, stream);
    let Some(place) = origins.iter().position(|it| *it == origin) else {
        return;
    };
    origins.swap_remove(place);
    drop(origins);
    one_less();
}

fn one_less() {
    if CAPTURES.fetch_sub(1, Ordering::SeqCst) == 1 {
        graph_nodes::end_all();
        parameters::forget();
        CAPTURED.store(true, Ordering::Relaxed);
        LEFT.fetch_max(until_calm(), Ordering::Relaxed);
        subscription::change(update);
    }
}

/// One launch, copy or replay outside a capture was watched.
fn spend() {
    let is_calm = LEFT.fetch_sub(1, Ordering::Relaxed) == 1;
    if is_calm && !subscription::leave(|| !is_capturing()) {
        subscription::change(update);
    }
}

/// Watches what is to be watched now.
fn update(cupti: &Cupti) {
    let capturing = is_capturing();
    let at_first = capturing || LEFT.load(Ordering::Relaxed) > 0;
    let once_captured = capturing || CAPTURED.load(Ordering::Relaxed);
    for function in functions::all() {
        let watched = match function.when {
            When::Always => continue,
            When::Capturing => capturing,
            When::AtFirst => at_first,
            When::OnceCaptured => once_captured,
        };
        set_one(cupti, function, watched);
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
