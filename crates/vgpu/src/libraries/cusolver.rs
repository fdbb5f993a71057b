//! cuSOLVER, dense. Its routines are declared in `api/cusolver.list`; here is the handle.
//!
//! Routines that read a value back in the middle (measured on an H100: eigenvalues and singular values of one matrix,
//! symmetric indefinite factors) wait for the stream, which a capture refuses.

use std::ffi::c_int;

use super::export::{Status, export};
use super::family::CUSOLVER;
use super::own_memory::OwnMemory;
use super::{handle, version};
use crate::ffi::Out;
use crate::gpu::StreamHandle;

/// `CUSOLVER_STATUS_INTERNAL_ERROR`, which is what a refused first use returns.
const INTERNAL_ERROR: Status = Status(7);
/// `CUSOLVER_STATUS_INVALID_VALUE`.
const INVALID_VALUE: c_int = 3;

/// What a handle allocates, in bytes: four pieces, together 96 MiB (measured on an H100).
const DEVICE_MEMORY: [usize; 4] = [90 << 20, 2 << 20, 2 << 20, 2 << 20];

export! { CUSOLVER;
    fn cusolverDnCreate(out: Out<usize>) {
        let memory = OwnMemory::at_first_use(&DEVICE_MEMORY, &[]).map_err(|_| INTERNAL_ERROR)?;
        out.put_if_wanted(handle::create(memory));
        Ok(())
    }

    fn cusolverDnDestroy(handle: usize) {
        handle::destroy(&CUSOLVER, handle)
    }

    fn cusolverDnSetStream(handle: usize, stream: StreamHandle) {
        handle::set_stream(&CUSOLVER, handle, stream)
    }

    fn cusolverDnGetStream(handle: usize, stream: Out<u64>) {
        handle::get_stream(&CUSOLVER, handle, stream)
    }

    fn cusolverGetVersion(version: Out<c_int>) {
        version.put_if_wanted(version::toolkit().cusolver.thousands());
        Ok(())
    }

    fn cusolverGetProperty(kind: c_int, value: Out<c_int>) {
        version::toolkit().cusolver.property(kind, value, INVALID_VALUE)
    }
}
