//! Pinned host memory.

use std::ffi::c_uint;

use cgsan_model::Code;

use super::memory::wait_for_users_of;
use crate::ffi::{Out, entry};
use crate::gpu::allocate;
use crate::gpu::schedule::{self, Place};
use crate::memory::table::{self, Kind};

entry! {
    /// Allocates pinned memory.
    fn cudaMallocHost, cuMemAllocHost_v2(this, out: Out<u64>, bytes: usize) {
        out.put(allocate::host_malloc(this, bytes)?)
    }

    /// Allocates pinned memory.
    fn cudaHostAlloc, cuMemHostAlloc(this, out: Out<u64>, bytes: usize, flags: c_uint) {
        if out.is_null() || flags & !7 != 0 {
            return Err(Code::INVALID_VALUE);
        }
        out.put(allocate::host_malloc_with(this, bytes, flags)?)
    }

    /// Frees pinned memory.
    fn cudaFreeHost, cuMemFreeHost(this, address: u64) {
        wait_for_users_of(address);
        allocate::host_free(this, address)
    }

    /// Pins memory of the program's own.
    fn cudaHostRegister, cuMemHostRegister_v2(this, address: u64, bytes: usize, flags: c_uint) {
        allocate::host_register(this, address, bytes, flags)
    }

    /// Unpins it.
    fn cudaHostUnregister, cuMemHostUnregister(this, address: u64) {
        schedule::wait(Place::Everything);
        allocate::host_unregister(this, address)
    }

    /// Writes the device's address of pinned memory, which is the host's.
    fn cudaHostGetDevicePointer, cuMemHostGetDevicePointer_v2(_this, out: Out<u64>, address: u64, _flags: c_uint) {
        pinned(address)?;
        out.put(address)
    }

    /// Writes the flags that pinned memory was allocated with.
    fn cudaHostGetFlags, cuMemHostGetFlags(_this, flags: Out<c_uint>, address: u64) {
        flags.put(pinned(address)?)
    }
}

/// The flags of pinned memory.
fn pinned(address: u64) -> Result<u32, Code> {
    match table::lock().find(address).map(|block| block.kind) {
        Some(Kind::Host { flags } | Kind::Registered { flags }) => Ok(flags),
        _ => Err(Code::INVALID_VALUE),
    }
}
