//! What an address is.
#![expect(unsafe_code, reason = "reads what the API promises of its parameters")]

use std::ffi::{c_int, c_uint};

use cgsan_model::Code;

use crate::device;
use crate::ffi::{In, Out, Untyped, entry};
use crate::gpu::{context, version};
use crate::memory::asked_about;
use crate::memory::table::{self, Block, Kind};

/// `cudaPointerAttributes` as CUDA 12 lays it out.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Attributes {
    memory_type: c_int,
    device: c_int,
    device_address: u64,
    host_address: u64,
}

/// `cudaPointerAttributes` of CUDA 13.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Attributes13 {
    described: Attributes,
    reserved: [u64; 8],
}

/// `cudaInvalidDeviceId`.
const NO_DEVICE: c_int = -2;

entry! {
    /// Writes what an address is.
    fn cudaPointerGetAttributes(_this, attributes: Out<Attributes>, address: u64) {
        let described = describe(address);
        if version::is_13() {
            // SAFETY: a program of CUDA 13 passes room for the structure of CUDA 13.
            unsafe { attributes.cast() }.put(Attributes13 { described, reserved: [0; 8] })
        } else {
            attributes.put(described)
        }
    }

    /// Writes one attribute of an address.
    fn cuPointerGetAttribute(_this, value: Untyped, attribute: c_int, address: u64) {
        let block = table::lock().find(address).ok_or(Code::INVALID_VALUE)?;
        attribute_of(attribute, address, block)?.put(value)
    }

    /// Writes several attributes of an address; one that does not apply is 0.
    fn cuPointerGetAttributes(
        _this, count: c_uint, attributes: In<c_int>, values: In<Untyped>, address: u64,
    ) {
        let block = table::lock().find(address);
        let attributes = attributes.list(count as usize)?;
        for (attribute, value) in attributes.into_iter().zip(values.list(count as usize)?) {
            match block {
                Some(block) => attribute_of(attribute, address, block)?.put(value)?,
                None => of_unknown_memory(attribute).put(value)?,
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
        asked_about::asked(block.start, address);
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
        Kind::Device
        | Kind::Pooled { .. }
        | Kind::Graph
        | Kind::Mapped
        | Kind::Shared
        | Kind::Imported => (2, 0),
    };
    Attributes {
        memory_type,
        device: device::ordinal(block.device),
        device_address: address,
        host_address,
    }
}

/// `CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL`.
const DEVICE_ORDINAL: c_int = 9;

/// `CU_POINTER_ATTRIBUTE_RANGE_START_ADDR`.
const RANGE_START: c_int = 11;

/// The value of an attribute, as wide as the driver writes it.
enum Value {
    Number(u32),
    Wide(u64),
}

impl Value {
    fn put(self, at: Untyped) -> Result<(), Code> {
        // SAFETY: the caller asked for the attribute, and so gave room for a value of its width.
        unsafe {
            match self {
                Value::Number(number) => at.output().put(number),
                Value::Wide(number) => at.output().put(number),
            }
        }
    }
}

/// One of `CUpointer_attribute`.
fn attribute_of(attribute: c_int, address: u64, block: Block) -> Result<Value, Code> {
    Ok(match attribute {
        // The context, the memory type (host or device).
        1 => Value::Wide(context::primary(block.device)),
        2 => Value::Number(if block.kind.is_device() { 2 } else { 1 }),
        // The address for the host, which plain device memory has none of, and for the device.
        4 if block.kind.is_device() && block.kind != Kind::Managed => {
            return Err(Code::INVALID_VALUE);
        }
        3 | 4 => Value::Wide(address),
        DEVICE_ORDINAL => Value::Number(block.device.0),
        // Whether copies are always synchronous, whether it can be shared with another process.
        6 | 10 => Value::Number(0),
        // An identity, and where it starts.
        7 => Value::Wide(block.start),
        RANGE_START => {
            asked_about::asked(block.start, address);
            Value::Wide(block.start)
        }
        8 => Value::Number(u32::from(block.kind == Kind::Managed)),
        12 => Value::Wide(block.bytes),
        // Whether it is mapped.
        13 => Value::Number(1),
        _ => return Err(Code::INVALID_VALUE),
    })
}

/// The value of an attribute for memory that CUDA does not know.
fn of_unknown_memory(attribute: c_int) -> Value {
    match attribute {
        DEVICE_ORDINAL => Value::Number(NO_DEVICE.cast_unsigned()),
        1 | 3 | 4 | 7 | RANGE_START | 12 => Value::Wide(0),
        _ => Value::Number(0),
    }
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::{Attributes, Attributes13};

    #[test]
    fn cuda_pointer_attributes_is_laid_out_as_in_the_headers_of_cuda_12() {
        assert_eq!(size_of::<Attributes>(), 24);
        assert_eq!(offset_of!(Attributes, device_address), 8);
    }

    #[test]
    fn cuda_13_adds_eight_words() {
        assert_eq!(size_of::<Attributes13>(), 88);
    }
}
