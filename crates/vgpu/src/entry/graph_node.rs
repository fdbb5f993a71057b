//! Adding a node of any kind with one function, among them those that choose what runs.
#![expect(unsafe_code, reason = "reads what the API promises of its parameters")]

use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

use cgsan_model::{Code, NodeKind};
use cgsan_observe::Plain;

use super::copy::Memcpy3D;
use super::graph::edges_carry_data;
use super::graph_build::{
    self, After, AllocationParameters, HostParameters, Made, MemsetParameters,
};
use crate::api::Function;
use crate::ffi::{In, InOut, Out, Untyped, entry};
use crate::gpu::work::Work;
use crate::gpu::{self, handle};
use crate::memory::copy_3d;

entry! {
    /// Adds a node: `fourth` is how many others it waits for, or from CUDA 13 on what is special about that, the rest
    /// following.
    fn cudaGraphAddNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, fourth: usize, fifth: usize, sixth: Untyped,
    ) {
        if edges_carry_data(this) {
            add(this, out, graph, After(after, fifth), Parameters(sixth))
        } else {
            // SAFETY: before CUDA 13, the fifth parameter is the pointer to the node's.
            let parameters = unsafe { Untyped::new(std::ptr::with_exposed_provenance_mut(fifth)) };
            add(this, out, graph, After(after, fourth), Parameters(parameters))
        }
    }

    /// Adds a node.
    fn cuGraphAddNode(
        this, out: Out<u64>, graph: u64, after: In<u64>, count: usize, parameters: Untyped,
    ) {
        add(this, out, graph, After(after, count), Parameters(parameters))
    }

    /// Adds a node that waits for others in the ordinary way.
    fn cudaGraphAddNode_v2, cuGraphAddNode_v2(
        this, out: Out<u64>, graph: u64, after: In<u64>, _data: *const c_void, count: usize, parameters: Untyped,
    ) {
        add(this, out, graph, After(after, count), Parameters(parameters))
    }

    /// Makes a handle for the value by which a node of the graph chooses.
    fn cudaGraphConditionalHandleCreate(_this, out: Out<u64>, graph: u64, _value: c_uint, _flags: c_uint) {
        gpu::lock().graph(graph)?;
        out.put(handle::fresh())
    }

    /// Makes a handle for the value by which a node of the graph chooses.
    fn cuGraphConditionalHandleCreate(
        _this, out: Out<u64>, graph: u64, _context: u64, _value: c_uint, _flags: c_uint,
    ) {
        gpu::lock().graph(graph)?;
        out.put(handle::fresh())
    }
}

/// `cudaGraphNodeParams`, `CUgraphNodeParams`: the kind, and what a node of that kind needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameters(pub Untyped);

/// Where a node's own parameters begin: behind the kind and three reserved numbers.
const OFFSET: usize = 16;

impl Parameters {
    /// `cudaGraphNodeType`.
    fn kind(self) -> Result<c_int, Code> {
        // SAFETY: the structure begins with the kind.
        unsafe { self.0.input() }.get()
    }

    /// What a node of its kind needs.
    ///
    /// # Safety
    ///
    /// A node of this kind needs a `T`.
    unsafe fn of<T: Plain>(self) -> InOut<T> {
        // SAFETY: by the contract of this function.
        unsafe { self.0.part(OFFSET) }
    }
}

/// `cudaMemcpyNodeParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct CopyParameters {
    flags: [c_int; 4],
    copy: Memcpy3D,
}

/// `CUDA_MEMCPY_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct DriverCopyParameters {
    flags: [c_int; 2],
    context: u64,
    copy: copy_3d::Parameters,
}

/// `cudaChildGraphNodeParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct ChildParameters {
    graph: u64,
    ownership: c_int,
}

/// `cudaConditionalNodeParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct ConditionalParameters {
    handle: u64,
    kind: c_int,
    size: c_uint,
    graphs: *const u64,
}

crate::ffi::plain! {
    CopyParameters { flags: [c_int; 4], copy: Memcpy3D }
    DriverCopyParameters { flags: [c_int; 2], context: u64, copy: copy_3d::Parameters }
    ChildParameters { graph: u64, ownership: c_int }
    ConditionalParameters { handle: u64, kind: c_int, size: c_uint, graphs: *const u64 }
}

fn add(
    this: &Function,
    out: Out<u64>,
    graph: u64,
    after: After,
    parameters: Parameters,
) -> Result<(), Code> {
    match parameters.kind()? {
        10 => {
            // SAFETY: the kind is that of such a node.
            let memory = unsafe { parameters.of::<AllocationParameters>() };
            graph_build::add_allocation(this, out, graph, after, memory)
        }
        13 => {
            // SAFETY: the kind is that of such a node.
            let parameters = unsafe { parameters.of() };
            add_conditional(this, out, graph, after, parameters)
        }
        4 => graph_build::add_child(this, out, graph, after, parameters.child()?),
        _ => graph_build::add(this, out, graph, after, parameters.made(this)),
    }
}

impl Parameters {
    /// The graph of a node that has one.
    fn child(self) -> Result<u64, Code> {
        // SAFETY: called where the kind is that of such a node.
        let child = unsafe { self.of::<ChildParameters>() }.get()?;
        if child.ownership == CLONE {
            Ok(child.graph)
        } else {
            Err(Code::NOT_SUPPORTED)
        }
    }

    /// The node that they describe, of a kind that the program can also change later, or that needs nothing of its own.
    pub(super) fn made(self, this: &Function) -> Made {
        // SAFETY: called for the kinds of nodes that need an event.
        let event = || unsafe { self.of::<u64>() }.get();
        match self.kind()? {
            0 => graph_build::kernel(this, self.0, OFFSET),
            1 if this.runtime.is_some() => {
                // SAFETY: the kind is that of such a node.
                let CopyParameters { copy, .. } = unsafe { self.of() }.get()?;
                graph_build::copy(copy.transfer()?)
            }
            1 => {
                // SAFETY: the kind is that of such a node.
                let DriverCopyParameters { copy, .. } = unsafe { self.of() }.get()?;
                graph_build::copy(copy.transfer()?)
            }
            // SAFETY: the kind is that of such a node.
            2 => graph_build::fill(unsafe { self.of::<MemsetParameters>() }.get()?),
            // SAFETY: the kind is that of such a node.
            3 => graph_build::host(unsafe { self.of::<HostParameters>() }.get()?),
            4 => graph_build::child(self.child()?),
            5 => Ok((NodeKind::Empty, Work::Nothing)),
            6 => Ok(graph_build::wait(event()?)),
            7 => Ok(graph_build::record(event()?)),
            11 => {
                // SAFETY: the kind is that of such a node.
                let address = unsafe { self.of::<u64>() }.get()?;
                Ok((NodeKind::MemFree { address }, Work::Free(address)))
            }
            _ => Err(Code::NOT_SUPPORTED),
        }
    }
}

/// `cudaGraphChildGraphOwnershipClone`.
const CLONE: c_int = 0;

/// Adds a node that chooses among graphs, which it makes: the program fills them.
fn add_conditional(
    this: &Function,
    out: Out<u64>,
    graph: u64,
    after: After,
    parameters: InOut<ConditionalParameters>,
) -> Result<(), Code> {
    let wanted = parameters.get()?;
    let is_possible = match wanted.kind {
        IF => (1..=2).contains(&wanted.size),
        WHILE => wanted.size == 1,
        SWITCH => wanted.size > 0,
        _ => false,
    };
    if wanted.handle == 0 || !is_possible {
        return Err(Code::INVALID_VALUE);
    }
    let bodies: Arc<[u64]> = (0..wanted.size).map(|_| handle::fresh()).collect();
    let work = Work::Conditional(Arc::clone(&bodies));
    let made = Ok((NodeKind::Conditional, work));
    graph_build::add(this, out, graph, after, made)?;
    for &body in &*bodies {
        let call = gpu::lock().body_of(graph, body);
        gpu::perform(this, &call, |gpu, _| {
            gpu.graphs.insert(body);
            Ok(())
        })?;
    }
    // The list lives as long as the node, which has a share of it.
    let graphs = bodies.as_ptr();
    parameters.set(ConditionalParameters { graphs, ..wanted });
    Ok(())
}

/// `cudaGraphConditionalNodeType`.
const IF: c_int = 0;
const WHILE: c_int = 1;
const SWITCH: c_int = 2;

#[cfg(test)]
mod tests {
    use super::{ChildParameters, ConditionalParameters, CopyParameters, DriverCopyParameters};

    #[test]
    fn the_parameters_are_laid_out_as_in_the_headers_of_cuda_12_and_13() {
        assert_eq!(size_of::<CopyParameters>(), 176);
        assert_eq!(size_of::<DriverCopyParameters>(), 216);
        assert_eq!(size_of::<ChildParameters>(), 16);
        assert_eq!(size_of::<ConditionalParameters>(), 24);
    }
}
