//! Contexts: each device has its primary one, which every program shares.

use std::ffi::{c_int, c_uint};

use cgsan_model::{Code, Device};

use crate::device;
use crate::ffi::{Out, entry};
use crate::gpu::context;

entry! {
    /// Retains the primary context.
    fn cuDevicePrimaryCtxRetain(_this, out: Out<u64>, ordinal: c_int) {
        let device = device::check(ordinal)?;
        context::activate(device);
        out.put(context::primary(device))
    }

    /// Releases the primary context, which stays for the runtime.
    fn cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2(_this, ordinal: c_int) {
        device::check(ordinal).map(drop)
    }

    /// Says whether the primary context exists.
    fn cuDevicePrimaryCtxGetState(_this, ordinal: c_int, flags: Out<c_uint>, active: Out<c_int>) {
        let device = device::check(ordinal)?;
        flags.put_if_wanted(0);
        active.put(c_int::from(context::is_active(device)))
    }

    /// Accepts flags that change how the host waits.
    fn cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2(_this, ordinal: c_int, _flags: c_uint) {
        device::check(ordinal).map(drop)
    }

    /// Gives the calling thread's context.
    fn cuCtxGetCurrent(_this, out: Out<u64>) {
        out.put(context::current().map_or(0, context::primary))
    }

    /// Makes a context current, or none.
    fn cuCtxSetCurrent(_this, wanted: u64) {
        let device = if wanted == 0 { None } else { Some(device_of(wanted)?) };
        context::set_current(device);
        Ok(())
    }

    /// Makes a context current, until it is popped.
    fn cuCtxPushCurrent_v2(_this, wanted: u64) {
        context::push(device_of(wanted)?);
        Ok(())
    }

    /// Takes the calling thread's context away.
    fn cuCtxPopCurrent_v2(_this, out: Out<u64>) {
        let popped = context::pop().ok_or(Code::INVALID_CONTEXT)?;
        out.put_if_wanted(context::primary(popped));
        Ok(())
    }

    /// Gives the device of the calling thread's context.
    fn cuCtxGetDevice(_this, ordinal: Out<c_int>) {
        ordinal.put(device::ordinal(current()?))
    }

    /// Gives the device of a context.
    fn cuCtxGetDevice_v2(_this, ordinal: Out<c_int>, wanted: u64) {
        ordinal.put(device::ordinal(device_or_current(wanted)?))
    }

    /// Gives the flags of the context: none.
    fn cuCtxGetFlags(_this, flags: Out<c_uint>) {
        flags.put(0)
    }

    /// Gives the identity of a context.
    fn cuCtxGetId(_this, wanted: u64, id: Out<u64>) {
        id.put(u64::from(device_or_current(wanted)?.0) + 1)
    }

    /// Gives the version of the API that a context was made with.
    fn cuCtxGetApiVersion(_this, _context: u64, number: Out<c_uint>) {
        number.put(3020)
    }
}

fn current() -> Result<Device, Code> {
    context::current().ok_or(Code::INVALID_CONTEXT)
}

/// The device of a context.
pub(super) fn device_of(wanted: u64) -> Result<Device, Code> {
    context::device_of(wanted).ok_or(Code::INVALID_CONTEXT)
}

/// The device of a context, where 0 is the calling thread's.
pub(super) fn device_or_current(wanted: u64) -> Result<Device, Code> {
    if wanted == 0 {
        current()
    } else {
        device_of(wanted)
    }
}
