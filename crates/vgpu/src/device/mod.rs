//! The device: a virtual H100.

mod attributes;
mod error_text;
mod properties;

pub(crate) use attributes::attribute;
pub(crate) use error_text::describe;
pub(crate) use properties::{Properties12, Properties13};

use cgsan_model::Code;

/// Its name, as the driver reports it.
pub const NAME: &str = "NVIDIA H100 80GB HBM3";

/// Its place on the bus: domain, bus, device.
pub const BUS_ID: &str = "0000:00:06.0";

/// An identity of its own: no card has this one.
pub const UUID: [u8; 16] = *b"cgsan virtualGPU";

/// The version of CUDA that its driver supports (1000 × major + 10 × minor).
pub const DRIVER_VERSION: i32 = 13_000;

/// Checks a device ordinal: there is one device.
pub fn check(ordinal: i32) -> Result<(), Code> {
    if ordinal == 0 {
        Ok(())
    } else {
        Err(Code::INVALID_DEVICE)
    }
}
