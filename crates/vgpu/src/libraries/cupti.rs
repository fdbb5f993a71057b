//! CUPTI: what a profiler needs to be told of calls and of work. Counters of the device it does not have.
#![expect(unsafe_code, reason = "exports functions of C")]

use std::ffi::{c_char, c_int, c_void};

use super::object;
use crate::ffi::{InOut, Out, called, guard};
use crate::profile::{self, Complete, Kind, RegisteredClock, Request};

/// `CUPTI_ERROR_INVALID_PARAMETER`.
const INVALID_PARAMETER: c_int = 1;

/// `CUPTI_ERROR_MAX_LIMIT_REACHED`: there is no further record.
const NO_MORE: c_int = 12;

/// `CUPTI_ERROR_QUEUE_EMPTY`: there is no id to take back.
const EMPTY: c_int = 16;

/// `CUPTI_ERROR_NOT_SUPPORTED`.
const NOT_SUPPORTED: c_int = 27;

/// `CUPTI_ERROR_UNKNOWN`.
const UNKNOWN: c_int = 999;

/// `CUPTI_API_VERSION` of CUDA 13.0.
const API_VERSION: u32 = 130_001;

/// CUPTI's version.
#[unsafe(no_mangle)]
extern "C" fn cuptiGetVersion(version: Out<u32>) -> c_int {
    called::note("cuptiGetVersion");
    version.put_if_wanted(API_VERSION);
    0
}

/// The time by CUPTI's clock, in nanoseconds unless the profiler has registered one.
#[unsafe(no_mangle)]
extern "C" fn cuptiGetTimestamp(timestamp: Out<u64>) -> c_int {
    called::note("cuptiGetTimestamp");
    guard(UNKNOWN, || {
        timestamp.put_if_wanted(profile::now());
        0
    })
}

/// Registers the profiler's clock; null takes it back.
#[unsafe(no_mangle)]
extern "C" fn cuptiActivityRegisterTimestampCallback(clock: Option<RegisteredClock>) -> c_int {
    called::note("cuptiActivityRegisterTimestampCallback");
    guard(UNKNOWN, || {
        profile::register_clock(clock);
        0
    })
}

/// Registers the functions that give buffers and take them back.
#[unsafe(no_mangle)]
extern "C" fn cuptiActivityRegisterCallbacks(
    request: Option<Request>,
    complete: Option<Complete>,
) -> c_int {
    called::note("cuptiActivityRegisterCallbacks");
    guard(UNKNOWN, || {
        let Some(callbacks) = request.zip(complete) else {
            return INVALID_PARAMETER;
        };
        profile::register(Some(callbacks));
        0
    })
}

/// Begins to tell of a kind of activity.
#[unsafe(no_mangle)]
extern "C" fn cuptiActivityEnable(kind: u32) -> c_int {
    called::note("cuptiActivityEnable");
    guard(UNKNOWN, || {
        let Some(kind) = Kind::of(kind) else {
            cgsan_observe::missing("cuptiActivityEnable");
            return NOT_SUPPORTED;
        };
        profile::enable(kind);
        0
    })
}

/// No longer tells of a kind of activity.
#[unsafe(no_mangle)]
extern "C" fn cuptiActivityDisable(kind: u32) -> c_int {
    called::note("cuptiActivityDisable");
    guard(UNKNOWN, || {
        if let Some(kind) = Kind::of(kind) {
            profile::disable(kind);
        }
        0
    })
}

/// Gives the buffer with what has been recorded to the profiler.
#[unsafe(no_mangle)]
extern "C" fn cuptiActivityFlushAll(_flag: u32) -> c_int {
    called::note("cuptiActivityFlushAll");
    guard(UNKNOWN, || {
        profile::flush();
        0
    })
}

/// The next record of a buffer.
#[unsafe(no_mangle)]
extern "C" fn cuptiActivityGetNextRecord(
    buffer: usize,
    used: usize,
    record: InOut<usize>,
) -> c_int {
    called::note("cuptiActivityGetNextRecord");
    guard(UNKNOWN, || {
        let Ok(last) = record.get() else {
            return INVALID_PARAMETER;
        };
        // SAFETY: the API asks for a buffer that was given back, and for a record that it holds.
        let Some(next) = (unsafe { profile::next_record(buffer, used, last) }) else {
            return NO_MORE;
        };
        record.set(next);
        0
    })
}

/// How many records were lost.
#[unsafe(no_mangle)]
extern "C" fn cuptiActivityGetNumDroppedRecords(
    _context: *mut c_void,
    _stream: u32,
    dropped: Out<usize>,
) -> c_int {
    called::note("cuptiActivityGetNumDroppedRecords");
    guard(UNKNOWN, || {
        dropped.put_if_wanted(profile::dropped());
        0
    })
}

/// An id of the profiler's becomes current in the calling thread.
#[unsafe(no_mangle)]
extern "C" fn cuptiActivityPushExternalCorrelationId(kind: u32, id: u64) -> c_int {
    called::note("cuptiActivityPushExternalCorrelationId");
    guard(UNKNOWN, || {
        profile::push(kind, id);
        0
    })
}

/// The last id of a kind ceases to be current.
#[unsafe(no_mangle)]
extern "C" fn cuptiActivityPopExternalCorrelationId(kind: u32, last: Out<u64>) -> c_int {
    called::note("cuptiActivityPopExternalCorrelationId");
    guard(UNKNOWN, || match profile::pop(kind) {
        Some(id) => {
            last.put_if_wanted(id);
            0
        }
        None => EMPTY,
    })
}

/// Subscribes a callback, which will not be called.
#[unsafe(no_mangle)]
extern "C" fn cuptiSubscribe(subscriber: Out<usize>) -> c_int {
    called::note("cuptiSubscribe");
    guard(UNKNOWN, || {
        subscriber.put_if_wanted(object::opaque());
        0
    })
}

/// The name of a result.
#[unsafe(no_mangle)]
extern "C" fn cuptiGetResultString(result: c_int, text: Out<*const c_char>) -> c_int {
    called::note("cuptiGetResultString");
    let name = match result {
        0 => c"CUPTI_SUCCESS",
        INVALID_PARAMETER => c"CUPTI_ERROR_INVALID_PARAMETER",
        NO_MORE => c"CUPTI_ERROR_MAX_LIMIT_REACHED",
        EMPTY => c"CUPTI_ERROR_QUEUE_EMPTY",
        NOT_SUPPORTED => c"CUPTI_ERROR_NOT_SUPPORTED",
        _ => c"CUPTI_ERROR_UNKNOWN",
    };
    text.put_if_wanted(name.as_ptr());
    0
}
