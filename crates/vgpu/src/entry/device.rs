//! The devices: how many there are, which is current, what it can do.

use std::ffi::{c_char, c_int, c_uint};

use cgsan_model::{Call, Code, Device, Restricted};

use super::context::device_or_current;
use crate::api::Function;
use crate::device::{
    self, Properties12, Properties13, attribute, card, properties_12, properties_13,
};
use crate::ffi::{In, Out, Text, entry};
use crate::gpu::schedule::{self, Place};
use crate::gpu::{self, context, fault, version};
use crate::memory::table;

entry! {
    /// Initializes the driver.
    fn cuInit(_this, flags: c_uint) {
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        any().map(drop)
    }

    /// Counts the devices.
    fn cudaGetDeviceCount, cuDeviceGetCount(_this, count: Out<c_int>) {
        count.put(any()?)
    }

    /// Says which device is current.
    fn cudaGetDevice(_this, ordinal: Out<c_int>) {
        any()?;
        ordinal.put(device::ordinal(context::device()))
    }

    /// Makes a device current, and its primary context.
    fn cudaSetDevice(_this, ordinal: c_int) {
        context::set_current(Some(device::check(ordinal)?));
        Ok(())
    }

    /// Prepares a device for use.
    fn cudaInitDevice(_this, ordinal: c_int, _device_flags: c_uint, _flags: c_uint) {
        context::activate(device::check(ordinal)?);
        Ok(())
    }

    /// Gives a device's handle, which is its ordinal.
    fn cuDeviceGet(_this, device: Out<c_int>, ordinal: c_int) {
        device::check(ordinal)?;
        device.put(ordinal)
    }

    /// Writes an attribute.
    fn cudaDeviceGetAttribute, cuDeviceGetAttribute(_this, value: Out<c_int>, number: c_int, ordinal: c_int) {
        let device = device::check(ordinal)?;
        value.put(attribute(card(device), number)?)
    }

    /// Writes the properties, as CUDA 13 lays them out; a program for CUDA 12 calls the function with a version.
    fn cudaGetDeviceProperties(_this, properties: Out<Properties13>, ordinal: c_int) {
        let device = device::check(ordinal)?;
        if !version::is_13() {
            return Err(Code::NOT_SUPPORTED);
        }
        properties.put(properties_13(card(device)))
    }

    /// Writes the properties, as CUDA 12 lays them out.
    fn cudaGetDeviceProperties_v2(_this, properties: Out<Properties12>, ordinal: c_int) {
        let device = device::check(ordinal)?;
        properties.put(properties_12(card(device)))
    }

    /// Picks a device: one is as good as another.
    fn cudaChooseDevice(_this, ordinal: Out<c_int>, _wanted: In<u8>) {
        any()?;
        ordinal.put(0)
    }

    /// Accepts flags that change how the host waits, which it never does.
    fn cudaSetDeviceFlags(_this, _flags: c_uint) {
        Ok(())
    }

    /// Gives the flags: none.
    fn cudaGetDeviceFlags(_this, flags: Out<c_uint>) {
        flags.put(0)
    }

    /// Writes the name.
    fn cuDeviceGetName(_this, name: Out<c_char>, room: c_int, ordinal: c_int) {
        device::check(ordinal)?;
        name.put_text(device::NAME, room)
    }

    /// Writes the place on the bus.
    fn cudaDeviceGetPCIBusId, cuDeviceGetPCIBusId(_this, name: Out<c_char>, room: c_int, ordinal: c_int) {
        let device = device::check(ordinal)?;
        name.put_text(&device::bus_id(card(device)), room)
    }

    /// Finds the device at a place on the bus.
    fn cudaDeviceGetByPCIBusId, cuDeviceGetByPCIBusId(_this, ordinal: Out<c_int>, name: Text) {
        let found = device::card_at(&name.get()?).and_then(device::device_of);
        ordinal.put(device::ordinal(found.ok_or(Code::INVALID_DEVICE)?))
    }

    /// Writes the identity.
    fn cuDeviceGetUuid, cuDeviceGetUuid_v2(_this, uuid: Out<[u8; 16]>, ordinal: c_int) {
        let device = device::check(ordinal)?;
        uuid.put(device::uuid(card(device)))
    }

    /// Writes the size of the memory.
    fn cuDeviceTotalMem_v2(_this, bytes: Out<usize>, ordinal: c_int) {
        device::check(ordinal)?;
        bytes.put(usize::try_from(table::capacity()).unwrap_or(usize::MAX))
    }

    /// Writes the compute capability.
    fn cuDeviceComputeCapability(_this, major: Out<c_int>, minor: Out<c_int>, ordinal: c_int) {
        device::check(ordinal)?;
        major.put(9)?;
        minor.put(0)
    }

    /// Gives the version of CUDA that the driver supports.
    fn cudaDriverGetVersion, cuDriverGetVersion(_this, version: Out<c_int>) {
        version.put(device::DRIVER_VERSION)
    }

    /// Gives the version of the runtime.
    fn cudaRuntimeGetVersion(_this, number: Out<c_int>) {
        number.put(version::runtime())
    }

    /// Waits for the device.
    fn cudaDeviceSynchronize, cuCtxSynchronize(this) {
        synchronize(this, context::device())
    }

    /// Waits for the device of a context.
    fn cuCtxSynchronize_v2(this, wanted: u64) {
        synchronize(this, device_or_current(wanted)?)
    }

    /// Writes the least and the greatest priority of streams.
    fn cudaDeviceGetStreamPriorityRange, cuCtxGetStreamPriorityRange(_this, least: Out<c_int>, greatest: Out<c_int>) {
        least.put_if_wanted(LEAST_PRIORITY);
        greatest.put_if_wanted(GREATEST_PRIORITY);
        Ok(())
    }

    /// Writes a limit.
    fn cudaDeviceGetLimit(_this, value: Out<usize>, limit: c_int) {
        value.put(default_limit(limit)?)
    }

    /// Writes a limit.
    fn cuCtxGetLimit(_this, value: Out<usize>, limit: c_int) {
        value.put(default_limit(limit)?)
    }

    /// Sets a limit, which no virtual kernel will reach.
    fn cudaDeviceSetLimit, cuCtxSetLimit(this, limit: c_int, _value: usize) {
        default_limit(limit)?;
        gpu::call(this, &Call::Restricted(Restricted::SetLimit))
    }

    /// Starts a profiler's range.
    fn cudaProfilerStart, cuProfilerStart, cudaProfilerStop, cuProfilerStop(this) {
        gpu::call(this, &Call::Restricted(Restricted::Profiler))
    }

    /// Accepts a preference for the cache.
    fn cudaDeviceSetCacheConfig, cuCtxSetCacheConfig(this, _config: c_int) {
        gpu::call(this, &Call::Restricted(Restricted::Other))
    }

    /// Gives the preference for the cache: none.
    fn cudaDeviceGetCacheConfig, cuCtxGetCacheConfig(_this, config: Out<c_int>) {
        config.put(0)
    }

    /// Accepts a width of shared memory banks, which this architecture does not have.
    fn cudaDeviceSetSharedMemConfig, cuCtxSetSharedMemConfig(_this, _config: c_int) {
        Ok(())
    }

    /// Gives the width of shared memory banks: four bytes.
    fn cudaDeviceGetSharedMemConfig, cuCtxGetSharedMemConfig(_this, config: Out<c_int>) {
        config.put(1)
    }
}

/// How many devices there are, at least one.
fn any() -> Result<c_int, Code> {
    match device::count() {
        0 => Err(NO_DEVICE),
        count => c_int::try_from(count).map_err(|_| Code::UNKNOWN),
    }
}

/// `cudaErrorNoDevice`.
const NO_DEVICE: Code = Code(100);

fn synchronize(this: &Function, device: Device) -> Result<(), Code> {
    gpu::call(this, &Call::DeviceSynchronize { device })?;
    schedule::wait(Place::Device(device));
    fault::after_waiting()
}

/// What `cudaDeviceGetStreamPriorityRange` gives on an H100; a lower number goes first.
pub const LEAST_PRIORITY: i32 = 0;
/// See [`LEAST_PRIORITY`].
pub const GREATEST_PRIORITY: i32 = -5;

/// The value of a limit (`cudaLimit`) on an H100 before anything sets it.
fn default_limit(limit: c_int) -> Result<usize, Code> {
    /// `cudaErrorUnsupportedLimit`.
    const UNSUPPORTED_LIMIT: Code = Code(215);
    const DEFAULTS: [Option<usize>; 9] = [
        Some(1024),
        Some(8_650_752),
        Some(8 << 20),
        None,
        Some(2048),
        Some(64),
        Some(9_830_400),
        Some(232_448),
        Some(0),
    ];
    usize::try_from(limit)
        .ok()
        .and_then(|limit| DEFAULTS.get(limit).copied())
        .ok_or(Code::INVALID_VALUE)?
        .ok_or(UNSUPPORTED_LIMIT)
}
