//! Virtual memory, as PyTorch's expandable segments use it.

use std::ffi::{c_int, c_uint};

use cgsan_model::Code;

use crate::device;
use crate::ffi::{In, Out, entry};
use crate::gpu::schedule::{self, Place};
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
        let [_, ordinal] = properties.get()?.location;
        out.put(virtual_memory::create(device::check(ordinal)?, bytes as u64)?)
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
        virtual_memory::map(start, bytes as u64, handle)
    }

    /// Unmaps a range.
    fn cuMemUnmap(_this, start: u64, bytes: usize) {
        schedule::wait(Place::Everything);
        virtual_memory::unmap(start, bytes as u64)
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

#[cfg(test)]
mod tests {
    #[test]
    fn cumem_allocation_prop_is_laid_out_as_in_the_headers_of_cuda_12_and_13() {
        assert_eq!(size_of::<super::AllocationProperties>(), 32);
    }
}
