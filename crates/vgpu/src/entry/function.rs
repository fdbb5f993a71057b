//! What kernels need, and how many fit on the device.

use std::ffi::{c_char, c_int, c_uint, c_void};

use cgsan_model::Code;

use crate::ffi::{Out, entry};
use crate::module;

/// `cudaFuncAttributes`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Attributes {
    shared_bytes: usize,
    constant_bytes: usize,
    local_bytes: usize,
    max_threads_per_block: c_int,
    registers: c_int,
    ptx_version: c_int,
    binary_version: c_int,
    cache_mode: c_int,
    max_dynamic_shared_bytes: c_int,
    preferred_shared_carveout: c_int,
    cluster_must_be_set: c_int,
    required_cluster: [c_int; 3],
    cluster_scheduling: c_int,
    non_portable_cluster_allowed: c_int,
    reserved: [c_int; 16],
}

entry! {
    /// Writes what a kernel needs. Its code is not read: what is written is what small kernels need.
    fn cudaFuncGetAttributes(_this, attributes: Out<Attributes>, symbol: u64) {
        check(symbol, INVALID_DEVICE_FUNCTION)?;
        attributes.put(Attributes {
            max_threads_per_block: MAX_THREADS_PER_BLOCK,
            registers: REGISTERS,
            ptx_version: ARCHITECTURE,
            binary_version: ARCHITECTURE,
            max_dynamic_shared_bytes: DYNAMIC_SHARED,
            preferred_shared_carveout: -1,
            ..Attributes::default()
        })
    }

    /// Writes one attribute of a kernel.
    fn cuFuncGetAttribute(_this, value: Out<c_int>, attribute: c_int, function: u64) {
        check(function, Code::INVALID_HANDLE)?;
        value.put(attribute_of(attribute)?)
    }

    /// Writes one attribute of a kernel.
    fn cuKernelGetAttribute(_this, value: Out<c_int>, attribute: c_int, function: u64, _device: c_int) {
        check(function, Code::INVALID_HANDLE)?;
        value.put(attribute_of(attribute)?)
    }

    /// Sets an attribute of a kernel.
    fn cudaFuncSetAttribute(_this, symbol: u64, attribute: c_int, value: c_int) {
        check(symbol, INVALID_DEVICE_FUNCTION)?;
        set_attribute(attribute, value)
    }

    /// Sets an attribute of a kernel.
    fn cuFuncSetAttribute(_this, function: u64, attribute: c_int, value: c_int) {
        check(function, Code::INVALID_HANDLE)?;
        set_attribute(attribute, value)
    }

    /// Sets an attribute of a kernel.
    fn cuKernelSetAttribute(_this, attribute: c_int, value: c_int, function: u64, _device: c_int) {
        check(function, Code::INVALID_HANDLE)?;
        set_attribute(attribute, value)
    }

    /// Accepts a preference for the cache.
    fn cudaFuncSetCacheConfig, cuFuncSetCacheConfig(_this, function: u64, _config: c_int) {
        check(function, INVALID_DEVICE_FUNCTION)
    }

    /// Writes a kernel's name.
    fn cudaFuncGetName, cuFuncGetName, cuKernelGetName(_this, name: Out<*const c_char>, function: u64) {
        name.put(module::name_of(function).ok_or(INVALID_DEVICE_FUNCTION)?)
    }

    /// Writes how many blocks fit on a multiprocessor.
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor(
        _this, blocks: Out<c_int>, function: u64, block_size: c_int, shared: usize,
    ) {
        check(function, INVALID_DEVICE_FUNCTION)?;
        blocks.put(occupancy(block_size, shared)?)
    }

    /// Writes how many blocks fit on a multiprocessor.
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        _this, blocks: Out<c_int>, function: u64, block_size: c_int, shared: usize, _flags: c_uint,
    ) {
        check(function, INVALID_DEVICE_FUNCTION)?;
        blocks.put(occupancy(block_size, shared)?)
    }

    /// Writes how much shared memory a block may take if so many are to fit.
    fn cudaOccupancyAvailableDynamicSMemPerBlock, cuOccupancyAvailableDynamicSMemPerBlock(
        _this, shared: Out<usize>, function: u64, blocks: c_int, _block_size: c_int,
    ) {
        check(function, INVALID_DEVICE_FUNCTION)?;
        let blocks = usize::try_from(blocks).ok().filter(|blocks| *blocks > 0).ok_or(Code::INVALID_VALUE)?;
        shared.put((SHARED_PER_MULTIPROCESSOR / blocks).saturating_sub(RESERVED_SHARED).min(MOST_SHARED))
    }

    /// Writes how many clusters fit on the device.
    fn cudaOccupancyMaxActiveClusters, cuOccupancyMaxActiveClusters(
        _this, clusters: Out<c_int>, _first: *const c_void, _second: *const c_void,
    ) {
        clusters.put(MULTIPROCESSORS / 2)
    }

    /// Writes how many blocks a cluster may have.
    fn cudaOccupancyMaxPotentialClusterSize, cuOccupancyMaxPotentialClusterSize(
        _this, size: Out<c_int>, _first: *const c_void, _second: *const c_void,
    ) {
        size.put(8)
    }

    /// Writes a block size that fills the device, and how many such blocks fit.
    fn cuOccupancyMaxPotentialBlockSize(
        _this, grid: Out<c_int>, block: Out<c_int>, function: u64, _shared_of_block: *const c_void, shared: usize,
        limit: c_int,
    ) {
        check(function, Code::INVALID_HANDLE)?;
        let size = if limit > 0 { limit.min(MAX_THREADS_PER_BLOCK) } else { MAX_THREADS_PER_BLOCK };
        block.put(size)?;
        grid.put(occupancy(size, shared)? * MULTIPROCESSORS)
    }
}

/// `cudaErrorInvalidDeviceFunction`.
const INVALID_DEVICE_FUNCTION: Code = Code(98);

const MAX_THREADS_PER_BLOCK: c_int = 1024;
const REGISTERS: c_int = 32;
const ARCHITECTURE: c_int = 90;
/// What a kernel may use without asking for more.
const DYNAMIC_SHARED: c_int = 49_152;
/// What it may ask for.
const MOST_SHARED: usize = 232_448;
const SHARED_PER_MULTIPROCESSOR: usize = 233_472;
/// What the system takes of each block's shared memory.
const RESERVED_SHARED: usize = 1024;
const MULTIPROCESSORS: c_int = 132;
const THREADS_PER_MULTIPROCESSOR: c_int = 2048;
const BLOCKS_PER_MULTIPROCESSOR: c_int = 32;
const WARP: c_int = 32;

fn check(function: u64, otherwise: Code) -> Result<(), Code> {
    module::is_function(function).then_some(()).ok_or(otherwise)
}

/// One of `CUfunction_attribute`.
fn attribute_of(attribute: c_int) -> Result<c_int, Code> {
    match attribute {
        0 => Ok(MAX_THREADS_PER_BLOCK),
        1..=3 | 7 | 10..=15 => Ok(0),
        4 => Ok(REGISTERS),
        5 | 6 => Ok(ARCHITECTURE),
        8 => Ok(DYNAMIC_SHARED),
        9 => Ok(-1),
        _ => Err(Code::INVALID_VALUE),
    }
}

/// `cudaFuncAttributeMaxDynamicSharedMemorySize`.
const MAX_DYNAMIC_SHARED: c_int = 8;

fn set_attribute(attribute: c_int, value: c_int) -> Result<(), Code> {
    let fits = usize::try_from(value).is_ok_and(|value| value <= MOST_SHARED);
    match attribute {
        MAX_DYNAMIC_SHARED if !fits => Err(Code::INVALID_VALUE),
        8..=15 => Ok(()),
        _ => Err(Code::INVALID_VALUE),
    }
}

/// How many blocks fit on a multiprocessor, by threads and shared memory.
fn occupancy(block_size: c_int, shared: usize) -> Result<c_int, Code> {
    if block_size <= 0 {
        return Err(Code::INVALID_VALUE);
    }
    if block_size > MAX_THREADS_PER_BLOCK || shared > MOST_SHARED {
        return Ok(0);
    }
    let by_threads = THREADS_PER_MULTIPROCESSOR / ((block_size + WARP - 1) / WARP * WARP);
    let by_shared = SHARED_PER_MULTIPROCESSOR / (shared + RESERVED_SHARED);
    let by_shared = c_int::try_from(by_shared).unwrap_or(c_int::MAX);
    Ok(by_threads.min(by_shared).min(BLOCKS_PER_MULTIPROCESSOR))
}

#[cfg(test)]
mod tests {
    use super::{Attributes, occupancy};

    #[test]
    fn blocks_fit_by_threads_by_shared_memory_and_by_number() {
        assert_eq!(occupancy(1024, 0), Ok(2));
        assert_eq!(occupancy(1000, 0), Ok(2));
        assert_eq!(occupancy(32, 0), Ok(32));
        assert_eq!(occupancy(128, 100_000), Ok(2));
        assert_eq!(occupancy(2048, 0), Ok(0));
        assert!(occupancy(0, 0).is_err());
    }

    #[test]
    fn cuda_func_attributes_is_laid_out_as_in_the_headers_of_cuda_12_and_13() {
        assert_eq!(size_of::<Attributes>(), 144);
    }
}
