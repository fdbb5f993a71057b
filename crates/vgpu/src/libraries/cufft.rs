//! cuFFT: plans. Executions and size estimates are declared in `api/cufft.list`.
//!
//! The first plan of a process allocates what all of them share, without the detour that the other libraries take: a
//! capture refuses `cuMemAlloc_v2`, and the caller gets `CUFFT_INTERNAL_ERROR`. Later plans, of whatever shape, may be
//! made in a capture (measured on an H100).

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::export::{Status, export};
use super::family::CUFFT;
use super::own_memory::OwnMemory;
use super::{handle, version};
use crate::ffi::Out;
use crate::gpu::StreamHandle;

/// `CUFFT_INTERNAL_ERROR`.
const INTERNAL_ERROR: Status = Status(5);
/// `CUFFT_INVALID_VALUE`.
const INVALID_VALUE: c_int = 4;

/// What the first plan allocates, in bytes.
const SHARED_MEMORY: [usize; 1] = [4096];

/// What the first plan allocated, for as long as the process lives.
static SHARED: Mutex<Option<OwnMemory>> = Mutex::new(None);

/// The work area that a plan asks for, in bytes.
const WORK_AREA: usize = 4096;

/// Plans are numbered.
static NEXT: AtomicI32 = AtomicI32::new(1);

export! { CUFFT;
    fn cufftCreate(plan: Out<c_int>) {
        create(plan);
        Ok(())
    }

    fn cufftDestroy(plan: c_int) {
        handle::destroy(&CUFFT, name(plan))
    }

    fn cufftSetStream(plan: c_int, stream: StreamHandle) {
        handle::set_stream(&CUFFT, name(plan), stream)
    }

    fn cufftPlan1d, cufftPlan2d, cufftPlan3d, cufftPlanMany(plan: Out<c_int>) {
        make(create(plan), Out::NOTHING)
    }

    fn cufftMakePlan1d(plan: c_int, _n: c_int, _kind: c_int, _batch: c_int, size: Out<usize>) {
        make(plan, size)
    }

    fn cufftMakePlan2d(plan: c_int, _x: c_int, _y: c_int, _kind: c_int, size: Out<usize>) {
        make(plan, size)
    }

    fn cufftMakePlan3d(plan: c_int, _x: c_int, _y: c_int, _z: c_int, _kind: c_int, size: Out<usize>) {
        make(plan, size)
    }

    fn cufftMakePlanMany(
        plan: c_int, _rank: c_int, _n: usize, _in_embed: usize, _in_stride: c_int, _in_distance: c_int,
        _out_embed: usize, _out_stride: c_int, _out_distance: c_int, _kind: c_int, _batch: c_int,
        size: Out<usize>,
    ) {
        make(plan, size)
    }

    fn cufftMakePlanMany64(
        plan: c_int, _rank: c_int, _n: usize, _in_embed: usize, _in_stride: i64, _in_distance: i64,
        _out_embed: usize, _out_stride: i64, _out_distance: i64, _kind: c_int, _batch: i64,
        size: Out<usize>,
    ) {
        make(plan, size)
    }

    fn cufftXtMakePlanMany(
        plan: c_int, _rank: c_int, _n: usize, _in_embed: usize, _in_stride: i64, _in_distance: i64,
        _in_type: c_int, _out_embed: usize, _out_stride: i64, _out_distance: i64, _out_type: c_int,
        _batch: i64, size: Out<usize>,
    ) {
        make(plan, size)
    }

    fn cufftGetSize(plan: c_int, size: Out<usize>) {
        handle::stream(&CUFFT, name(plan))?;
        size.put_if_wanted(WORK_AREA);
        Ok(())
    }

    fn cufftGetVersion(version: Out<c_int>) {
        version.put_if_wanted(version::toolkit().cufft.thousands());
        Ok(())
    }

    fn cufftGetProperty(kind: c_int, value: Out<c_int>) {
        version::toolkit().cufft.property(kind, value, INVALID_VALUE)
    }
}

/// Makes an empty plan.
fn create(out: Out<c_int>) -> c_int {
    let plan = NEXT.fetch_add(1, Ordering::Relaxed);
    handle::create_as(name(plan));
    out.put_if_wanted(plan);
    plan
}

/// Fills a plan.
fn make(plan: c_int, size: Out<usize>) -> Result<(), Status> {
    handle::stream(&CUFFT, name(plan))?;
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if shared.is_none() {
        *shared = Some(OwnMemory::allocate(&SHARED_MEMORY, &[]).map_err(|_| INTERNAL_ERROR)?);
    }
    size.put_if_wanted(WORK_AREA);
    Ok(())
}

/// The name of a plan among the handles: its number, which no pointer is.
fn name(plan: c_int) -> usize {
    usize::from_ne_bytes(i64::from(plan).to_ne_bytes())
}
