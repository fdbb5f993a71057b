//! Graphs that a program builds by hand, also while a capture adds to them. What is removed from a graph, and edges that are
//! added later, are no matter to a capture, and are not watched.
#![expect(unsafe_code, reason = "reads the parameters that CUPTI describes")]

use cgsan_model::{Call, EventId, FunctionId, GraphId, NodeKind};

use super::shape::{
    AddNode, AddNodeBehindEdges, AddNodeOf, AllocationNode, Conditional, KernelNode, MemsetNode,
    NodeParameters, Planes,
};
use super::work::{fill, planes};
use super::{Function, Site, functions};
use crate::foreign::Pointer;
use crate::graph_nodes;

pub(super) const FUNCTIONS: &[Function] = functions! {
    Always 526 cuGraphAddEmptyNode(site, p: AddNode) => add(site, p, NodeKind::Empty);
    Always 502 cuGraphAddKernelNode(site, p: AddNodeOf<Pointer<KernelNode>>) => add(site, &p.node, kernel(site, p.what));
    Always 689 cuGraphAddKernelNode_v2(site, p: AddNodeOf<Pointer<KernelNode>>) => add(site, &p.node, kernel(site, p.what));
    Always 504 cuGraphAddMemcpyNode(site, p: AddNodeOf<Pointer<Planes>>) => add(site, &p.node, planes(site, p.what));
    Always 506 cuGraphAddMemsetNode(site, p: AddNodeOf<Pointer<MemsetNode>>) => add(site, &p.node, memset(site, p.what));
    Always 530 cuGraphAddHostNode(site, p: AddNodeOf<Pointer<u64>>) => add(site, &p.node, host(site, p.what));
    Always 525 cuGraphAddChildGraphNode(site, p: AddNodeOf<u64>) => add(site, &p.node, NodeKind::ChildGraph { graph: GraphId(p.what) });
    Always 589 cuGraphAddEventRecordNode(site, p: AddNodeOf<u64>) => add(site, &p.node, NodeKind::EventRecord { event: EventId(p.what) });
    Always 590 cuGraphAddEventWaitNode(site, p: AddNodeOf<u64>) => add(site, &p.node, NodeKind::EventWait { event: EventId(p.what) });
    Always 638 cuGraphAddMemAllocNode(site, p: AddNodeOf<Pointer<AllocationNode>>) => add(site, &p.node, allocation(site, p.what));
    Always 639 cuGraphAddMemFreeNode(site, p: AddNodeOf<u64>) => add(site, &p.node, NodeKind::MemFree { address: p.what });
    Always 669 cuGraphAddBatchMemOpNode(site, p: AddNode) => add(site, p, NodeKind::BatchMemOp);
    // Of the semaphores the model knows nothing.
    Always 618 cuGraphAddExternalSemaphoresSignalNode(site, p: AddNode) => add(site, p, NodeKind::Empty);
    Always 621 cuGraphAddExternalSemaphoresWaitNode(site, p: AddNode) => add(site, p, NodeKind::Empty);
    Always 712 cuGraphAddNode(site, p: AddNodeOf<Pointer<NodeParameters>>) => add(site, &p.node, any(site, p.what));
    Always 723 cuGraphAddNode_v2(site, p: AddNodeBehindEdges) => {
        let AddNodeBehindEdges { out, graph, after, count, what, .. } = *p;
        add(site, &AddNode { out, graph, after, count }, any(site, what))
    };
};

fn add(site: &Site, p: &AddNode, node: NodeKind) -> Call {
    let dependencies = graph_nodes::places(p.graph, &site.list(p.after, p.count));
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

/// The graphs that the node runs which a call has added, if it is a conditional one: the driver makes them.
pub fn bodies(function: &Function, site: &Site) -> Vec<Call> {
    let (graph, parameters) = match function.id {
        712 => {
            // SAFETY: the header declares parameters of this shape for the function of this number.
            let p = unsafe { site.parameters::<AddNodeOf<Pointer<NodeParameters>>>() };
            (p.node.graph, p.what)
        }
        723 => {
            // SAFETY: as above.
            let p = unsafe { site.parameters::<AddNodeBehindEdges>() };
            (p.graph, p.what)
        }
        _ => return Vec::new(),
    };
    let head = site.passed(parameters).filter(|it| it.kind == CONDITIONAL);
    let conditional: Option<Conditional> =
        head.and_then(|_| site.passed(parameters.behind(size_of::<NodeParameters>())));
    let bodies = conditional.map(|it| site.list(it.graphs, it.size as usize));
    let stream = graph_nodes::capturing_into(graph);
    bodies
        .into_iter()
        .flatten()
        .map(|body| {
            let body = GraphId(body);
            match stream {
                Some(stream) => Call::CaptureBody { stream, body },
                None => Call::GraphBody {
                    graph: GraphId(graph),
                    body,
                },
            }
        })
        .collect()
}

/// `CU_GRAPH_NODE_TYPE_CONDITIONAL`.
const CONDITIONAL: u32 = 13;

fn kernel(site: &Site, parameters: Pointer<KernelNode>) -> NodeKind {
    site.passed(parameters)
        .map_or(NodeKind::Empty, |kernel| NodeKind::Kernel {
            function: FunctionId(kernel.function),
            grid: kernel.grid,
            block: kernel.block,
            shared: kernel.shared,
        })
}

fn memset(site: &Site, parameters: Pointer<MemsetNode>) -> NodeKind {
    site.passed(parameters).map_or(NodeKind::Empty, |p| {
        fill(
            p.to,
            p.value,
            p.width.saturating_mul(p.height),
            p.size.into(),
        )
    })
}

fn host(site: &Site, function: Pointer<u64>) -> NodeKind {
    // The structure begins with the function.
    site.passed(function)
        .map_or(NodeKind::Empty, |function| NodeKind::Host { function })
}

fn allocation(site: &Site, parameters: Pointer<AllocationNode>) -> NodeKind {
    site.passed(parameters)
        .map_or(NodeKind::Empty, |p| NodeKind::MemAlloc {
            address: p.address,
            bytes: p.bytes,
        })
}

/// A node of any kind (`CUgraphNodeParams`).
fn any(site: &Site, parameters: Pointer<NodeParameters>) -> NodeKind {
    /// Before a copy: two numbers, and a context.
    const BEFORE_COPY: usize = 16;
    let Some(head) = site.passed(parameters) else {
        return NodeKind::Empty;
    };
    let head_size = size_of::<NodeParameters>();
    // For some kinds, a handle or an address is first.
    let first = || {
        site.passed(parameters.behind(head_size))
            .unwrap_or_default()
    };
    match head.kind {
        0 => kernel(site, parameters.behind(head_size)),
        1 => planes(site, parameters.behind(head_size + BEFORE_COPY)),
        2 => memset(site, parameters.behind(head_size)),
        3 => host(site, parameters.behind(head_size)),
        4 => NodeKind::ChildGraph {
            graph: GraphId(first()),
        },
        6 => NodeKind::EventWait {
            event: EventId(first()),
        },
        7 => NodeKind::EventRecord {
            event: EventId(first()),
        },
        10 => allocation(site, parameters.behind(head_size)),
        11 => NodeKind::MemFree { address: first() },
        12 => NodeKind::BatchMemOp,
        CONDITIONAL => NodeKind::Conditional,
        _ => NodeKind::Empty,
    }
}
