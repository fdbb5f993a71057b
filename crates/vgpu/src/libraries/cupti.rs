//! CUPTI: enough for a profiler to start and stop. No kind of activity can be had, which the profiler learns and the
//! report says.
#![expect(unsafe_code, reason = "exports functions of C")]

use std::ffi::{c_char, c_int};

use super::object;
use crate::ffi::{Out, guard};

/// `CUPTI_ERROR_MAX_LIMIT_REACHED`: there is no further record.
const NO_MORE: c_int = 12;

/// `CUPTI_ERROR_NOT_SUPPORTED`.
const NOT_SUPPORTED: c_int = 27;

/// `CUPTI_API_VERSION` of CUDA 13.0.
const API_VERSION: u32 = 130_001;

/// CUPTI's version.
#[unsafe(no_mangle)]
extern "C" fn cuptiGetVersion(version: Out<u32>) -> c_int {
    version.put_if_wanted(API_VERSION);
    0
}

/// The time by CUPTI's clock, in nanoseconds.
#[unsafe(no_mangle)]
extern "C" fn cuptiGetTimestamp(timestamp: Out<u64>) -> c_int {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.map_or(0, |since| since.as_nanos());
    timestamp.put_if_wanted(u64::try_from(now).unwrap_or(u64::MAX));
    0
}

/// Starts a kind of activity: there is none.
#[unsafe(no_mangle)]
extern "C" fn cuptiActivityEnable(_kind: c_int) -> c_int {
    guard(NOT_SUPPORTED, || {
        cgsan_observe::missing("cuptiActivityEnable");
        NOT_SUPPORTED
    })
}

/// The next record of a buffer: there is none.
#[unsafe(no_mangle)]
extern "C" fn cuptiActivityGetNextRecord(
    _buffer: usize,
    _size: usize,
    record: Out<usize>,
) -> c_int {
    record.put_if_wanted(0);
    NO_MORE
}

/// How many records were lost: none.
#[unsafe(no_mangle)]
extern "C" fn cuptiActivityGetNumDroppedRecords(
    _context: usize,
    _stream: u32,
    dropped: Out<usize>,
) -> c_int {
    dropped.put_if_wanted(0);
    0
}

/// Forgets a correlation id, and returns it.
#[unsafe(no_mangle)]
extern "C" fn cuptiActivityPopExternalCorrelationId(_kind: c_int, last: Out<u64>) -> c_int {
    last.put_if_wanted(0);
    0
}

/// Subscribes a callback, which will not be called.
#[unsafe(no_mangle)]
extern "C" fn cuptiSubscribe(subscriber: Out<usize>) -> c_int {
    guard(0, || {
        subscriber.put_if_wanted(object::opaque());
        0
    })
}

/// The name of a result.
#[unsafe(no_mangle)]
extern "C" fn cuptiGetResultString(result: c_int, text: Out<*const c_char>) -> c_int {
    let name = match result {
        0 => c"CUPTI_SUCCESS",
        NO_MORE => c"CUPTI_ERROR_MAX_LIMIT_REACHED",
        NOT_SUPPORTED => c"CUPTI_ERROR_NOT_SUPPORTED",
        _ => c"CUPTI_ERROR_UNKNOWN",
    };
    text.put_if_wanted(name.as_ptr());
    0
}
