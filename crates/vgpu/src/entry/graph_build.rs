//! Building graphs node by node.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

use cgsan_model::{Code, EventId, FunctionId, GraphId, NodeKind};

use super::copy::Memcpy3D;
use super::graph::edges_carry_data;
use super::launch::Dimensions;
use crate::ffi::{In, Out, entry};
use crate::gpu::work::{HostFunction, Work};
use crate::gpu::{self};
use crate::graph::Program;
use crate::memory::{Fill, GraphMemory, Transfer};
use crate::module;

/// The nodes that a new node waits for, as C passes them.
#[derive(Clone, Copy)]
struct After(In<u64>, usize);

entry! {
    /// Adds a node that does nothing.
    fn cudaGraphAddEmptyNode, cuGraphAddEmptyNode(
        _this, out: Out<u64>, graph: u64, after: In<u64>, count: usize,
    ) {
        add(out, graph, After(after, count), NodeKind::Empty, Work::Nothing)
    }

    /// Adds a kernel.
    fn cudaGraphAddKernelNode(
        _this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: In<KernelParameters>,
    ) {
        let KernelParameters { function, grid, block, shared, .. } = parameters.get()?;
        // `cudaErrorInvalidDeviceFunction`.
        let function = module::resolve(function).ok_or(Code(98))?;
        add(out, graph, After(after, count), kernel(function, grid, block, shared), Work::Nothing)
    }

    /// Adds a kernel.
    fn cuGraphAddKernelNode_v2(
        _this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: In<DriverKernelParameters>,
    ) {
        let DriverKernelParameters { function, grid, block, shared, .. } = parameters.get()?;
        let function = module::resolve(function).ok_or(Code::INVALID_VALUE)?;
        add(out, graph, After(after, count), kernel(function, grid, block, shared), Work::Nothing)
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
        _this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: In<MemsetParameters>,
    ) {
        add_fill(out, graph, After(after, count), parameters.get()?)
    }

    /// Adds a fill.
    fn cuGraphAddMemsetNode(
        _this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: In<MemsetParameters>,
        _context: u64,
    ) {
        add_fill(out, graph, After(after, count), parameters.get()?)
    }

    /// Adds a copy of consecutive bytes.
    fn cudaGraphAddMemcpyNode1D(
        _this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, to: u64, from: u64, bytes: usize,
        _direction: c_int,
    ) {
        add_copy(out, graph, After(after, count), Transfer::linear(to, from, bytes as u64))
    }

    /// Adds a copy.
    fn cudaGraphAddMemcpyNode(
        _this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: In<Memcpy3D>,
    ) {
        add_copy(out, graph, After(after, count), parameters.get()?.transfer()?)
    }

    /// Adds a function of the program.
    fn cudaGraphAddHostNode, cuGraphAddHostNode(
        _this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: In<HostParameters>,
    ) {
        let HostParameters { function, data } = parameters.get()?;
        let function = function.ok_or(Code::INVALID_VALUE)?;
        let kind = NodeKind::Host { function: function as usize as u64 };
        add(out, graph, After(after, count), kind, Work::Host(HostFunction { function, data }))
    }

    /// Adds a graph inside a graph: what it does now, whatever becomes of it.
    fn cudaGraphAddChildGraphNode, cuGraphAddChildGraphNode(
        _this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, child: u64,
    ) {
        let program = Program::of(gpu::lock().graphs.graph(child)?).ok_or(Code::INVALID_VALUE)?;
        let kind = NodeKind::ChildGraph { graph: GraphId(child) };
        add(out, graph, After(after, count), kind, Work::Graph(Arc::new(program)))
    }

    /// Adds the record of an event.
    fn cudaGraphAddEventRecordNode, cuGraphAddEventRecordNode(
        _this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, event: u64,
    ) {
        let kind = NodeKind::EventRecord { event: EventId(event) };
        add(out, graph, After(after, count), kind, Work::RecordEvent(event))
    }

    /// Adds the wait for an event.
    fn cudaGraphAddEventWaitNode, cuGraphAddEventWaitNode(
        _this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, event: u64,
    ) {
        let kind = NodeKind::EventWait { event: EventId(event) };
        add(out, graph, After(after, count), kind, Work::Nothing)
    }

    /// Adds an allocation, and says where it will be.
    fn cudaGraphAddMemAllocNode, cuGraphAddMemAllocNode(
        _this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: Out<AllocationParameters>,
    ) {
        let wanted = In(parameters.0.cast_const()).get()?;
        let bytes = wanted.bytes as u64;
        if bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let memory = Arc::new(GraphMemory::reserve(bytes)?);
        let address = memory.address();
        add(out, graph, After(after, count), NodeKind::MemAlloc { address, bytes }, Work::Allocate(memory))?;
        parameters.put(AllocationParameters { address, ..wanted })
    }

    /// Adds a free.
    fn cudaGraphAddMemFreeNode, cuGraphAddMemFreeNode(
        _this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, address: u64,
    ) {
        add(out, graph, After(after, count), NodeKind::MemFree { address }, Work::Free(address))
    }

    /// Makes nodes wait for others: `fourth` is how many, or from CUDA 13 on what is special about that, the number
    /// following.
    fn cudaGraphAddDependencies(
        this, graph: u64, from: In<u64>, to: In<u64>, fourth: *const c_void, fifth: usize,
    ) {
        let count = if edges_carry_data(this) { fifth } else { fourth.addr() };
        gpu::lock().graphs.add_dependencies(graph, &from.list(count)?, &to.list(count)?)
    }

    /// Makes nodes wait for others.
    fn cuGraphAddDependencies(_this, graph: u64, from: In<u64>, to: In<u64>, count: usize) {
        gpu::lock().graphs.add_dependencies(graph, &from.list(count)?, &to.list(count)?)
    }

    /// Makes nodes wait for others, in the ordinary way.
    fn cudaGraphAddDependencies_v2, cuGraphAddDependencies_v2(
        _this, graph: u64, from: In<u64>, to: In<u64>, _data: *const c_void, count: usize,
    ) {
        gpu::lock().graphs.add_dependencies(graph, &from.list(count)?, &to.list(count)?)
    }

    /// Removes a node.
    fn cudaGraphDestroyNode, cuGraphDestroyNode(_this, node: u64) {
        gpu::lock().graphs.remove_node(node)
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
    function: Option<extern "C-unwind" fn(*mut c_void)>,
    data: *mut c_void,
}

/// `cudaMemAllocNodeParams`, `CUDA_MEM_ALLOC_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AllocationParameters {
    pool: [u64; 11],
    access: u64,
    access_count: usize,
    bytes: usize,
    address: u64,
}

fn kernel(function: FunctionId, grid: Dimensions, block: Dimensions, shared: c_uint) -> NodeKind {
    NodeKind::Kernel {
        function,
        grid: grid.array(),
        block: block.array(),
        shared,
    }
}

fn kernel_of(node: u64) -> Result<(u64, Dimensions, Dimensions, c_uint), Code> {
    let gpu = gpu::lock();
    let (graph, place) = gpu.graphs.node(node)?;
    match &graph.nodes[place].kind {
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

fn add(
    out: Out<u64>,
    graph: u64,
    After(nodes, count): After,
    kind: NodeKind,
    work: Work,
) -> Result<(), Code> {
    let nodes = nodes.list(count)?;
    out.put(gpu::lock().graphs.add_node(graph, &nodes, kind, work)?)
}

fn add_fill(
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
    add(out, graph, after, fill.node(), Work::Fill(fill))
}

fn add_copy(out: Out<u64>, graph: u64, after: After, transfer: Transfer) -> Result<(), Code> {
    transfer.check()?;
    add(out, graph, after, transfer.node(), Work::Copy(transfer))
}

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
