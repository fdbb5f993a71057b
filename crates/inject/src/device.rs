//! The device of a context.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use cgsan_model::Device;

use crate::watch;

/// For the contexts of these numbers the device is kept, plus one; 0 where it is not known yet.
static KNOWN: [AtomicU32; 64] = [const { AtomicU32::new(0) }; 64];

/// The device that a context is of. Without a context it is the first: what is asked of none concerns no device.
pub fn of(context: *mut c_void, number: u32) -> Device {
    if context.is_null() {
        return Device(0);
    }
    let known = KNOWN.get(number as usize);
    match known.map_or(0, |device| device.load(Ordering::Relaxed)) {
        0 => {
            let device = watch::device_of(context).unwrap_or(0);
            if let Some(known) = known {
                known.store(device + 1, Ordering::Relaxed);
            }
            Device(device)
        }
        device => Device(device - 1),
    }
}
