//! cuDNN 9. Routines that only launch, and sizes of workspaces, are declared in `api/cudnn.list`; here are the handle
//! and what is asked about descriptors, recurrent networks, convolutions and graphs ([`backend`]).
#![expect(unsafe_code, reason = "exports functions of C")]

mod backend;
mod convolution;
mod dropout;
mod rnn;
mod rnn_weights;
mod tensor;

use std::ffi::{c_char, c_int};

use super::export::{Status, export};
use super::family::CUDNN;
use super::own_memory::OwnMemory;
use super::{handle, version};
use crate::ffi::{Out, called};
use crate::gpu::{self, StreamHandle};

/// `CUDNN_STATUS_BAD_PARAM`.
const BAD_PARAM: Status = Status(2000);
/// `CUDNN_STATUS_NOT_SUPPORTED`.
const NOT_SUPPORTED: Status = Status(3000);
/// `CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED`, which is what a refused first use returns.
const DEVICE_ALLOCATION_FAILED: Status = Status(4004);

/// What a handle allocates, in bytes: on the device two pieces, together 8 MiB, and a pinned one (measured on an H100).
const DEVICE_MEMORY: [usize; 2] = [6 << 20, 2 << 20];
const PINNED_MEMORY: [usize; 1] = [4096];

export! { CUDNN;
    fn cudnnCreate(out: Out<usize>) {
        let memory = OwnMemory::at_first_use(&DEVICE_MEMORY, &PINNED_MEMORY)
            .map_err(|_| DEVICE_ALLOCATION_FAILED)?;
        out.put_if_wanted(handle::create(memory));
        Ok(())
    }

    fn cudnnDestroy(handle: usize) {
        handle::destroy(&CUDNN, handle)
    }

    fn cudnnSetStream(handle: usize, stream: StreamHandle) {
        handle::set_stream(&CUDNN, handle, stream)
    }

    fn cudnnGetStream(handle: usize, stream: Out<u64>) {
        handle::get_stream(&CUDNN, handle, stream)
    }

    fn cudnnGetProperty(kind: c_int, value: Out<c_int>) {
        version::torch().cudnn.property(kind, value, BAD_PARAM.0)
    }
}

/// cuDNN's version.
#[unsafe(no_mangle)]
extern "C" fn cudnnGetVersion() -> usize {
    called::note("cudnnGetVersion");
    usize::try_from(version::torch().cudnn.ten_thousands()).unwrap_or_default()
}

/// The newest architecture that cuDNN knows (100 × major + 10 × minor).
#[unsafe(no_mangle)]
extern "C" fn cudnnGetMaxDeviceVersion() -> usize {
    called::note("cudnnGetMaxDeviceVersion");
    1200
}

/// The CUDA runtime that cuDNN contains.
#[unsafe(no_mangle)]
extern "C" fn cudnnGetCudartVersion() -> usize {
    called::note("cudnnGetCudartVersion");
    usize::try_from(gpu::version::runtime()).unwrap_or_default()
}

/// The name of a status, e.g. `CUDNN_STATUS_BAD_PARAM`.
#[unsafe(no_mangle)]
extern "C" fn cudnnGetErrorString(status: c_int) -> *const c_char {
    called::note("cudnnGetErrorString");
    let name = match status {
        0 => c"CUDNN_STATUS_SUCCESS",
        1001 => c"CUDNN_STATUS_NOT_INITIALIZED",
        2000 => c"CUDNN_STATUS_BAD_PARAM",
        3000 => c"CUDNN_STATUS_NOT_SUPPORTED",
        4000 => c"CUDNN_STATUS_INTERNAL_ERROR",
        4004 => c"CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
        5000 => c"CUDNN_STATUS_EXECUTION_FAILED",
        5003 => c"CUDNN_STATUS_EXECUTION_FAILED_CUDART",
        _ => c"CUDNN_UNKNOWN_STATUS",
    };
    name.as_ptr()
}

/// The text of the last error: none is kept.
#[unsafe(no_mangle)]
extern "C" fn cudnnGetLastErrorString(message: Out<u8>, room: usize) {
    called::note("cudnnGetLastErrorString");
    if room > 0 {
        message.put_if_wanted(0);
    }
}

/// A count that C gives as an `int`: what is negative is nothing.
fn count(number: c_int) -> usize {
    usize::try_from(number).unwrap_or_default()
}
