//! Copies.

use std::ffi::{c_int, c_void};

use cgsan_model::{Code, CopyKind, HostMemory};

use super::context::device_of;
use crate::api::Function;
use crate::device;
use crate::ffi::{In, entry};
use crate::gpu::work::Work;
use crate::gpu::{self, StreamHandle};
use crate::memory::backing::length;
use crate::memory::{Side, Transfer, copy_2d};

entry! {
    /// Copies, and waits.
    fn cudaMemcpy, cudaMemcpy_ptds(this, to: u64, from: u64, bytes: usize, direction: c_int) {
        let transfer = Transfer::linear(to, from, bytes as u64);
        synchronous(&this.through(direction_of(direction)?.synchronous), transfer)
    }

    /// Copies in stream order.
    fn cudaMemcpyAsync, cudaMemcpyAsync_ptsz(
        this, to: u64, from: u64, bytes: usize, direction: c_int, stream: StreamHandle,
    ) {
        let transfer = Transfer::linear(to, from, bytes as u64);
        let direction = direction_of(direction)?;
        direction.check(&transfer)?;
        enqueue(&this.through(direction.asynchronous), stream, transfer)
    }

    /// Copies between devices, and waits.
    fn cudaMemcpyPeer(this, to: u64, to_device: c_int, from: u64, from_device: c_int, bytes: usize) {
        check_devices(to_device, from_device)?;
        synchronous(this, Transfer::linear(to, from, bytes as u64))
    }

    /// Copies between devices in stream order.
    fn cudaMemcpyPeerAsync(
        this, to: u64, to_device: c_int, from: u64, from_device: c_int, bytes: usize, stream: StreamHandle,
    ) {
        check_devices(to_device, from_device)?;
        let transfer = Transfer::linear(to, from, bytes as u64);
        enqueue_between(this, stream, transfer, to_device != from_device)
    }

    /// Copies between the devices of contexts, and waits.
    fn cuMemcpyPeer, cuMemcpyPeer_ptds(this, to: u64, to_context: u64, from: u64, from_context: u64, bytes: usize) {
        check_contexts(to_context, from_context)?;
        synchronous(this, Transfer::linear(to, from, bytes as u64))
    }

    /// Copies between the devices of contexts in stream order.
    fn cuMemcpyPeerAsync, cuMemcpyPeerAsync_ptsz(
        this, to: u64, to_context: u64, from: u64, from_context: u64, bytes: usize, stream: StreamHandle,
    ) {
        check_contexts(to_context, from_context)?;
        let transfer = Transfer::linear(to, from, bytes as u64);
        enqueue_between(this, stream, transfer, to_context != from_context)
    }

    /// Copies rows, and waits.
    fn cudaMemcpy2D, cudaMemcpy2D_ptds(
        this, to: u64, to_pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, _direction: c_int,
    ) {
        let transfer = rows(to, to_pitch, from, from_pitch, width, height)?;
        synchronous(&this.through("cuMemcpy2DUnaligned_v2"), transfer)
    }

    /// Copies rows in stream order.
    fn cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz(
        this, to: u64, to_pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, _direction: c_int,
        stream: StreamHandle,
    ) {
        enqueue(this, stream, rows(to, to_pitch, from, from_pitch, width, height)?)
    }

    /// Copies planes, and waits.
    fn cudaMemcpy3D, cudaMemcpy3D_ptds(this, parameters: In<Memcpy3D>) {
        synchronous(this, parameters.get()?.transfer()?)
    }

    /// Copies planes in stream order.
    fn cudaMemcpy3DAsync, cudaMemcpy3DAsync_ptsz(this, parameters: In<Memcpy3D>, stream: StreamHandle) {
        enqueue(this, stream, parameters.get()?.transfer()?)
    }

    /// Copies, and waits.
    fn cuMemcpy, cuMemcpy_ptds, cuMemcpyDtoD_v2, cuMemcpyHtoD_v2, cuMemcpyDtoH_v2(
        this, to: u64, from: u64, bytes: usize,
    ) {
        synchronous(this, Transfer::linear(to, from, bytes as u64))
    }

    /// Copies in stream order.
    fn cuMemcpyAsync, cuMemcpyAsync_ptsz, cuMemcpyDtoDAsync_v2, cuMemcpyDtoDAsync_v2_ptsz, cuMemcpyHtoDAsync_v2,
        cuMemcpyHtoDAsync_v2_ptsz, cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync_v2_ptsz(
        this, to: u64, from: u64, bytes: usize, stream: StreamHandle,
    ) {
        enqueue(this, stream, Transfer::linear(to, from, bytes as u64))
    }

    /// Copies rows, and waits.
    fn cuMemcpy2D_v2, cuMemcpy2DUnaligned_v2(this, parameters: In<copy_2d::Parameters>) {
        synchronous(this, parameters.get()?.transfer()?)
    }

    /// Copies rows in stream order.
    fn cuMemcpy2DAsync_v2, cuMemcpy2DAsync_v2_ptsz(
        this, parameters: In<copy_2d::Parameters>, stream: StreamHandle,
    ) {
        enqueue(this, stream, parameters.get()?.transfer()?)
    }

    /// Copies from the host to a variable of the device, and waits.
    fn cudaMemcpyToSymbol(
        this, symbol: *const c_void, from: u64, bytes: usize, offset: usize, _direction: c_int,
    ) {
        let to = crate::module::address_of_variable(symbol)? + offset as u64;
        synchronous(this, Transfer::linear(to, from, bytes as u64))
    }

    /// Copies from the host to a variable of the device in stream order.
    fn cudaMemcpyToSymbolAsync(
        this, symbol: *const c_void, from: u64, bytes: usize, offset: usize, _direction: c_int, stream: StreamHandle,
    ) {
        let to = crate::module::address_of_variable(symbol)? + offset as u64;
        enqueue(this, stream, Transfer::linear(to, from, bytes as u64))
    }

    /// Copies from a variable of the device to the host, and waits.
    fn cudaMemcpyFromSymbol(
        this, to: u64, symbol: *const c_void, bytes: usize, offset: usize, _direction: c_int,
    ) {
        let from = crate::module::address_of_variable(symbol)? + offset as u64;
        synchronous(this, Transfer::linear(to, from, bytes as u64))
    }

    /// Copies from a variable of the device to the host in stream order.
    fn cudaMemcpyFromSymbolAsync(
        this, to: u64, symbol: *const c_void, bytes: usize, offset: usize, _direction: c_int, stream: StreamHandle,
    ) {
        let from = crate::module::address_of_variable(symbol)? + offset as u64;
        enqueue(this, stream, Transfer::linear(to, from, bytes as u64))
    }
}

/// A direction as the program states it (`cudaMemcpyKind`), and the driver functions it goes through.
struct Direction {
    synchronous: &'static str,
    asynchronous: &'static str,
    /// Whether the destination must not be ordinary memory of the host.
    to_device: bool,
    /// Whether the source must not be.
    from_device: bool,
}

fn direction_of(number: c_int) -> Result<Direction, Code> {
    let direction = |synchronous, asynchronous, from_device, to_device| Direction {
        synchronous,
        asynchronous,
        to_device,
        from_device,
    };
    Ok(match number {
        0 => direction("cuMemcpy2DUnaligned_v2", "cuMemcpy2DAsync_v2", false, false),
        1 => direction("cuMemcpyHtoD_v2", "cuMemcpyHtoDAsync_v2", false, true),
        2 => direction("cuMemcpyDtoH_v2", "cuMemcpyDtoHAsync_v2", true, false),
        3 => direction("cuMemcpyDtoD_v2", "cuMemcpyDtoDAsync_v2", true, true),
        4 => direction("cuMemcpy", "cuMemcpyAsync", false, false),
        // `cudaErrorInvalidMemcpyDirection`.
        _ => return Err(Code(21)),
    })
}

impl Direction {
    /// Refuses a copy whose addresses are not what the direction says.
    fn check(&self, transfer: &Transfer) -> Result<(), Code> {
        use CopyKind::{BetweenDevices, DeviceToDevice, DeviceToHost, HostToDevice, HostToHost};
        use HostMemory::Pageable;
        let (from_pageable, to_pageable) = match transfer.kind() {
            HostToDevice(memory) => (memory == Pageable, false),
            DeviceToHost(memory) => (false, memory == Pageable),
            HostToHost => transfer.pageable_sides(),
            DeviceToDevice | BetweenDevices => (false, false),
        };
        if self.from_device && from_pageable || self.to_device && to_pageable {
            return Err(Code::INVALID_VALUE);
        }
        Ok(())
    }
}

fn check_devices(to: c_int, from: c_int) -> Result<(), Code> {
    device::check(to)?;
    device::check(from).map(drop)
}

fn check_contexts(to: u64, from: u64) -> Result<(), Code> {
    device_of(to)?;
    device_of(from).map(drop)
}

/// Copies on the legacy stream, and waits. A size of zero makes no call to the driver.
fn synchronous(function: &Function, transfer: Transfer) -> Result<(), Code> {
    if transfer.bytes() == 0 {
        return Ok(());
    }
    transfer.check()?;
    gpu::synchronous(function, transfer.node(), &Work::Copy(transfer))
}

/// Copies in stream order. A size of zero makes no call to the driver.
fn enqueue(function: &Function, stream: StreamHandle, transfer: Transfer) -> Result<(), Code> {
    enqueue_between(function, stream, transfer, false)
}

/// As [`enqueue`], for a call that names the devices, and says whether they differ.
fn enqueue_between(
    function: &Function,
    stream: StreamHandle,
    transfer: Transfer,
    devices_differ: bool,
) -> Result<(), Code> {
    if transfer.bytes() == 0 {
        return Ok(());
    }
    transfer.check()?;
    let kind = if devices_differ {
        CopyKind::BetweenDevices
    } else {
        transfer.kind()
    };
    gpu::enqueue(
        function,
        stream.resolve(function),
        transfer.node_of(kind),
        Work::Copy(transfer),
    )
    .map(drop)
}

fn rows(
    to: u64,
    to_pitch: usize,
    from: u64,
    from_pitch: usize,
    width: usize,
    height: usize,
) -> Result<Transfer, Code> {
    if width > to_pitch || width > from_pitch {
        // `cudaErrorInvalidPitchValue`.
        return Err(Code(12));
    }
    Ok(Transfer::pitched(
        Side::new(to, to_pitch as u64, 0),
        Side::new(from, from_pitch as u64, 0),
        [width as u64, height as u64, 1],
    ))
}

/// `cudaMemcpy3DParms`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Memcpy3D {
    source_array: u64,
    source_position: [usize; 3],
    source: Pitched,
    destination_array: u64,
    destination_position: [usize; 3],
    destination: Pitched,
    extent: [usize; 3],
    direction: c_int,
}

/// `cudaPitchedPtr`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Pitched {
    address: u64,
    pitch: usize,
    width: usize,
    height: usize,
}

crate::ffi::plain! {
    Memcpy3D { source_array: u64, source_position: [usize; 3], source: Pitched, destination_array: u64, destination_position: [usize; 3], destination: Pitched, extent: [usize; 3], direction: c_int }
    Pitched { address: u64, pitch: usize, width: usize, height: usize }
}

impl Memcpy3D {
    /// The description of a copy.
    pub fn of(transfer: &Transfer) -> Memcpy3D {
        let (destination, source, extent) = transfer.parts();
        let direction = match transfer.kind() {
            CopyKind::HostToHost => 0,
            CopyKind::HostToDevice(_) => 1,
            CopyKind::DeviceToHost(_) => 2,
            CopyKind::DeviceToDevice | CopyKind::BetweenDevices => 3,
        };
        Memcpy3D {
            source_array: 0,
            source_position: [0; 3],
            source: Pitched::of(source, extent[0]),
            destination_array: 0,
            destination_position: [0; 3],
            destination: Pitched::of(destination, extent[0]),
            extent: extent.map(length),
            direction,
        }
    }

    /// The copy it describes; arrays are for textures, which the virtual GPU does not have.
    pub fn transfer(&self) -> Result<Transfer, Code> {
        if self.source_array != 0 || self.destination_array != 0 {
            return Err(Code::NOT_SUPPORTED);
        }
        Ok(Transfer::pitched(
            self.destination.side(self.destination_position),
            self.source.side(self.source_position),
            self.extent.map(|length| length as u64),
        ))
    }
}

impl Pitched {
    fn of(side: Side, width: u64) -> Pitched {
        Pitched {
            address: side.start,
            pitch: length(side.row),
            width: length(width),
            height: length(side.plane.checked_div(side.row).unwrap_or(0)),
        }
    }

    fn side(&self, [x, y, z]: [usize; 3]) -> Side {
        let (row, plane) = (self.pitch as u64, (self.pitch * self.height) as u64);
        let offset = x as u64 + y as u64 * row + z as u64 * plane;
        Side::new(self.address + offset, row, plane)
    }
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::Memcpy3D;

    #[test]
    fn cuda_memcpy_3d_parms_is_laid_out_as_in_the_headers_of_cuda_12_and_13() {
        assert_eq!(size_of::<Memcpy3D>(), 160);
        assert_eq!(offset_of!(Memcpy3D, extent), 128);
        assert_eq!(offset_of!(Memcpy3D, direction), 152);
    }
}
