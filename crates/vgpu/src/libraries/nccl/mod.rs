//! NCCL among the processes and devices of one machine.
//!
//! | file | what it is |
//! |---|---|
//! | `communicator`, `collective`, `group` | the entry points |
//! | `meeting`, `peers` | how ranks find each other, and what one knows of the others |
//! | `operation` | what each collective moves, as data |
//! | `exchange`, `mailbox` | how it is moved, when its turn on the stream comes |
//! | `data`, `small_float` | what reductions compute |
//! | `alone` | collectives of one rank, which NCCL does in other ways |
#![expect(unsafe_code, reason = "exports functions of C")]

mod alone;
mod collective;
mod communicator;
mod data;
mod exchange;
mod group;
mod last_error;
mod mailbox;
mod meeting;
mod operation;
mod peers;
mod small_float;

use std::ffi::{c_char, c_int};

use super::export::{Status, export};
use super::family::NCCL;
use super::version;
use crate::ffi::{Out, called};
use crate::gpu;

/// `ncclUnhandledCudaError`.
const UNHANDLED_CUDA_ERROR: Status = Status(1);
/// `ncclSystemError`.
const SYSTEM_ERROR: Status = Status(2);
/// `ncclInvalidArgument`.
const INVALID_ARGUMENT: Status = Status(4);
/// `ncclInvalidUsage`.
const INVALID_USAGE: Status = Status(5);

export! { NCCL;
    fn ncclGetVersion(version: Out<c_int>) {
        version.put_if_wanted(version::torch().nccl.ten_thousands());
        Ok(())
    }

    fn ncclMemAlloc(pointer: Out<usize>, bytes: usize) {
        let memory = gpu::malloc(bytes).map_err(refused)?;
        pointer.put_if_wanted(memory.addr());
        Ok(())
    }

    fn ncclMemFree(pointer: usize) {
        cuda(gpu::free(std::ptr::with_exposed_provenance_mut(pointer)))
    }
}

/// Turns CUDA's answer into NCCL's, and remembers its text.
fn cuda(code: cgsan_model::Code) -> Result<(), Status> {
    if code.is_success() {
        Ok(())
    } else {
        Err(refused(code))
    }
}

/// NCCL's answer to a refusal by CUDA, whose text is remembered.
fn refused(code: cgsan_model::Code) -> Status {
    let text = code.text().unwrap_or("unknown error");
    last_error::set(&format!("Cuda failure '{text}'"));
    UNHANDLED_CUDA_ERROR
}

/// The text of a result.
#[unsafe(no_mangle)]
extern "C" fn ncclGetErrorString(result: c_int) -> *const c_char {
    called::note("ncclGetErrorString");
    let text = match result {
        0 => c"no error",
        1 => c"unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
        2 => c"unhandled system error (run with NCCL_DEBUG=INFO for details)",
        3 => c"internal error - please report this issue to the NCCL developers",
        4 => c"invalid argument (run with NCCL_DEBUG=WARN for details)",
        5 => c"invalid usage (run with NCCL_DEBUG=WARN for details)",
        6 => c"remote process exited or there was a network error",
        7 => c"NCCL operation in progress",
        _ => c"unknown result code",
    };
    text.as_ptr()
}
