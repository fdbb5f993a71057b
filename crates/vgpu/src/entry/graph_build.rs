//! Building graphs node by node.
#![expect(unsafe_code, reason = "reads what the API promises of its parameters")]

use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

use cgsan_model::{Code, EventId, GraphId, NodeKind};

use super::copy::Memcpy3D;
use super::launch::Dimensions;
use super::pool::PoolProperties;
use crate::api::Function;
use crate::ffi::{In, InOut, Out, entry};
use crate::gpu;
use crate::gpu::work::{HostFunction, Work};
use crate::graph::Program;
use crate::memory::{Fill, GraphMemory, Transfer};
use crate::module;

/// The nodes that a new node waits for, as C passes them.
#[derive(Clone, Copy)]
pub(super) struct After(pub In<u64>, pub usize);

entry! {
    /// Adds a node that does nothing.
    fn cudaGraphAddEmptyNode, cuGraphAddEmptyNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize,
    ) {
        add(this, out, graph, After(after, count), NodeKind::Empty, Work::Nothing)
    }

    /// Adds a kernel. The driver's own parameters have further fields at their end, which are not kept.
    fn cudaGraphAddKernelNode, cuGraphAddKernelNode_v2(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: In<KernelParameters>,
    ) {
        add_kernel(this, out, graph, After(after, count), parameters.get()?)
    }

    /// Writes how a kernel node launches its kernel; the arguments are not kept.
    fn cudaGraphKernelNodeGetParams(_this, node: u64, out: Out<KernelParameters>) {
        let (function, grid, block, shared) = kernel_of(node)?;
        out.put(KernelParameters { function, grid, block, shared, arguments: 0, extra: 0 })
    }

    /// Writes how a kernel node launches its kernel; the arguments are not kept.
    fn cuGraphKernelNodeGetParams_v2(_this, node: u64, out: Out<DriverKernelParameters>) {
        let (function, grid, block, shared) = kernel_of(node)?;
        out.put(DriverKernelParameters {
            function, grid, block, shared, arguments: 0, extra: 0, kernel: function, context: 0,
        })
    }

    /// Adds a fill.
    fn cudaGraphAddMemsetNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: In<MemsetParameters>,
    ) {
        add_fill(this, out, graph, After(after, count), parameters.get()?)
    }

    /// Adds a fill.
    fn cuGraphAddMemsetNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: In<MemsetParameters>,
        _context: u64,
    ) {
        add_fill(this, out, graph, After(after, count), parameters.get()?)
    }

    /// Adds a copy of consecutive bytes.
    fn cudaGraphAddMemcpyNode1D(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, to: u64, from: u64, bytes: usize,
        _direction: c_int,
    ) {
        add_copy(this, out, graph, After(after, count), Transfer::linear(to, from, bytes as u64))
    }

    /// Adds a copy.
    fn cudaGraphAddMemcpyNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: In<Memcpy3D>,
    ) {
        add_copy(this, out, graph, After(after, count), parameters.get()?.transfer()?)
    }

    /// Adds a function of the program.
    fn cudaGraphAddHostNode, cuGraphAddHostNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: In<HostParameters>,
    ) {
        add_host(this, out, graph, After(after, count), parameters.get()?)
    }

    /// Adds a graph inside a graph: what it does now, whatever becomes of it.
    fn cudaGraphAddChildGraphNode, cuGraphAddChildGraphNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, child: u64,
    ) {
        add_child(this, out, graph, After(after, count), child)
    }

    /// Adds the record of an event.
    fn cudaGraphAddEventRecordNode, cuGraphAddEventRecordNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, event: u64,
    ) {
        let kind = NodeKind::EventRecord { event: EventId(event) };
        add(this, out, graph, After(after, count), kind, Work::RecordEvent(event))
    }

    /// Adds the wait for an event.
    fn cudaGraphAddEventWaitNode, cuGraphAddEventWaitNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, event: u64,
    ) {
        let kind = NodeKind::EventWait { event: EventId(event) };
        add(this, out, graph, After(after, count), kind, Work::Nothing)
    }

    /// Adds an allocation, and says where it will be.
    fn cudaGraphAddMemAllocNode, cuGraphAddMemAllocNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: InOut<AllocationParameters>,
    ) {
        add_allocation(this, out, graph, After(after, count), parameters)
    }

    /// Adds a free.
    fn cudaGraphAddMemFreeNode, cuGraphAddMemFreeNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, address: u64,
    ) {
        add(this, out, graph, After(after, count), NodeKind::MemFree { address }, Work::Free(address))
    }
}

/// `cudaKernelNodeParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KernelParameters {
    function: u64,
    grid: Dimensions,
    block: Dimensions,
    shared: c_uint,
    arguments: u64,
    extra: u64,
}

/// `CUDA_KERNEL_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DriverKernelParameters {
    function: u64,
    grid: Dimensions,
    block: Dimensions,
    shared: c_uint,
    arguments: u64,
    extra: u64,
    kernel: u64,
    context: u64,
}

/// `cudaMemsetParams`, `CUDA_MEMSET_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MemsetParameters {
    start: u64,
    pitch: usize,
    value: c_uint,
    element: c_uint,
    width: usize,
    height: usize,
}

/// `cudaHostNodeParams`, `CUDA_HOST_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HostParameters {
    function: *const c_void,
    data: *mut c_void,
}

/// `cudaMemAllocNodeParams`, `CUDA_MEM_ALLOC_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AllocationParameters {
    pool: PoolProperties,
    pool_rest: [u64; 9],
    access: u64,
    access_count: usize,
    bytes: usize,
    address: u64,
}

crate::ffi::plain! {
    KernelParameters { function: u64, grid: Dimensions, block: Dimensions, shared: c_uint, arguments: u64, extra: u64 }
    DriverKernelParameters { function: u64, grid: Dimensions, block: Dimensions, shared: c_uint, arguments: u64, extra: u64, kernel: u64, context: u64 }
    MemsetParameters { start: u64, pitch: usize, value: c_uint, element: c_uint, width: usize, height: usize }
    HostParameters { function: *const c_void, data: *mut c_void }
    AllocationParameters { pool: PoolProperties, pool_rest: [u64; 9], access: u64, access_count: usize, bytes: usize, address: u64 }
}

fn kernel_of(node: u64) -> Result<(u64, Dimensions, Dimensions, c_uint), Code> {
    let gpu = gpu::lock();
    let (graph, place) = gpu.graphs.node(node)?;
    match &gpu.graphs.graph(graph)?.nodes()[place].kind {
        NodeKind::Kernel {
            function,
            grid,
            block,
            shared,
        } => Ok((
            function.0,
            Dimensions::from_array(*grid),
            Dimensions::from_array(*block),
            *shared,
        )),
        _ => Err(Code::INVALID_VALUE),
    }
}

/// Adds a node, and writes its handle.
pub(super) fn add(
    this: &Function,
    out: Out<u64>,
    graph: u64,
    After(nodes, count): After,
    kind: NodeKind,
    work: Work,
) -> Result<(), Code> {
    let nodes = nodes.list(count)?;
    let call = gpu::lock().addition(graph, kind, &nodes)?;
    let node = gpu::perform(this, &call, |gpu, _| {
        gpu.graphs.added(&gpu.model, graph, work)
    })?;
    out.put(node)
}

pub(super) fn add_kernel(
    this: &Function,
    out: Out<u64>,
    graph: u64,
    after: After,
    parameters: KernelParameters,
) -> Result<(), Code> {
    let KernelParameters {
        function,
        grid,
        block,
        shared,
        ..
    } = parameters;
    let unknown = if this.runtime.is_some() {
        INVALID_DEVICE_FUNCTION
    } else {
        Code::INVALID_VALUE
    };
    let function = module::resolve(function).ok_or(unknown)?;
    let kind = NodeKind::Kernel {
        function,
        grid: grid.array(),
        block: block.array(),
        shared,
    };
    add(this, out, graph, after, kind, Work::Nothing)
}

pub(super) fn add_host(
    this: &Function,
    out: Out<u64>,
    graph: u64,
    after: After,
    HostParameters { function, data }: HostParameters,
) -> Result<(), Code> {
    // SAFETY: the API documents the two to belong together.
    let host = unsafe { HostFunction::at(function, data) }.ok_or(Code::INVALID_VALUE)?;
    let kind = NodeKind::Host {
        function: host.address(),
    };
    add(this, out, graph, after, kind, Work::Host(host))
}

pub(super) fn add_child(
    this: &Function,
    out: Out<u64>,
    graph: u64,
    after: After,
    child: u64,
) -> Result<(), Code> {
    let program = Program::of(gpu::lock().graph(child)?).ok_or(Code::INVALID_VALUE)?;
    let kind = NodeKind::ChildGraph {
        graph: GraphId(child),
    };
    add(
        this,
        out,
        graph,
        after,
        kind,
        Work::Graph(Arc::new(program)),
    )
}

pub(super) fn add_allocation(
    this: &Function,
    out: Out<u64>,
    graph: u64,
    after: After,
    parameters: InOut<AllocationParameters>,
) -> Result<(), Code> {
    let wanted = parameters.get()?;
    let bytes = wanted.bytes as u64;
    if bytes == 0 {
        return Err(Code::INVALID_VALUE);
    }
    let memory = Arc::new(GraphMemory::reserve(wanted.pool.device()?, bytes)?);
    let address = memory.address();
    let kind = NodeKind::MemAlloc { address, bytes };
    add(this, out, graph, after, kind, Work::Allocate(memory))?;
    parameters.set(AllocationParameters { address, ..wanted });
    Ok(())
}

pub(super) fn add_fill(
    this: &Function,
    out: Out<u64>,
    graph: u64,
    after: After,
    parameters: MemsetParameters,
) -> Result<(), Code> {
    let size = match parameters.element {
        1 => 1,
        2 => 2,
        4 => 4,
        _ => return Err(Code::INVALID_VALUE),
    };
    let fill = Fill::rows(
        parameters.start,
        parameters.pitch as u64,
        parameters.value,
        size,
        parameters.width as u64,
        parameters.height as u64,
    );
    fill.check()?;
    add(this, out, graph, after, fill.node(), Work::Fill(fill))
}

pub(super) fn add_copy(
    this: &Function,
    out: Out<u64>,
    graph: u64,
    after: After,
    transfer: Transfer,
) -> Result<(), Code> {
    transfer.check()?;
    let kind = transfer.node();
    add(this, out, graph, after, kind, Work::Copy(transfer))
}

/// `cudaErrorInvalidDeviceFunction`.
const INVALID_DEVICE_FUNCTION: Code = Code(98);

#[cfg(test)]
mod tests {
    use super::{
        AllocationParameters, DriverKernelParameters, HostParameters, KernelParameters,
        MemsetParameters,
    };

    #[test]
    fn the_parameters_are_laid_out_as_in_the_headers_of_cuda_12_and_13() {
        assert_eq!(size_of::<KernelParameters>(), 56);
        assert_eq!(size_of::<DriverKernelParameters>(), 72);
        assert_eq!(size_of::<MemsetParameters>(), 40);
        assert_eq!(size_of::<HostParameters>(), 16);
        assert_eq!(size_of::<AllocationParameters>(), 120);
    }
}
