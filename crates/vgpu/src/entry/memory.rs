//! Device memory.

use std::ffi::{c_int, c_uint};

use cgsan_model::{Call, Code};

use crate::api::Function;
use crate::ffi::{Out, entry};
use crate::gpu::schedule::{self, Place};
use crate::gpu::{self, StreamHandle, allocate, context, fault, version};
use crate::memory::table;

entry! {
    /// Allocates device memory. No bytes are a null pointer, and no call to the driver.
    fn cudaMalloc(this, out: Out<u64>, bytes: usize) {
        if bytes == 0 {
            return out.put(0);
        }
        if out.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        out.put(allocate::malloc(this, bytes)?)
    }

    /// Allocates device memory.
    fn cuMemAlloc_v2(this, out: Out<u64>, bytes: usize) {
        if bytes == 0 || out.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        out.put(allocate::malloc(this, bytes)?)
    }

    /// Frees device memory.
    fn cudaFree, cuMemFree_v2(this, address: u64) {
        wait_for_users_of(address);
        allocate::free(this, address)
    }

    /// Allocates rows of device memory, each aligned.
    fn cudaMallocPitch(this, out: Out<u64>, pitch: Out<usize>, width: usize, height: usize) {
        let row = width.checked_next_multiple_of(PITCH).ok_or(Code::INVALID_VALUE)?;
        pitch.put(row)?;
        out.put(allocate::malloc(this, row.saturating_mul(height))?)
    }

    /// Allocates rows of device memory, each aligned.
    fn cuMemAllocPitch_v2(
        this, out: Out<u64>, pitch: Out<usize>, width: usize, height: usize, _element: c_uint,
    ) {
        let row = width.checked_next_multiple_of(PITCH).ok_or(Code::INVALID_VALUE)?;
        pitch.put(row)?;
        out.put(allocate::malloc(this, row.saturating_mul(height))?)
    }

    /// Allocates memory that the host and the device share.
    fn cudaMallocManaged, cuMemAllocManaged(this, out: Out<u64>, bytes: usize, _flags: c_uint) {
        if bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        out.put(allocate::malloc_managed(this, bytes)?)
    }

    /// Writes how much memory is free, and how much there is.
    fn cudaMemGetInfo, cuMemGetInfo_v2(_this, free: Out<usize>, total: Out<usize>) {
        fault::told()?;
        let size = |bytes| usize::try_from(bytes).unwrap_or(usize::MAX);
        free.put(size(table::lock().free(context::device())))?;
        total.put(size(table::capacity()))
    }

    /// Takes advice about managed memory, which is everywhere at once.
    fn cudaMemAdvise(_this, address: u64, _bytes: usize, _advice: c_int, _location: u64) {
        known(address)
    }

    /// Takes advice about managed memory.
    fn cuMemAdvise, cuMemAdvise_v2(_this, address: u64, _bytes: usize, _advice: c_int, _location: u64) {
        known(address)
    }

    /// Prefetches managed memory, which is everywhere at once: `fourth` is the stream, or from CUDA 13 on flags, the
    /// stream following.
    fn cudaMemPrefetchAsync, cudaMemPrefetchAsync_ptsz(
        this, address: u64, _bytes: usize, _location: u64, fourth: u64, fifth: u64,
    ) {
        let stream = if version::is_13() { fifth } else { fourth };
        prefetch(this, address, StreamHandle(stream))
    }

    /// Prefetches managed memory.
    fn cuMemPrefetchAsync, cuMemPrefetchAsync_ptsz(
        this, address: u64, _bytes: usize, _device: c_int, stream: StreamHandle,
    ) {
        prefetch(this, address, stream)
    }

    /// Prefetches managed memory.
    fn cudaMemPrefetchAsync_v2, cuMemPrefetchAsync_v2(
        this, address: u64, _bytes: usize, _location: u64, _flags: c_uint, stream: StreamHandle,
    ) {
        prefetch(this, address, stream)
    }
}

/// The alignment of rows in bytes.
const PITCH: usize = 512;

fn prefetch(this: &Function, address: u64, stream: StreamHandle) -> Result<(), Code> {
    known(address)?;
    let stream = stream.resolve(this);
    gpu::call(this, &Call::Prefetch { stream })
}

/// Memory is freed when the work on its device is done. Where work is done late, it is kept until then instead
/// (`memory/retired.rs`): the caller may hold a lock that the work needs.
pub(super) fn wait_for_users_of(address: u64) {
    if schedule::is_late() {
        return;
    }
    let block = table::lock().starting_at(address);
    if let Some(block) = block {
        schedule::wait(Place::Device(block.device));
    }
}

fn known(address: u64) -> Result<(), Code> {
    table::lock()
        .find(address)
        .map(drop)
        .ok_or(Code::INVALID_VALUE)
}
