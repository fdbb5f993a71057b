//! Kernels, copies and fills.
#![expect(unsafe_code, reason = "reads the parameters that CUPTI describes")]

use std::ffi::c_void;

use cgsan_model::{Call, CopyKind, NodeKind};
use cgsan_observe::launches::Given;

use super::shape::{
    Copy, Copy2D, Copy2DAsync, Copy3D, Copy3DAsync, CopyAsync, CopyPeer, CopyPeerAsync, Fill,
    FillAsync, FillRows, FillRowsAsync, Launch, LaunchConfig, LaunchEx, LaunchExGiven, LaunchGiven,
    LaunchGivenEither, Planes, PlanesEnd, Rows, RowsEnd,
};
use super::{Function, Site, functions};
use crate::foreign::Pointer;
use crate::kernel;
use crate::pointer::{self, Memory};

pub(super) const FUNCTIONS: &[Function] = functions! {
    AtFirst 307/442 cuLaunchKernel(site, p: Launch) => launch(site, p);
    AtFirst 477/478 cuLaunchCooperativeKernel(site, p: Launch) => launch(site, p);
    AtFirst 652/653 cuLaunchKernelEx(site, p: LaunchEx) => {
        let config = site.passed(p.config);
        config.map_or(Call::Unrestricted, |LaunchConfig { grid, block, shared, stream, .. }| {
            launch(site, &Launch { function: p.function, grid, block, shared, stream })
        })
    };

    Capturing 276/397 cuMemcpyHtoD_v2(site, p: Copy) => site.synchronous(copy(p.to, p.from, p.bytes, host_to_device(p.from)));
    Capturing 278/398 cuMemcpyDtoH_v2(site, p: Copy) => site.synchronous(copy(p.to, p.from, p.bytes, device_to_host(p.to)));
    Capturing 280/399 cuMemcpyDtoD_v2(site, p: Copy) => site.synchronous(copy(p.to, p.from, p.bytes, CopyKind::DeviceToDevice));
    Capturing 305/408 cuMemcpy(site, p: Copy) => site.synchronous(copy(p.to, p.from, p.bytes, kind_of(p.from, p.to)));
    Capturing 318/409 cuMemcpyPeer(site, p: CopyPeer) => site.synchronous(copy(p.to, p.from, p.bytes, CopyKind::DeviceToDevice));
    Capturing 287/405 cuMemcpy2D_v2(site, p: Copy2D) => site.synchronous(rows(site, p.copy));
    Capturing 288/406 cuMemcpy2DUnaligned_v2(site, p: Copy2D) => site.synchronous(rows(site, p.copy));
    Capturing 290/407 cuMemcpy3D_v2(site, p: Copy3D) => site.synchronous(planes(site, p.copy));

    AtFirst 277/421 cuMemcpyHtoDAsync_v2(site, p: CopyAsync) => enqueue(site, p.stream, copy(p.to, p.from, p.bytes, host_to_device(p.from)));
    AtFirst 279/422 cuMemcpyDtoHAsync_v2(site, p: CopyAsync) => enqueue(site, p.stream, copy(p.to, p.from, p.bytes, device_to_host(p.to)));
    AtFirst 281/423 cuMemcpyDtoDAsync_v2(site, p: CopyAsync) => enqueue(site, p.stream, copy(p.to, p.from, p.bytes, CopyKind::DeviceToDevice));
    AtFirst 306/418 cuMemcpyAsync(site, p: CopyAsync) => enqueue(site, p.stream, copy(p.to, p.from, p.bytes, kind_of(p.from, p.to)));
    AtFirst 319/426 cuMemcpyPeerAsync(site, p: CopyPeerAsync) => enqueue(site, p.stream, copy(p.to, p.from, p.bytes, between(p)));
    AtFirst 289/424 cuMemcpy2DAsync_v2(site, p: Copy2DAsync) => enqueue(site, p.stream, rows(site, p.copy));
    AtFirst 291/425 cuMemcpy3DAsync_v2(site, p: Copy3DAsync) => enqueue(site, p.stream, planes(site, p.copy));

    Capturing 249/411 cuMemsetD8_v2(site, p: Fill<u8>) => site.synchronous(fill(p.to, p.value.into(), p.count, 1));
    Capturing 250/412 cuMemsetD16_v2(site, p: Fill<u16>) => site.synchronous(fill(p.to, p.value.into(), p.count, 2));
    Capturing 251/413 cuMemsetD32_v2(site, p: Fill<u32>) => site.synchronous(fill(p.to, p.value, p.count, 4));
    Capturing 252/414 cuMemsetD2D8_v2(site, p: FillRows<u8>) => site.synchronous(fill(p.to, p.value.into(), area(p.width, p.height), 1));
    Capturing 253/415 cuMemsetD2D16_v2(site, p: FillRows<u16>) => site.synchronous(fill(p.to, p.value.into(), area(p.width, p.height), 2));
    Capturing 254/416 cuMemsetD2D32_v2(site, p: FillRows<u32>) => site.synchronous(fill(p.to, p.value, area(p.width, p.height), 4));
    AtFirst 216/428 cuMemsetD8Async(site, p: FillAsync<u8>) => enqueue(site, p.stream, fill(p.to, p.value.into(), p.count, 1));
    AtFirst 218/429 cuMemsetD16Async(site, p: FillAsync<u16>) => enqueue(site, p.stream, fill(p.to, p.value.into(), p.count, 2));
    AtFirst 220/430 cuMemsetD32Async(site, p: FillAsync<u32>) => enqueue(site, p.stream, fill(p.to, p.value, p.count, 4));
    AtFirst 222/431 cuMemsetD2D8Async(site, p: FillRowsAsync<u8>) => enqueue(site, p.stream, fill(p.to, p.value.into(), area(p.width, p.height), 1));
    AtFirst 224/432 cuMemsetD2D16Async(site, p: FillRowsAsync<u16>) => enqueue(site, p.stream, fill(p.to, p.value.into(), area(p.width, p.height), 2));
    AtFirst 226/433 cuMemsetD2D32Async(site, p: FillRowsAsync<u32>) => enqueue(site, p.stream, fill(p.to, p.value, area(p.width, p.height), 4));

    Capturing 460/461 cuStreamWriteValue32(site, p: super::shape::OfStream) => enqueue(site, p.stream, NodeKind::BatchMemOp);
    Capturing 458/459 cuStreamWaitValue32(site, p: super::shape::OfStream) => enqueue(site, p.stream, NodeKind::BatchMemOp);
    Capturing 475/476 cuStreamWriteValue64(site, p: super::shape::OfStream) => enqueue(site, p.stream, NodeKind::BatchMemOp);
    Capturing 473/474 cuStreamWaitValue64(site, p: super::shape::OfStream) => enqueue(site, p.stream, NodeKind::BatchMemOp);
    Capturing 462/463 cuStreamBatchMemOp(site, p: super::shape::OfStream) => enqueue(site, p.stream, NodeKind::BatchMemOp);
    Capturing 663/664 cuStreamWriteValue32_v2(site, p: super::shape::OfStream) => enqueue(site, p.stream, NodeKind::BatchMemOp);
    Capturing 659/660 cuStreamWaitValue32_v2(site, p: super::shape::OfStream) => enqueue(site, p.stream, NodeKind::BatchMemOp);
    Capturing 665/666 cuStreamWriteValue64_v2(site, p: super::shape::OfStream) => enqueue(site, p.stream, NodeKind::BatchMemOp);
    Capturing 661/662 cuStreamWaitValue64_v2(site, p: super::shape::OfStream) => enqueue(site, p.stream, NodeKind::BatchMemOp);
    Capturing 667/668 cuStreamBatchMemOp_v2(site, p: super::shape::OfStream) => enqueue(site, p.stream, NodeKind::BatchMemOp);
};

/// The kernel that a call launches, and where what it is given lies, if it is such a call.
pub fn launched(function: &Function, site: &Site) -> Option<(u64, Given)> {
    let at = |address: u64| {
        let address = usize::try_from(address).unwrap_or_default();
        std::ptr::with_exposed_provenance_mut::<*mut c_void>(address)
    };
    // SAFETY: the header declares parameters of these shapes for the functions of these numbers.
    let (kernel, arguments, extra) = unsafe {
        match function.id {
            307 => {
                let LaunchGivenEither { given, extra } = site.parameters();
                (given.launch.function, given.arguments, extra)
            }
            477 => {
                let LaunchGiven { launch, arguments } = site.parameters();
                (launch.function, arguments, 0)
            }
            652 => {
                let LaunchExGiven {
                    launch,
                    arguments,
                    extra,
                } = site.parameters();
                (launch.function, arguments, extra)
            }
            _ => return None,
        }
    };
    let (arguments, extra) = (at(arguments), at(extra));
    Some((kernel, Given { arguments, extra }))
}

fn launch(site: &Site, p: &Launch) -> Call {
    // SAFETY: CUPTI passes a launch the name of its kernel.
    let function = unsafe { kernel::named(p.function, site.kernel_name()) };
    let node = NodeKind::Kernel {
        function,
        grid: p.grid,
        block: p.block,
        shared: p.shared,
    };
    enqueue(site, p.stream, node)
}

fn enqueue(site: &Site, stream: u64, node: NodeKind) -> Call {
    Call::Work {
        stream: site.stream(stream),
        node,
    }
}

fn copy(dst: u64, src: u64, bytes: u64, kind: CopyKind) -> NodeKind {
    NodeKind::Memcpy {
        kind,
        dst,
        src,
        bytes,
    }
}

fn host_to_device(from: u64) -> CopyKind {
    CopyKind::HostToDevice(pointer::host(from))
}

fn device_to_host(to: u64) -> CopyKind {
    CopyKind::DeviceToHost(pointer::host(to))
}

/// The kind of a copy that names its devices, which have one context each.
fn between(p: &CopyPeerAsync) -> CopyKind {
    if p.to_context == p.from_context {
        CopyKind::DeviceToDevice
    } else {
        CopyKind::BetweenDevices
    }
}

fn kind_of(from: u64, to: u64) -> CopyKind {
    pointer::copy_kind(pointer::memory(from), pointer::memory(to))
}

fn rows(site: &Site, parameters: Pointer<Rows>) -> NodeKind {
    let Some(rows) = site.passed(parameters) else {
        return NodeKind::Empty;
    };
    let (from, to) = (rows.from.end(), rows.to.end());
    copy(
        to.0,
        from.0,
        area(rows.width, rows.height),
        pointer::copy_kind(from.1, to.1),
    )
}

/// A copy of planes.
pub(super) fn planes(site: &Site, parameters: Pointer<Planes>) -> NodeKind {
    let Some(planes) = site.passed(parameters) else {
        return NodeKind::Empty;
    };
    let (from, to) = (planes.from.end(), planes.to.end());
    copy(
        to.0,
        from.0,
        area(area(planes.width, planes.height), planes.depth),
        pointer::copy_kind(from.1, to.1),
    )
}

impl RowsEnd {
    fn end(&self) -> (u64, Memory) {
        end(self.kind, self.host, self.device)
    }
}

impl PlanesEnd {
    fn end(&self) -> (u64, Memory) {
        end(self.kind, self.host, self.device)
    }
}

/// The address and the memory of one end of a copy, by its `CUmemorytype`.
fn end(kind: u32, host: u64, device: u64) -> (u64, Memory) {
    let address = if kind == 1 { host } else { device };
    (address, pointer::stated(kind, address))
}

/// A fill of so many elements of a size in bytes.
pub(super) fn fill(dst: u64, value: u32, count: u64, size: u64) -> NodeKind {
    NodeKind::Memset {
        dst,
        value,
        bytes: area(count, size),
    }
}

fn area(width: u64, height: u64) -> u64 {
    width.saturating_mul(height)
}
