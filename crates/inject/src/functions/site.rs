//! One call, as CUPTI tells of it.
#![expect(unsafe_code, reason = "reads the parameters that CUPTI describes")]

use std::ffi::c_char;

use cgsan_model::{Call, Code, Device, NodeKind, Stream};

use crate::cupti::abi::CallbackData;
use crate::device;

/// A call that has just ended, with what its parameters mean in its thread.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    data: &'a CallbackData,
    own_stream: bool,
    result: Code,
}

impl<'a> Site<'a> {
    /// The call behind `data`; `own_stream` where stream 0 means the calling thread's own.
    ///
    /// # Safety
    ///
    /// `data` is what CUPTI passes at the end of a call.
    pub unsafe fn new(data: &'a CallbackData, own_stream: bool) -> Site<'a> {
        // SAFETY: by the contract of this function, this points to the result.
        let result = Code(unsafe { data.result.read() });
        Site {
            data,
            own_stream,
            result,
        }
    }

    /// What the call returned.
    pub fn result(&self) -> Code {
        self.result
    }

    /// The parameters.
    ///
    /// # Safety
    ///
    /// `P` is the structure that the header declares for the function.
    pub unsafe fn parameters<P>(&self) -> &'a P {
        // SAFETY: by the contract of this function and of `new`.
        unsafe { &*self.data.parameters.cast::<P>() }
    }

    /// The device of the calling thread's context.
    pub fn device(&self) -> Device {
        device::of(self.data.context, self.data.context_number)
    }

    /// The stream that a handle means.
    pub fn stream(&self, handle: u64) -> Stream {
        stream_of(handle, self.own_stream, || self.device())
    }

    /// A handle or an address that the call returned through `out`; 0 if it failed.
    pub fn returned(&self, out: *const u64) -> u64 {
        if out.is_null() || !self.result.is_success() {
            return 0;
        }
        // SAFETY: the call succeeded, so it has written there.
        unsafe { out.read() }
    }

    /// What the program passed through a pointer that the call must read to do its work; `None` if it is null.
    ///
    /// # Safety
    ///
    /// The pointer is null, or the driver has read a `T` there.
    pub unsafe fn passed<T: Copy>(pointer: *const T) -> Option<T> {
        // SAFETY: by the contract of this function.
        (!pointer.is_null()).then(|| unsafe { pointer.read() })
    }

    /// The handles that the program passed through a pointer.
    ///
    /// # Safety
    ///
    /// The pointer is null, or the driver has read so many there, and the call has not returned to the program.
    pub unsafe fn list(pointer: *const u64, count: usize) -> &'a [u64] {
        if pointer.is_null() {
            return &[];
        }
        // SAFETY: by the contract of this function.
        unsafe { std::slice::from_raw_parts(pointer, count) }
    }

    /// What was noted at the beginning of the call; 0 if nobody saw that.
    pub fn noted(&self) -> Option<u64> {
        let noted = self.data.correlation;
        // SAFETY: CUPTI keeps 64 bits for the call there.
        (!noted.is_null()).then(|| unsafe { noted.read() })
    }

    /// The mangled name of the kernel that was launched.
    pub fn kernel_name(&self) -> *const c_char {
        self.data.symbol_name
    }

    /// Work that the caller waits for: on the legacy stream, or on the calling thread's own.
    pub fn synchronous(&self, node: NodeKind) -> Call {
        let device = self.device();
        if self.own_stream {
            let stream = Stream::PerThread(device);
            return Call::Work { stream, node };
        }
        Call::SynchronousWork { device, node }
    }
}

/// The stream that a handle means; `own_stream` where 0 means the calling thread's own.
pub fn stream_of(handle: u64, own_stream: bool, device: impl FnOnce() -> Device) -> Stream {
    match handle {
        0 if own_stream => Stream::PerThread(device()),
        0 | 1 => Stream::Legacy(device()),
        2 => Stream::PerThread(device()),
        handle => Stream::Created(handle),
    }
}
