//! The program's own profiler: CUPTI serves one subscriber at a time, and the program comes first.
//!
//! Being loaded before PyTorch, this library is asked in CUPTI's place when PyTorch's profiler subscribes. It ends its own
//! subscription and passes the request on. A tool may also use CUPTI without a subscription, and would lose what it does if
//! CUPTI were taken out of the process.
#![expect(unsafe_code, reason = "calls functions of NVIDIA's libraries")]

use std::ffi::{c_int, c_void};

use super::{abi, own};
use crate::{subscription, watch};

/// `CUPTI_ERROR_NOT_INITIALIZED`.
const NOT_INITIALIZED: c_int = 15;

type SubscribeWithParameters =
    unsafe extern "C" fn(*mut abi::Subscriber, abi::Callback, *mut c_void, *mut c_void) -> c_int;

/// `cuptiSubscribe`, for the program.
///
/// # Safety
///
/// As CUPTI demands.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiSubscribe(
    subscriber: *mut abi::Subscriber,
    callback: abi::Callback,
    data: *mut c_void,
) -> c_int {
    watch::make_way();
    // SAFETY: the name is that of a function of this type; the arguments are passed on as they came.
    unsafe {
        own::<abi::Subscribe>(c"cuptiSubscribe").map_or(NOT_INITIALIZED, |subscribe| {
            subscribe(subscriber, callback, data)
        })
    }
}

/// `cuptiSubscribe_v2` of CUDA 13, for the program.
///
/// # Safety
///
/// As CUPTI demands.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiSubscribe_v2(
    subscriber: *mut abi::Subscriber,
    callback: abi::Callback,
    data: *mut c_void,
    parameters: *mut c_void,
) -> c_int {
    watch::make_way();
    // SAFETY: as above.
    unsafe {
        own::<SubscribeWithParameters>(c"cuptiSubscribe_v2").map_or(NOT_INITIALIZED, |subscribe| {
            subscribe(subscriber, callback, data, parameters)
        })
    }
}

type RegisterCallbacks = unsafe extern "C" fn(*const c_void, *const c_void) -> c_int;
type EnableActivity = unsafe extern "C" fn(c_int) -> c_int;

/// `cuptiActivityRegisterCallbacks`, for the program.
///
/// # Safety
///
/// As CUPTI demands.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiActivityRegisterCallbacks(
    requested: *const c_void,
    completed: *const c_void,
) -> c_int {
    subscription::stay();
    // SAFETY: as above.
    unsafe {
        own::<RegisterCallbacks>(c"cuptiActivityRegisterCallbacks")
            .map_or(NOT_INITIALIZED, |register| register(requested, completed))
    }
}

/// `cuptiActivityEnable`, for the program.
///
/// # Safety
///
/// As CUPTI demands.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuptiActivityEnable(kind: c_int) -> c_int {
    subscription::stay();
    // SAFETY: as above.
    unsafe {
        own::<EnableActivity>(c"cuptiActivityEnable").map_or(NOT_INITIALIZED, |enable| enable(kind))
    }
}
