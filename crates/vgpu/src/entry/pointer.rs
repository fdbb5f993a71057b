//! What an address is.

use std::ffi::{c_int, c_uint, c_void};

use cgsan_model::Code;

use crate::ffi::{In, Out, entry};
use crate::gpu::context::PRIMARY;
use crate::gpu::version;
use crate::memory::table::{self, Block, Kind};

/// `cudaPointerAttributes` as CUDA 12 lays it out; CUDA 13 adds eight reserved words.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Attributes {
    memory_type: c_int,
    device: c_int,
    device_address: u64,
    host_address: u64,
}

/// `cudaInvalidDeviceId`.
const NO_DEVICE: c_int = -2;

entry! {
    /// Writes what an address is.
    fn cudaPointerGetAttributes(_this, attributes: Out<Attributes>, address: u64) {
        attributes.put(describe(address))?;
        if version::is_13() {
            let reserved = attributes.0.wrapping_add(1).cast::<[u64; 8]>();
            Out(reserved).put_if_wanted([0; 8]);
        }
        Ok(())
    }

    /// Writes one attribute of an address.
    fn cuPointerGetAttribute(_this, value: *mut c_void, attribute: c_int, address: u64) {
        let block = table::lock().find(address).ok_or(Code::INVALID_VALUE)?;
        put_attribute(value, attribute, address, block)
    }

    /// Writes several attributes of an address; one that does not apply is 0.
    fn cuPointerGetAttributes(
        _this, count: c_uint, attributes: In<c_int>, values: In<*mut c_void>, address: u64,
    ) {
        let block = table::lock().find(address);
        let attributes = attributes.list(count as usize)?;
        for (attribute, value) in attributes.into_iter().zip(values.list(count as usize)?) {
            match block {
                Some(block) => put_attribute(value, attribute, address, block)?,
                None if attribute == DEVICE_ORDINAL => Out(value.cast()).put(NO_DEVICE)?,
                None => put_zero(value, attribute),
            }
        }
        Ok(())
    }

    /// Accepts an attribute.
    fn cuPointerSetAttribute(_this, _value: In<u8>, _attribute: c_int, address: u64) {
        table::lock().find(address).map(drop).ok_or(Code::INVALID_VALUE)
    }

    /// Writes where the allocation that holds an address starts, and its size.
    fn cuMemGetAddressRange_v2(_this, start: Out<u64>, bytes: Out<usize>, address: u64) {
        let block = table::lock().find(address).ok_or(Code::NOT_FOUND)?;
        start.put_if_wanted(block.start);
        bytes.put_if_wanted(usize::try_from(block.bytes).unwrap_or(usize::MAX));
        Ok(())
    }
}

fn describe(address: u64) -> Attributes {
    let Some(block) = table::lock().find(address) else {
        return Attributes {
            memory_type: 0,
            device: NO_DEVICE,
            device_address: 0,
            host_address: address,
        };
    };
    let (memory_type, host_address) = match block.kind {
        Kind::Host { .. } | Kind::Registered { .. } => (1, address),
        Kind::Managed => (3, address),
        Kind::Device | Kind::Pooled { .. } | Kind::Graph | Kind::Mapped => (2, 0),
    };
    Attributes {
        memory_type,
        device: 0,
        device_address: address,
        host_address,
    }
}

/// `CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL`.
const DEVICE_ORDINAL: c_int = 9;

/// Writes one of `CUpointer_attribute`.
fn put_attribute(
    value: *mut c_void,
    attribute: c_int,
    address: u64,
    block: Block,
) -> Result<(), Code> {
    match attribute {
        // The context, the memory type (host or device).
        1 => Out(value.cast()).put(PRIMARY),
        2 => Out(value.cast()).put(if block.kind.is_device() { 2 } else { 1_u32 }),
        // The address for the host, which plain device memory has none of, and for the device.
        4 if block.kind.is_device() && block.kind != Kind::Managed => Err(Code::INVALID_VALUE),
        3 | 4 => Out(value.cast()).put(address),
        // Whether copies are always synchronous, the device, whether it can be shared with another process.
        6 | DEVICE_ORDINAL | 10 => Out(value.cast()).put(0_i32),
        // An identity, and where it starts.
        7 | 11 => Out(value.cast()).put(block.start),
        8 => Out(value.cast()).put(i32::from(block.kind == Kind::Managed)),
        12 => Out(value.cast()).put(block.bytes),
        // Whether it is mapped.
        13 => Out(value.cast()).put(1_i32),
        _ => Err(Code::INVALID_VALUE),
    }
}

/// Writes a zero as wide as the attribute.
fn put_zero(value: *mut c_void, attribute: c_int) {
    if matches!(attribute, 1 | 3 | 4 | 7 | 11 | 12) {
        Out(value.cast()).put_if_wanted(0_u64);
    } else {
        Out(value.cast()).put_if_wanted(0_u32);
    }
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::Attributes;

    #[test]
    fn cuda_pointer_attributes_is_laid_out_as_in_the_headers_of_cuda_12() {
        assert_eq!(size_of::<Attributes>(), 24);
        assert_eq!(offset_of!(Attributes, device_address), 8);
    }

    #[test]
    fn cuda_13_adds_eight_words() {
        assert_eq!(size_of::<Attributes>() + size_of::<[u64; 8]>(), 88);
    }
}
