//! Fills.

use std::ffi::{c_int, c_uchar, c_uint, c_ushort};

use cgsan_model::{Code, NodeKind};

use crate::api::Function;
use crate::ffi::entry;
use crate::gpu::work::Work;
use crate::gpu::{self, StreamHandle};
use crate::memory::Fill;

entry! {
    /// Fills bytes, and waits.
    fn cudaMemset, cudaMemset_ptds(this, start: u64, value: c_int, bytes: usize) {
        synchronous(this, Fill::bytes(start, low_byte(value), bytes as u64))
    }

    /// Fills bytes in stream order.
    fn cudaMemsetAsync, cudaMemsetAsync_ptsz(
        this, start: u64, value: c_int, bytes: usize, stream: StreamHandle,
    ) {
        enqueue(this, stream, Fill::bytes(start, low_byte(value), bytes as u64))
    }

    /// Fills rows of bytes, and waits.
    fn cudaMemset2D, cudaMemset2D_ptds(
        this, start: u64, pitch: usize, value: c_int, width: usize, height: usize,
    ) {
        synchronous(this, rows(start, pitch, u32::from(low_byte(value)), 1, width, height))
    }

    /// Fills rows of bytes in stream order.
    fn cudaMemset2DAsync, cudaMemset2DAsync_ptsz(
        this, start: u64, pitch: usize, value: c_int, width: usize, height: usize, stream: StreamHandle,
    ) {
        enqueue(this, stream, rows(start, pitch, u32::from(low_byte(value)), 1, width, height))
    }

    /// Fills bytes, and waits.
    fn cuMemsetD8_v2(this, start: u64, value: c_uchar, count: usize) {
        synchronous(this, Fill::bytes(start, value, count as u64))
    }

    /// Fills values of two bytes, and waits.
    fn cuMemsetD16_v2(this, start: u64, value: c_ushort, count: usize) {
        synchronous(this, rows(start, 0, u32::from(value), 2, count, 1))
    }

    /// Fills values of four bytes, and waits.
    fn cuMemsetD32_v2(this, start: u64, value: c_uint, count: usize) {
        synchronous(this, rows(start, 0, value, 4, count, 1))
    }

    /// Writes four bytes when the stream gets there; without flags that differs from a fill only in its kind of node.
    fn cuStreamWriteValue32, cuStreamWriteValue32_ptsz, cuStreamWriteValue32_v2, cuStreamWriteValue32_v2_ptsz(
        this, stream: StreamHandle, address: u64, value: c_uint, _flags: c_uint,
    ) {
        let fill = rows(address, 0, value, 4, 1, 1);
        fill.check()?;
        gpu::enqueue(this, stream.resolve(this), NodeKind::BatchMemOp, Work::Fill(fill)).map(drop)
    }

    /// Fills bytes in stream order.
    fn cuMemsetD8Async, cuMemsetD8Async_ptsz(
        this, start: u64, value: c_uchar, count: usize, stream: StreamHandle,
    ) {
        enqueue(this, stream, Fill::bytes(start, value, count as u64))
    }

    /// Fills values of two bytes in stream order.
    fn cuMemsetD16Async, cuMemsetD16Async_ptsz(
        this, start: u64, value: c_ushort, count: usize, stream: StreamHandle,
    ) {
        enqueue(this, stream, rows(start, 0, u32::from(value), 2, count, 1))
    }

    /// Fills values of four bytes in stream order.
    fn cuMemsetD32Async, cuMemsetD32Async_ptsz(
        this, start: u64, value: c_uint, count: usize, stream: StreamHandle,
    ) {
        enqueue(this, stream, rows(start, 0, value, 4, count, 1))
    }

    /// Fills rows of bytes in stream order.
    fn cuMemsetD2D8Async, cuMemsetD2D8Async_ptsz(
        this, start: u64, pitch: usize, value: c_uchar, width: usize, height: usize, stream: StreamHandle,
    ) {
        enqueue(this, stream, rows(start, pitch, u32::from(value), 1, width, height))
    }
}

/// The byte that `cudaMemset` means: its argument is converted to an unsigned character.
fn low_byte(value: c_int) -> u8 {
    value.to_le_bytes()[0]
}

fn rows(start: u64, pitch: usize, value: u32, size: u8, width: usize, height: usize) -> Fill {
    Fill::rows(
        start,
        pitch as u64,
        value,
        size,
        width as u64,
        height as u64,
    )
}

/// Fills on the legacy stream, and waits. A size of zero makes no call to the driver.
fn synchronous(function: &Function, fill: Fill) -> Result<(), Code> {
    if fill.is_empty() {
        return Ok(());
    }
    fill.check()?;
    gpu::synchronous(function, fill.node(), &Work::Fill(fill))
}

/// Fills in stream order. A size of zero makes no call to the driver.
fn enqueue(function: &Function, stream: StreamHandle, fill: Fill) -> Result<(), Code> {
    if fill.is_empty() {
        return Ok(());
    }
    fill.check()?;
    gpu::enqueue(
        function,
        stream.resolve(function),
        fill.node(),
        Work::Fill(fill),
    )
    .map(drop)
}
