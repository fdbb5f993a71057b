//! Stream-ordered memory and its pools.
#![expect(unsafe_code, reason = "reads what the API promises of its parameters")]

use std::ffi::c_int;

use cgsan_model::{Call, Code, Device, Restricted};

use crate::device;
use crate::ffi::{In, Out, Untyped, entry};
use crate::gpu::{self, StreamHandle, allocate, context};
use crate::memory::pool;

entry! {
    /// Allocates in stream order from the default pool.
    fn cudaMallocAsync, cudaMallocAsync_ptsz, cuMemAllocAsync, cuMemAllocAsync_ptsz(
        this, out: Out<u64>, bytes: usize, stream: StreamHandle,
    ) {
        let pool = pool::default_of(context::device());
        out.put(allocate::malloc_async(this, stream.resolve(this), pool, bytes as u64)?)
    }

    /// Allocates in stream order from a pool.
    fn cudaMallocFromPoolAsync, cudaMallocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync_ptsz(
        this, out: Out<u64>, bytes: usize, pool: u64, stream: StreamHandle,
    ) {
        out.put(allocate::malloc_async(this, stream.resolve(this), pool, bytes as u64)?)
    }

    /// Frees in stream order.
    fn cudaFreeAsync, cudaFreeAsync_ptsz, cuMemFreeAsync, cuMemFreeAsync_ptsz(
        this, address: u64, stream: StreamHandle,
    ) {
        allocate::free_async(this, stream.resolve(this), address)
    }

    /// Gives the default pool.
    fn cudaDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool, cudaDeviceGetMemPool, cuDeviceGetMemPool(
        _this, out: Out<u64>, ordinal: c_int,
    ) {
        out.put(pool::default_of(device::check(ordinal)?))
    }

    /// Makes a pool.
    fn cudaMemPoolCreate, cuMemPoolCreate(this, out: Out<u64>, properties: In<PoolProperties>) {
        let device = properties.get()?.device()?;
        gpu::call(this, &POOL_CALL)?;
        out.put(pool::create(device))
    }

    /// Destroys a pool.
    fn cudaMemPoolDestroy, cuMemPoolDestroy(this, pool: u64) {
        gpu::call(this, &POOL_CALL)?;
        pool::destroy(pool)
    }

    /// Gives a pool's unused memory back to the device.
    fn cudaMemPoolTrimTo, cuMemPoolTrimTo(this, pool: u64, keep: usize) {
        gpu::perform(this, &Call::Restricted(Restricted::MemPoolTrim), |_, _| {
            pool::trim(pool, keep as u64)
        })
    }

    /// Sets an attribute of a pool.
    fn cudaMemPoolSetAttribute, cuMemPoolSetAttribute(this, pool: u64, attribute: c_int, value: Untyped) {
        gpu::call(this, &POOL_CALL)?;
        set_attribute(pool, attribute, value)
    }

    /// Writes an attribute of a pool.
    fn cudaMemPoolGetAttribute, cuMemPoolGetAttribute(this, pool: u64, attribute: c_int, value: Untyped) {
        gpu::call(this, &POOL_CALL)?;
        get_attribute(pool, attribute, value)
    }

    /// Accepts who may reach a pool's memory: every device can.
    fn cudaMemPoolSetAccess, cuMemPoolSetAccess(_this, pool: u64, _access: In<u8>, _count: usize) {
        pool::with(pool, |_| ())
    }

    /// Writes how a device may reach a pool's memory: it reads and writes.
    fn cudaMemPoolGetAccess, cuMemPoolGetAccess(_this, access: Out<c_int>, pool: u64, _location: In<u8>) {
        pool::with(pool, |_| ())?;
        access.put(3)
    }
}

/// `cudaMemPoolProps`, as far as it counts here.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PoolProperties {
    allocation_type: c_int,
    handle_types: c_int,
    /// What kind of place the memory is in, and its number.
    location: [c_int; 2],
}

impl PoolProperties {
    /// Those of the pool that a device's memory comes from (`cudaMemAllocationTypePinned`, `cudaMemLocationTypeDevice`).
    pub fn on(device: Device) -> PoolProperties {
        PoolProperties {
            allocation_type: 1,
            handle_types: 0,
            location: [1, device::ordinal(device)],
        }
    }

    /// The device that the memory is taken from.
    pub fn device(&self) -> Result<Device, Code> {
        let [_, ordinal] = self.location;
        device::check(ordinal)
    }
}

crate::ffi::plain! {
    PoolProperties { allocation_type: c_int, handle_types: c_int, location: [c_int; 2] }
}

/// What the driver takes making, destroying and asking a pool for: unsafe calls (`docs/captures.md`).
const POOL_CALL: Call = Call::Restricted(Restricted::Other);

/// `cudaMemPoolAttrReleaseThreshold`, after the three switches of reuse.
const RELEASE_THRESHOLD: c_int = 4;

fn set_attribute(pool: u64, attribute: c_int, value: Untyped) -> Result<(), Code> {
    match attribute {
        1..=3 => {
            // SAFETY: the switches are numbers of this width.
            let value = unsafe { value.input::<c_int>() }.get()?;
            pool::with(pool, |pool| pool.reuse[index(attribute)] = value)
        }
        RELEASE_THRESHOLD => {
            // SAFETY: the threshold is a number of this width.
            let value = unsafe { value.input::<u64>() }.get()?;
            pool::with(pool, |pool| pool.release_threshold = value)
        }
        // The high marks can be set back to what is now.
        6 => pool::with(pool, |pool| pool.reserved_high = pool.reserved),
        8 => pool::with(pool, |pool| pool.used_high = pool.used),
        _ => Err(Code::INVALID_VALUE),
    }
}

fn get_attribute(pool: u64, attribute: c_int, value: Untyped) -> Result<(), Code> {
    let pool = pool::with(pool, |pool| *pool)?;
    let bytes = match attribute {
        1..=3 => {
            // SAFETY: the switches are numbers of this width.
            return unsafe { value.output() }.put(pool.reuse[index(attribute)]);
        }
        RELEASE_THRESHOLD => pool.release_threshold,
        5 => pool.reserved,
        6 => pool.reserved_high,
        7 => pool.used,
        8 => pool.used_high,
        _ => return Err(Code::INVALID_VALUE),
    };
    // SAFETY: the others are numbers of this width.
    unsafe { value.output() }.put(bytes)
}

fn index(attribute: c_int) -> usize {
    usize::try_from(attribute - 1).unwrap_or(0)
}
