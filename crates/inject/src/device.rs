//! The device of a context.
#![expect(unsafe_code, reason = "calls functions of NVIDIA's libraries")]

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use cgsan_model::Device;

use crate::{driver, watch};

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

/// The device of the calling thread's context, where the driver does not say it by itself.
pub fn current() -> Device {
    type GetDevice = unsafe extern "C" fn(*mut c_int) -> c_int;
    static GET_DEVICE: OnceLock<Option<GetDevice>> = OnceLock::new();
    // SAFETY: the driver's function of this name has this type.
    let get_device = GET_DEVICE.get_or_init(|| unsafe { driver::function(c"cuCtxGetDevice") });
    let mut device = 0;
    if let Some(get_device) = get_device {
        // SAFETY: the driver writes a number there, or nothing.
        unsafe { get_device(&raw mut device) };
    }
    Device(u32::try_from(device).unwrap_or_default())
}
