//! Building graphs node by node.
#![expect(unsafe_code, reason = "reads what the API promises of its parameters")]

use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

use cgsan_model::{Code, EventId, GraphId, NodeKind};

use super::copy::Memcpy3D;
use super::launch::Dimensions;
use super::pool::PoolProperties;
use super::user_object;
use crate::api::Function;
use crate::ffi::{In, InOut, Out, Untyped, entry};
use crate::gpu;
use crate::gpu::work::{HostFunction, Work};
use crate::graph::Program;
use crate::memory::backing::length;
use crate::memory::{Fill, GraphMemory, Transfer, copy_3d};
use crate::module;

/// The nodes that a new node waits for, as C passes them.
#[derive(Clone, Copy)]
pub(super) struct After(pub In<u64>, pub usize);

entry! {
    /// Adds a node that does nothing.
    fn cudaGraphAddEmptyNode, cuGraphAddEmptyNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize,
    ) {
        add(this, out, graph, After(after, count), Ok((NodeKind::Empty, Work::Nothing)))
    }

    /// Adds a kernel. The driver's own parameters have further fields at their end, which are not kept.
    fn cudaGraphAddKernelNode, cuGraphAddKernelNode_v2(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: Untyped,
    ) {
        add(this, out, graph, After(after, count), kernel(this, parameters, 0))
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
        add(this, out, graph, After(after, count), fill(parameters.get()?))
    }

    /// Adds a fill.
    fn cuGraphAddMemsetNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: In<MemsetParameters>,
        _context: u64,
    ) {
        add(this, out, graph, After(after, count), fill(parameters.get()?))
    }

    /// Adds a copy of consecutive bytes.
    fn cudaGraphAddMemcpyNode1D(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, to: u64, from: u64, bytes: usize,
        _direction: c_int,
    ) {
        add(this, out, graph, After(after, count), copy(Transfer::linear(to, from, bytes as u64)))
    }

    /// Adds a copy.
    fn cudaGraphAddMemcpyNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: In<Memcpy3D>,
    ) {
        add(this, out, graph, After(after, count), copy(parameters.get()?.transfer()?))
    }

    /// Adds a copy, as the driver describes it.
    fn cuGraphAddMemcpyNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: In<copy_3d::Parameters>,
        _context: u64,
    ) {
        add(this, out, graph, After(after, count), copy(parameters.get()?.transfer()?))
    }

    /// Adds a function of the program.
    fn cudaGraphAddHostNode, cuGraphAddHostNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: In<HostParameters>,
    ) {
        add(this, out, graph, After(after, count), host(parameters.get()?))
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
        add(this, out, graph, After(after, count), Ok(record(event)))
    }

    /// Adds the wait for an event.
    fn cudaGraphAddEventWaitNode, cuGraphAddEventWaitNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, event: u64,
    ) {
        add(this, out, graph, After(after, count), Ok(wait(event)))
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
        let freed = (NodeKind::MemFree { address }, Work::Free(address));
        add(this, out, graph, After(after, count), Ok(freed))
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
    pub(super) start: u64,
    pub(super) pitch: usize,
    pub(super) value: c_uint,
    pub(super) element: c_uint,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// `cudaHostNodeParams`, `CUDA_HOST_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HostParameters {
    pub(super) function: *const c_void,
    pub(super) data: *mut c_void,
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

/// What a node is for the model, and what it does when the graph runs.
pub(super) type Made = Result<(NodeKind, Work), Code>;

/// Adds a node, and writes its handle.
pub(super) fn add(
    this: &Function,
    out: Out<u64>,
    graph: u64,
    after: After,
    made: Made,
) -> Result<(), Code> {
    out.put(add_node(this, graph, after, made)?)
}

fn add_node(
    this: &Function,
    graph: u64,
    After(nodes, count): After,
    made: Made,
) -> Result<u64, Code> {
    let (kind, work) = made?;
    let nodes = nodes.list(count)?;
    let call = gpu::lock().addition(graph, kind, &nodes)?;
    gpu::perform(this, &call, |gpu, _| {
        gpu.graphs.added(&gpu.model, graph, work)
    })
}

/// A kernel as a node, described so many bytes behind a place. The driver's description may name a function of a module, or
/// a kernel of a library instead.
pub(super) fn kernel(this: &Function, place: Untyped, offset: usize) -> Made {
    // SAFETY: called where both descriptions begin so.
    let mut parameters = unsafe { place.part::<KernelParameters>(offset) }.get()?;
    if parameters.function == 0 && this.runtime.is_none() {
        // SAFETY: the driver's description has this length.
        let DriverKernelParameters { kernel, .. } = unsafe { place.part(offset) }.get()?;
        parameters.function = kernel;
    }
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
    Ok((kind, Work::Nothing))
}

/// A function of the program as a node.
pub(super) fn host(HostParameters { function, data }: HostParameters) -> Made {
    // SAFETY: the API documents the two to belong together.
    let host = unsafe { HostFunction::at(function, data) }.ok_or(Code::INVALID_VALUE)?;
    let kind = NodeKind::Host {
        function: host.address(),
    };
    Ok((kind, Work::Host(host)))
}

/// A graph as a node of another.
pub(super) fn child(child: u64) -> Made {
    let program = Program::of(gpu::lock().graph(child)?).ok_or(Code::INVALID_VALUE)?;
    let kind = NodeKind::ChildGraph {
        graph: GraphId(child),
    };
    Ok((kind, Work::Graph(Arc::new(program))))
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
    let made = Ok((kind, Work::Allocate(memory)));
    add(this, out, graph, after, made)?;
    parameters.set(AllocationParameters { address, ..wanted });
    Ok(())
}

/// A fill as a node.
pub(super) fn fill(parameters: MemsetParameters) -> Made {
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
    Ok((fill.node(), Work::Fill(fill)))
}

/// A copy as a node.
pub(super) fn copy(transfer: Transfer) -> Made {
    transfer.check()?;
    Ok((transfer.node(), Work::Copy(transfer)))
}

/// How an allocation was asked for.
pub(super) fn allocation(memory: &GraphMemory) -> AllocationParameters {
    AllocationParameters {
        pool: PoolProperties::on(memory.device()),
        pool_rest: [0; 9],
        access: 0,
        access_count: 0,
        bytes: length(memory.bytes()),
        address: memory.address(),
    }
}

/// Adds a graph inside a graph, a copy of which then stands for the node's own.
pub(super) fn add_child(
    this: &Function,
    out: Out<u64>,
    graph: u64,
    after: After,
    embedded: u64,
) -> Result<(), Code> {
    let node = add_node(this, graph, after, child(embedded))?;
    gpu::lock().graphs.embed(node, embedded)?;
    user_object::share(embedded, graph);
    out.put(node)
}

/// The record of an event as a node.
pub(super) fn record(event: u64) -> (NodeKind, Work) {
    let kind = NodeKind::EventRecord {
        event: EventId(event),
    };
    (kind, Work::RecordEvent(event))
}

/// The wait for an event as a node.
pub(super) fn wait(event: u64) -> (NodeKind, Work) {
    let kind = NodeKind::EventWait {
        event: EventId(event),
    };
    (kind, Work::AwaitEvent(event))
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
