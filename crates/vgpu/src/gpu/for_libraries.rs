//! What the libraries (cuBLAS, cuDNN, NCCL and their kin) do to the GPU.
//!
//! Each function calls CUDA as the real library does, through its own copy of the runtime: the call is judged, has its
//! effect and is recorded like one of the program's, but it never becomes the program's last error.

use std::ffi::c_void;
use std::sync::Arc;

use cgsan_model::{Call, CaptureId, Code, NodeKind};

use super::enqueue::enqueue;
use super::handle::StreamHandle;
use super::schedule::{self, Place};
use super::work::{Exchange, Work};
use super::{allocate, context, kernel, perform};
use crate::api::Function;
use crate::memory::backing::pointer;
use crate::memory::{Fill, Transfer};

/// Allocates device memory.
///
/// # Errors
///
/// What `cudaMalloc` answers: out of memory, or that a capture forbids it.
pub fn malloc(bytes: usize) -> Result<*mut c_void, Code> {
    allocate::malloc(&Function::driver("cuMemAlloc_v2"), bytes).map(pointer)
}

/// Frees device memory; null is allowed, and like any free is forbidden by a capture.
pub fn free(pointer: *mut c_void) -> Code {
    code(allocate::free(
        &Function::driver("cuMemFree_v2"),
        pointer.addr() as u64,
    ))
}

/// Allocates pinned host memory.
///
/// # Errors
///
/// What `cudaHostAlloc` answers.
pub fn host_malloc(bytes: usize) -> Result<*mut c_void, Code> {
    allocate::host_malloc(&Function::driver("cuMemHostAlloc"), bytes).map(pointer)
}

/// Frees pinned host memory.
pub fn host_free(pointer: *mut c_void) -> Code {
    code(allocate::host_free(
        &Function::driver("cuMemFreeHost"),
        pointer.addr() as u64,
    ))
}

/// Launches a kernel of the library's own, named for a person to recognise.
pub fn launch(stream: StreamHandle, kernel: &'static str) -> Code {
    run("cuLaunchKernel", stream, node_of(kernel), Work::Nothing)
}

/// A kernel of a library as a node of a graph.
fn node_of(kernel: &'static str) -> NodeKind {
    NodeKind::Kernel {
        function: kernel::of_library(kernel),
        grid: [1, 1, 1],
        block: [128, 1, 1],
        shared: 0,
    }
}

/// Copies device memory in stream order.
pub fn copy(
    stream: StreamHandle,
    destination: *mut c_void,
    source: *const c_void,
    bytes: usize,
) -> Code {
    let transfer = Transfer::linear(
        destination.addr() as u64,
        source.addr() as u64,
        bytes as u64,
    );
    run(
        "cuMemcpyDtoDAsync_v2",
        stream,
        transfer.node(),
        Work::Copy(transfer),
    )
}

/// Fills device memory in stream order.
pub fn memset(stream: StreamHandle, destination: *mut c_void, value: u8, bytes: usize) -> Code {
    let fill = Fill::bytes(destination.addr() as u64, value, bytes as u64);
    run("cuMemsetD8Async", stream, fill.node(), Work::Fill(fill))
}

/// Enqueues a collective, which on the device is a kernel. Returns the capture that recorded it.
///
/// # Errors
///
/// What `cuLaunchKernelEx` answers.
pub fn exchange(
    stream: StreamHandle,
    kernel: &'static str,
    exchange: Arc<dyn Exchange>,
) -> Result<Option<CaptureId>, Code> {
    let function = Function::driver("cuLaunchKernelEx");
    let stream = stream.resolve(&function);
    enqueue(&function, stream, node_of(kernel), Work::Exchange(exchange))
}

/// Waits for the device.
pub fn device_synchronize() -> Code {
    let device = context::device();
    let code = ask("cuCtxSynchronize_v2", &Call::DeviceSynchronize { device });
    if code.is_success() {
        schedule::wait(Place::Device(device));
    }
    code
}

/// Waits for a stream.
pub fn stream_synchronize(stream: StreamHandle) -> Code {
    let function = Function::driver("cuStreamSynchronize");
    let stream = stream.resolve(&function);
    let code = ask("cuStreamSynchronize", &Call::StreamSynchronize { stream });
    if code.is_success() {
        schedule::wait_for_stream(stream);
    }
    code
}

fn run(function: &'static str, stream: StreamHandle, node: NodeKind, work: Work) -> Code {
    let function = Function::driver(function);
    code(enqueue(&function, stream.resolve(&function), node, work).map(drop))
}

fn ask(function: &'static str, call: &Call) -> Code {
    code(perform::call(&Function::driver(function), call))
}

fn code(result: Result<(), Code>) -> Code {
    result.err().unwrap_or(Code::SUCCESS)
}
