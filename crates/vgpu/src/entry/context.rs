//! Contexts: the device has its primary one, which every program shares.

use std::ffi::{c_int, c_uint};

use cgsan_model::Code;

use crate::device;
use crate::ffi::{Out, entry};
use crate::gpu::context::{self, PRIMARY};

entry! {
    /// Retains the primary context.
    fn cuDevicePrimaryCtxRetain(_this, out: Out<u64>, ordinal: c_int) {
        device::check(ordinal)?;
        context::activate();
        out.put(PRIMARY)
    }

    /// Releases the primary context, which stays for the runtime.
    fn cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2(_this, ordinal: c_int) {
        device::check(ordinal)
    }

    /// Says whether the primary context exists.
    fn cuDevicePrimaryCtxGetState(_this, ordinal: c_int, flags: Out<c_uint>, active: Out<c_int>) {
        device::check(ordinal)?;
        flags.put_if_wanted(0);
        active.put(c_int::from(context::is_active()))
    }

    /// Accepts flags that change how the host waits.
    fn cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2(_this, ordinal: c_int, _flags: c_uint) {
        device::check(ordinal)
    }

    /// Gives the calling thread's context.
    fn cuCtxGetCurrent(_this, out: Out<u64>) {
        out.put(context::current())
    }

    /// Makes a context current.
    fn cuCtxSetCurrent, cuCtxPushCurrent_v2(_this, wanted: u64) {
        if !context::exists(wanted) {
            return Err(Code::INVALID_CONTEXT);
        }
        context::set_current(wanted);
        Ok(())
    }

    /// Takes the calling thread's context away.
    fn cuCtxPopCurrent_v2(_this, out: Out<u64>) {
        if context::current() == 0 {
            return Err(Code::INVALID_CONTEXT);
        }
        out.put_if_wanted(context::current());
        context::set_current(0);
        Ok(())
    }

    /// Gives the device of the calling thread's context.
    fn cuCtxGetDevice(_this, ordinal: Out<c_int>) {
        if context::current() == 0 {
            return Err(Code::INVALID_CONTEXT);
        }
        ordinal.put(0)
    }

    /// Gives the device of a context.
    fn cuCtxGetDevice_v2(_this, ordinal: Out<c_int>, wanted: u64) {
        if wanted == 0 && context::current() == 0 {
            return Err(Code::INVALID_CONTEXT);
        }
        ordinal.put(0)
    }

    /// Gives the flags of the context: none.
    fn cuCtxGetFlags(_this, flags: Out<c_uint>) {
        flags.put(0)
    }

    /// Gives the identity of a context.
    fn cuCtxGetId(_this, _context: u64, id: Out<u64>) {
        id.put(1)
    }

    /// Gives the version of the API that a context was made with.
    fn cuCtxGetApiVersion(_this, _context: u64, number: Out<c_uint>) {
        number.put(3020)
    }
}
