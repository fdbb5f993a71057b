//! One call, as CUPTI tells of it.
#![expect(unsafe_code, reason = "reads the parameters that CUPTI describes")]

use std::ffi::c_char;

use cgsan_model::{Call, Code, Device, NodeKind, Stream};

use crate::cupti::abi::CallbackData;
use crate::device;
use cgsan_observe::Plain;

use crate::foreign::Pointer;

/// A call that has just ended, with what its parameters mean in its thread.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    data: CallbackData,
    own_stream: bool,
    result: Code,
}

impl Site {
    /// The call behind `data`; `own_stream` where stream 0 means the calling thread's own.
    ///
    /// # Safety
    ///
    /// `data` is what CUPTI passes at the end of a call, and this is dropped before the call returns to the program.
    pub unsafe fn new(data: CallbackData, own_stream: bool) -> Site {
        // SAFETY: by the contract of this function, this points to the result.
        let result = unsafe { Pointer::new(data.result).read() };
        Site {
            data,
            own_stream,
            result: result.map_or(Code::UNKNOWN, Code),
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
    pub unsafe fn parameters<P: Plain>(&self) -> P {
        // SAFETY: by the contract of this function and of `new`.
        unsafe { self.data.parameters.cast::<P>().read_unaligned() }
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
    pub fn returned(&self, out: Pointer<u64>) -> u64 {
        if !self.result.is_success() {
            return 0;
        }
        // SAFETY: the call succeeded, so it has written there.
        unsafe { out.read() }.unwrap_or_default()
    }

    /// What the program passed through a pointer; `None` if it is null. Of a call that failed, nobody knows whether the
    /// driver got as far as to look at it: `None` also if there is nothing.
    pub fn passed<T: Plain>(&self, pointer: Pointer<T>) -> Option<T> {
        if self.result.is_success() {
            // SAFETY: the call succeeded, and so the driver has read there what it needs for that.
            unsafe { pointer.read() }
        } else {
            pointer.read_unchecked_by_driver()
        }
    }

    /// The handles that the program passed through a pointer; none of a call that failed.
    pub fn list(&self, pointer: Pointer<u64>, count: usize) -> Vec<u64> {
        if !self.result.is_success() {
            return Vec::new();
        }
        // SAFETY: the call succeeded, so the driver has read so many there.
        unsafe { pointer.read_all(count) }
    }

    /// What was noted at the beginning of the call; 0 if nobody saw that.
    pub fn noted(&self) -> Option<u64> {
        // SAFETY: CUPTI keeps 64 bits for the call there.
        unsafe { Pointer::new(self.data.correlation.cast_const()).read() }
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
