//! The part of CUPTI's interface that is used, as `cupti_callbacks.h` and `cupti_result.h` of CUDA 12.4, 12.8 and 13.0
//! declare it, which agree.

use std::ffi::{c_char, c_int, c_void};

/// `CUptiResult`.
pub type CuptiResult = c_int;
/// `CUPTI_SUCCESS`.
pub const SUCCESS: CuptiResult = 0;
/// `CUPTI_ERROR_MAX_LIMIT_REACHED`: before CUDA 12, what a second subscriber is told.
pub const MAX_LIMIT_REACHED: CuptiResult = 12;
/// `CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED`.
pub const MULTIPLE_SUBSCRIBERS: CuptiResult = 39;

/// `CUPTI_CB_DOMAIN_DRIVER_API`.
pub const DRIVER_API: c_int = 1;
/// `CUPTI_API_ENTER`.
pub const ENTER: c_int = 0;

/// `CUpti_SubscriberHandle`.
pub type Subscriber = *mut c_void;

/// `CUpti_CallbackFunc`.
pub type Callback =
    extern "C" fn(data: *mut c_void, domain: c_int, id: u32, call: *const CallbackData);

/// `CUpti_CallbackData`: one side of a call, its beginning or its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CallbackData {
    /// [`ENTER`], or 1 for the end.
    pub site: c_int,
    /// The function's name.
    pub function_name: *const c_char,
    /// A structure with the parameters, one for each function.
    pub parameters: *const c_void,
    /// The result, a `CUresult`; holds at the end only.
    pub result: *const c_int,
    /// The mangled name of the kernel that is launched.
    pub symbol_name: *const c_char,
    /// The calling thread's context, or null.
    pub context: *mut c_void,
    /// The number of that context.
    pub context_number: u32,
    /// 64 bits that go from the beginning of a call to its end.
    pub correlation: *mut u64,
    /// The number of the call.
    pub correlation_id: u32,
}

/// `cuptiGetVersion`.
pub type GetVersion = unsafe extern "C" fn(version: *mut u32) -> CuptiResult;
/// `cuptiSubscribe`.
pub type Subscribe = unsafe extern "C" fn(
    subscriber: *mut Subscriber,
    callback: Callback,
    data: *mut c_void,
) -> CuptiResult;
/// `cuptiUnsubscribe`.
pub type Unsubscribe = unsafe extern "C" fn(subscriber: Subscriber) -> CuptiResult;
/// `cuptiFinalize`.
pub type Finalize = unsafe extern "C" fn() -> CuptiResult;
/// `cuptiEnableCallback`.
pub type EnableCallback = unsafe extern "C" fn(
    enable: u32,
    subscriber: Subscriber,
    domain: c_int,
    id: u32,
) -> CuptiResult;
/// `cuptiGetDeviceId`.
pub type GetDeviceId = unsafe extern "C" fn(context: *mut c_void, device: *mut u32) -> CuptiResult;

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::*;

    #[test]
    fn callback_data_is_laid_out_as_in_the_headers_of_cuda_12_and_13() {
        assert_eq!(size_of::<CallbackData>(), 72);
        assert_eq!(offset_of!(CallbackData, function_name), 8);
        assert_eq!(offset_of!(CallbackData, parameters), 16);
        assert_eq!(offset_of!(CallbackData, result), 24);
        assert_eq!(offset_of!(CallbackData, symbol_name), 32);
        assert_eq!(offset_of!(CallbackData, context), 40);
        assert_eq!(offset_of!(CallbackData, context_number), 48);
        assert_eq!(offset_of!(CallbackData, correlation), 56);
        assert_eq!(offset_of!(CallbackData, correlation_id), 64);
    }
}
