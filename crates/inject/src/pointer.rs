//! What kind of memory an address is in.
#![expect(unsafe_code, reason = "calls functions of NVIDIA's libraries")]

use std::ffi::{c_int, c_uint, c_void};
use std::sync::OnceLock;

use cgsan_model::{CopyKind, HostMemory};

use crate::driver;

/// `cuPointerGetAttribute`.
type GetAttribute =
    unsafe extern "C" fn(value: *mut c_void, attribute: c_uint, pointer: u64) -> c_int;

/// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`.
const MEMORY_TYPE: c_uint = 2;
/// `CU_MEMORYTYPE_HOST`, `CU_MEMORYTYPE_DEVICE`.
const HOST: u32 = 1;
const DEVICE: u32 = 2;

/// Memory as a copy cares about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Of a device, or of arrays there.
    Device,
    /// Of the host.
    Host(HostMemory),
}

/// Host memory at `address`: pinned if the driver knows it.
pub fn host(address: u64) -> HostMemory {
    match memory_type(address) {
        Some(_) => HostMemory::Pinned,
        None => HostMemory::Pageable,
    }
}

/// The memory at `address`.
pub fn memory(address: u64) -> Memory {
    match memory_type(address) {
        Some(HOST) => Memory::Host(HostMemory::Pinned),
        Some(_) => Memory::Device,
        None => Memory::Host(HostMemory::Pageable),
    }
}

/// The memory that a `CUmemorytype` says an address is in.
pub fn stated(kind: u32, address: u64) -> Memory {
    match kind {
        HOST => Memory::Host(host(address)),
        DEVICE | 3 => Memory::Device,
        _ => memory(address),
    }
}

/// The kind of a copy.
pub fn copy_kind(from: Memory, to: Memory) -> CopyKind {
    match (from, to) {
        (Memory::Host(memory), Memory::Device) => CopyKind::HostToDevice(memory),
        (Memory::Device, Memory::Host(memory)) => CopyKind::DeviceToHost(memory),
        (Memory::Device, Memory::Device) => CopyKind::DeviceToDevice,
        (Memory::Host(_), Memory::Host(_)) => CopyKind::HostToHost,
    }
}

/// The `CUmemorytype` of an address; `None` for memory that the driver does not know.
fn memory_type(address: u64) -> Option<u32> {
    let get_attribute = get_attribute()?;
    let mut kind = 0u32;
    // SAFETY: the attribute is a number of 4 bytes. The function only looks the address up; no capture minds it.
    let result = unsafe { get_attribute((&raw mut kind).cast(), MEMORY_TYPE, address) };
    (result == 0).then_some(kind)
}

fn get_attribute() -> Option<GetAttribute> {
    static FOUND: OnceLock<Option<GetAttribute>> = OnceLock::new();
    // SAFETY: a function of this name has this type (`cuda.h`).
    *FOUND.get_or_init(|| unsafe { driver::function(c"cuPointerGetAttribute") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_told_apart_by_their_ends() {
        let pinned = Memory::Host(HostMemory::Pinned);
        assert_eq!(
            copy_kind(pinned, Memory::Device),
            CopyKind::HostToDevice(HostMemory::Pinned)
        );
        assert_eq!(
            copy_kind(Memory::Device, Memory::Device),
            CopyKind::DeviceToDevice
        );
    }

    #[test]
    fn without_a_driver_memory_is_the_hosts() {
        assert_eq!(memory(0x1000), Memory::Host(HostMemory::Pageable));
        assert_eq!(stated(3, 0), Memory::Device);
    }
}
