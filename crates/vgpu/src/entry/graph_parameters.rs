//! What the nodes of a graph were made with.

use cgsan_model::{Code, NodeKind};

use super::copy::Memcpy3D;
use super::graph_build::{self, AllocationParameters, HostParameters, MemsetParameters};
use crate::ffi::{Out, entry};
use crate::gpu;
use crate::gpu::work::Work;
use crate::graph::Node;
use crate::memory::backing::length;
use crate::memory::{Transfer, copy_3d};

entry! {
    /// Writes what a node copies.
    fn cudaGraphMemcpyNodeGetParams(_this, node: u64, out: Out<Memcpy3D>) {
        out.put(Memcpy3D::of(&of_node(node, copy)?))
    }

    /// Writes what a node copies.
    fn cuGraphMemcpyNodeGetParams(_this, node: u64, out: Out<copy_3d::Parameters>) {
        out.put(copy_3d::Parameters::of(&of_node(node, copy)?))
    }

    /// Writes what a node fills.
    fn cudaGraphMemsetNodeGetParams, cuGraphMemsetNodeGetParams(_this, node: u64, out: Out<MemsetParameters>) {
        out.put(of_node(node, fill)?)
    }

    /// Writes which function of the program a node calls.
    fn cudaGraphHostNodeGetParams, cuGraphHostNodeGetParams(_this, node: u64, out: Out<HostParameters>) {
        out.put(of_node(node, host)?)
    }

    /// Writes which event a node records.
    fn cudaGraphEventRecordNodeGetEvent, cuGraphEventRecordNodeGetEvent(_this, node: u64, out: Out<u64>) {
        let event = of_node(node, |node| match node.kind {
            NodeKind::EventRecord { event } => Some(event.0),
            _ => None,
        })?;
        out.put(event)
    }

    /// Writes which event a node waits for.
    fn cudaGraphEventWaitNodeGetEvent, cuGraphEventWaitNodeGetEvent(_this, node: u64, out: Out<u64>) {
        let event = of_node(node, |node| match node.kind {
            NodeKind::EventWait { event } => Some(event.0),
            _ => None,
        })?;
        out.put(event)
    }

    /// Writes a node's own graph.
    fn cudaGraphChildGraphNodeGetGraph, cuGraphChildGraphNodeGetGraph(_this, node: u64, out: Out<u64>) {
        out.put(gpu::lock().graphs.embedded(node)?)
    }

    /// Writes what a node allocates, and where.
    fn cudaGraphMemAllocNodeGetParams, cuGraphMemAllocNodeGetParams(
        _this, node: u64, out: Out<AllocationParameters>,
    ) {
        let parameters = of_node(node, |node| match &node.work {
            Work::Allocate(memory) => Some(graph_build::allocation(memory)),
            _ => None,
        })?;
        out.put(parameters)
    }

    /// Writes what a node frees.
    fn cudaGraphMemFreeNodeGetParams, cuGraphMemFreeNodeGetParams(_this, node: u64, out: Out<u64>) {
        let address = of_node(node, |node| match node.kind {
            NodeKind::MemFree { address } => Some(address),
            _ => None,
        })?;
        out.put(address)
    }
}

/// What a node tells, if it is of the kind that was asked for.
fn of_node<T>(node: u64, tell: impl FnOnce(&Node) -> Option<T>) -> Result<T, Code> {
    let gpu = gpu::lock();
    let (graph, place) = gpu.graphs.node(node)?;
    tell(&gpu.graphs.graph(graph)?.nodes()[place]).ok_or(Code::INVALID_VALUE)
}

fn copy(node: &Node) -> Option<Transfer> {
    match &node.work {
        Work::Copy(transfer) => Some(*transfer),
        _ => None,
    }
}

fn fill(node: &Node) -> Option<MemsetParameters> {
    let Work::Fill(fill) = &node.work else {
        return None;
    };
    let (start, pitch, value, element, width, height) = fill.parts();
    Some(MemsetParameters {
        start,
        pitch: length(pitch),
        value,
        element: element.into(),
        width: length(width),
        height: length(height),
    })
}

fn host(node: &Node) -> Option<HostParameters> {
    match &node.work {
        Work::Host(function) => Some(HostParameters {
            function: std::ptr::with_exposed_provenance(usize::try_from(function.address()).ok()?),
            data: function.data(),
        }),
        _ => None,
    }
}
