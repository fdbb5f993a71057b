//! cuRAND's host API: generators. What they generate is declared in `api/curand.list`.

use std::ffi::c_int;

use super::export::{Status, export};
use super::family::CURAND;
use super::own_memory::OwnMemory;
use super::{handle, version};
use crate::ffi::Out;
use crate::gpu::StreamHandle;

/// `CURAND_STATUS_INITIALIZATION_FAILED`, which is what a refused first use returns.
const INITIALIZATION_FAILED: Status = Status(203);
/// `CURAND_STATUS_OUT_OF_RANGE`.
const OUT_OF_RANGE: c_int = 104;

export! { CURAND;
    fn curandCreateGenerator(out: Out<usize>, _kind: c_int) {
        let memory = OwnMemory::at_first_use(&[], &[]).map_err(|_| INITIALIZATION_FAILED)?;
        out.put_if_wanted(handle::create(memory));
        Ok(())
    }

    fn curandDestroyGenerator(generator: usize) {
        handle::destroy(&CURAND, generator)
    }

    fn curandSetStream(generator: usize, stream: StreamHandle) {
        handle::set_stream(&CURAND, generator, stream)
    }

    fn curandGetVersion(version: Out<c_int>) {
        version.put_if_wanted(version::toolkit().curand.thousands());
        Ok(())
    }

    fn curandGetProperty(kind: c_int, value: Out<c_int>) {
        version::toolkit().curand.property(kind, value, OUT_OF_RANGE)
    }
}
