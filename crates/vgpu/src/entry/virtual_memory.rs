//! Virtual memory, as PyTorch's expandable segments and its symmetric memory use it.

use std::ffi::{c_int, c_uint};

use cgsan_model::Code;
use cgsan_trace::AddressChange;

use crate::device;
use crate::ffi::{In, Out, entry};
use crate::gpu::schedule::{self, Place};
use crate::gpu::{self, context};
use crate::memory::backing::GRANULARITY;
use crate::memory::virtual_memory;

/// `CUmemAllocationProp`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AllocationProperties {
    allocation_type: c_int,
    handle_types: c_int,
    location: [c_int; 2],
    win32: u64,
    flags: [u8; 8],
}

crate::ffi::plain! {
    AllocationProperties { allocation_type: c_int, handle_types: c_int, location: [c_int; 2], win32: u64, flags: [u8; 8] }
}

entry! {
    /// Reserves a range of addresses.
    fn cuMemAddressReserve(
        _this, out: Out<u64>, bytes: usize, _alignment: usize, _wanted: u64, _flags: u64,
    ) {
        out.put(virtual_memory::reserve(bytes as u64)?)
    }

    /// Gives a range of addresses back.
    fn cuMemAddressFree(_this, start: u64, bytes: usize) {
        virtual_memory::unreserve(start, bytes as u64)
    }

    /// Takes memory from a device.
    fn cuMemCreate(_this, out: Out<u64>, bytes: usize, properties: In<AllocationProperties>, _flags: u64) {
        let AllocationProperties { handle_types, location: [_, ordinal], .. } = properties.get()?;
        let device = device::check(ordinal)?;
        if handle_types & FABRIC != 0 {
            return Err(NOT_PERMITTED);
        }
        out.put(virtual_memory::create(device, bytes as u64, handle_types & FILE_DESCRIPTOR != 0)?)
    }

    /// Writes what memory was created with.
    fn cuMemGetAllocationPropertiesFromHandle(_this, out: Out<AllocationProperties>, handle: u64) {
        let (device, is_shareable) = virtual_memory::properties(handle)?;
        out.put(AllocationProperties {
            allocation_type: PINNED,
            handle_types: if is_shareable { FILE_DESCRIPTOR } else { 0 },
            location: [ON_DEVICE, device::ordinal(device)],
            win32: 0,
            flags: [0; 8],
        })
    }

    /// Writes a file descriptor by which other processes can have memory that was created for that.
    fn cuMemExportToShareableHandle(_this, out: Out<c_int>, handle: u64, kind: c_int, flags: u64) {
        if kind != FILE_DESCRIPTOR || flags != 0 || out.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        schedule::wait(Place::Everything);
        let _nobody_writes = gpu::lock();
        out.put(virtual_memory::export(handle)?)
    }

    /// Gives memory of another process a handle, by a file descriptor.
    fn cuMemImportFromShareableHandle(_this, out: Out<u64>, descriptor: usize, kind: c_int) {
        let descriptor = c_int::try_from(descriptor).map_err(|_| Code::INVALID_VALUE)?;
        if kind != FILE_DESCRIPTOR || out.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        out.put(virtual_memory::import(descriptor, context::device())?)
    }

    /// Lets memory go.
    fn cuMemRelease(_this, handle: u64) {
        virtual_memory::release(handle)
    }

    /// Gives the handle of the memory at an address.
    fn cuMemRetainAllocationHandle(_this, out: Out<u64>, address: u64) {
        out.put(virtual_memory::retain(address)?)
    }

    /// Maps memory into a range.
    fn cuMemMap(_this, start: u64, bytes: usize, offset: usize, handle: u64, _flags: u64) {
        if offset != 0 {
            return Err(Code::INVALID_VALUE);
        }
        virtual_memory::map(start, bytes as u64, handle)?;
        cgsan_observe::addresses(AddressChange::Mapped, start, bytes as u64);
        Ok(())
    }

    /// Unmaps a range.
    fn cuMemUnmap(_this, start: u64, bytes: usize) {
        schedule::wait(Place::Everything);
        virtual_memory::unmap(start, bytes as u64)?;
        cgsan_observe::addresses(AddressChange::Unmapped, start, bytes as u64);
        Ok(())
    }

    /// Accepts who may reach a range: every device can.
    fn cuMemSetAccess(_this, start: u64, bytes: usize, _access: In<u8>, _count: usize) {
        if virtual_memory::is_mapped(start, bytes as u64) { Ok(()) } else { Err(Code::INVALID_VALUE) }
    }

    /// Writes how a device may reach an address: it reads and writes.
    fn cuMemGetAccess(_this, access: Out<u64>, _location: In<u8>, _address: u64) {
        access.put(3)
    }

    /// Writes the granularity of sizes.
    fn cuMemGetAllocationGranularity(
        _this, out: Out<usize>, properties: In<AllocationProperties>, _option: c_uint,
    ) {
        properties.get()?;
        out.put(usize::try_from(GRANULARITY).unwrap_or(usize::MAX))
    }
}

/// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR` and `CU_MEM_HANDLE_TYPE_FABRIC`. The latter needs a channel of IMEX, which a
/// machine of its own does not have (CUDA driver API, `cuMemCreate`).
const FILE_DESCRIPTOR: c_int = 1;
const FABRIC: c_int = 8;
/// `CUDA_ERROR_NOT_PERMITTED`.
const NOT_PERMITTED: Code = Code(800);
/// `CU_MEM_ALLOCATION_TYPE_PINNED` and `CU_MEM_LOCATION_TYPE_DEVICE`.
const PINNED: c_int = 1;
const ON_DEVICE: c_int = 1;

#[cfg(test)]
mod tests {
    #[test]
    fn cumem_allocation_prop_is_laid_out_as_in_the_headers_of_cuda_12_and_13() {
        assert_eq!(size_of::<super::AllocationProperties>(), 32);
    }
}
