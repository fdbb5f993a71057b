//! Graphs that a program builds by hand, also while a capture adds to them. What is removed from a graph, and edges that are
//! added later, are no matter to a capture, and are not watched.
#![expect(unsafe_code, reason = "reads the parameters that CUPTI describes")]

use cgsan_model::{Call, EventId, FunctionId, GraphId, NodeKind};

use super::shape::{
    AddNode, AddNodeBehindEdges, AddNodeOf, AllocationNode, KernelNode, MemsetNode, NodeParameters,
    Planes,
};
use super::work::{fill, planes};
use super::{Function, Site, functions};
use crate::graph_nodes;

pub(super) const FUNCTIONS: &[Function] = functions! {
    Always 526 cuGraphAddEmptyNode(_, p: AddNode) => add(p, NodeKind::Empty);
    Always 502 cuGraphAddKernelNode(_, p: AddNodeOf<*const KernelNode>) => add(&p.node, kernel(p.what));
    Always 689 cuGraphAddKernelNode_v2(_, p: AddNodeOf<*const KernelNode>) => add(&p.node, kernel(p.what));
    Always 504 cuGraphAddMemcpyNode(_, p: AddNodeOf<*const Planes>) => add(&p.node, planes(p.what));
    Always 506 cuGraphAddMemsetNode(_, p: AddNodeOf<*const MemsetNode>) => add(&p.node, memset(p.what));
    Always 530 cuGraphAddHostNode(_, p: AddNodeOf<*const u64>) => add(&p.node, host(p.what));
    Always 525 cuGraphAddChildGraphNode(_, p: AddNodeOf<u64>) => add(&p.node, NodeKind::ChildGraph { graph: GraphId(p.what) });
    Always 589 cuGraphAddEventRecordNode(_, p: AddNodeOf<u64>) => add(&p.node, NodeKind::EventRecord { event: EventId(p.what) });
    Always 590 cuGraphAddEventWaitNode(_, p: AddNodeOf<u64>) => add(&p.node, NodeKind::EventWait { event: EventId(p.what) });
    Always 638 cuGraphAddMemAllocNode(_, p: AddNodeOf<*const AllocationNode>) => add(&p.node, allocation(p.what));
    Always 639 cuGraphAddMemFreeNode(_, p: AddNodeOf<u64>) => add(&p.node, NodeKind::MemFree { address: p.what });
    Always 669 cuGraphAddBatchMemOpNode(_, p: AddNode) => add(p, NodeKind::BatchMemOp);
    // Of the semaphores the model knows nothing.
    Always 618 cuGraphAddExternalSemaphoresSignalNode(_, p: AddNode) => add(p, NodeKind::Empty);
    Always 621 cuGraphAddExternalSemaphoresWaitNode(_, p: AddNode) => add(p, NodeKind::Empty);
    Always 712 cuGraphAddNode(_, p: AddNodeOf<*const NodeParameters>) => add(&p.node, any(p.what));
    Always 723 cuGraphAddNode_v2(_, p: AddNodeBehindEdges) => {
        let AddNodeBehindEdges { out, graph, after, count, what, .. } = *p;
        add(&AddNode { out, graph, after, count }, any(what))
    };
};

fn add(p: &AddNode, node: NodeKind) -> Call {
    // SAFETY: the driver has read so many handles there.
    let dependencies = graph_nodes::places(p.graph, unsafe { Site::list(p.after, p.count) });
    match graph_nodes::capturing_into(p.graph) {
        Some(stream) => Call::CaptureAddNode {
            stream,
            node,
            dependencies,
        },
        None => Call::GraphAddNode {
            graph: GraphId(p.graph),
            node,
            dependencies,
        },
    }
}

fn kernel(parameters: *const KernelNode) -> NodeKind {
    // SAFETY: the driver has read the structure.
    unsafe { Site::passed(parameters) }.map_or(NodeKind::Empty, |kernel| NodeKind::Kernel {
        function: FunctionId(kernel.function),
        grid: kernel.grid,
        block: kernel.block,
        shared: kernel.shared,
    })
}

fn memset(parameters: *const MemsetNode) -> NodeKind {
    // SAFETY: the driver has read the structure.
    unsafe { Site::passed(parameters) }.map_or(NodeKind::Empty, |p| {
        fill(
            p.to,
            p.value,
            p.width.saturating_mul(p.height),
            p.size.into(),
        )
    })
}

fn host(function: *const u64) -> NodeKind {
    // SAFETY: the driver has read a structure that begins with the function.
    unsafe { Site::passed(function) }
        .map_or(NodeKind::Empty, |function| NodeKind::Host { function })
}

fn allocation(parameters: *const AllocationNode) -> NodeKind {
    // SAFETY: the driver has read the structure, and put the address there.
    unsafe { Site::passed(parameters) }.map_or(NodeKind::Empty, |p| NodeKind::MemAlloc {
        address: p.address,
        bytes: p.bytes,
    })
}

/// A node of any kind (`CUgraphNodeParams`).
fn any(parameters: *const NodeParameters) -> NodeKind {
    /// Before a copy: two numbers, and a context.
    const BEFORE_COPY: usize = 16;
    // SAFETY: the driver has read the structure, which begins with the kind.
    let Some(head) = (unsafe { Site::passed(parameters) }) else {
        return NodeKind::Empty;
    };
    let what = parameters.wrapping_add(1);
    // SAFETY: for these kinds, a handle or an address is first.
    let first = || unsafe { Site::passed(what.cast::<u64>()) }.unwrap_or_default();
    match head.kind {
        0 => kernel(what.cast()),
        1 => planes(what.wrapping_byte_add(BEFORE_COPY).cast()),
        2 => memset(what.cast()),
        3 => host(what.cast()),
        4 => NodeKind::ChildGraph {
            graph: GraphId(first()),
        },
        6 => NodeKind::EventWait {
            event: EventId(first()),
        },
        7 => NodeKind::EventRecord {
            event: EventId(first()),
        },
        10 => allocation(what.cast()),
        11 => NodeKind::MemFree { address: first() },
        12 => NodeKind::BatchMemOp,
        13 => NodeKind::Conditional,
        _ => NodeKind::Empty,
    }
}
