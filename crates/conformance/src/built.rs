//! The operations on graphs that a program builds by hand. `recorder/graphs.cpp` is the other half.

use cgsan_model::{
    Answer, Call, CopyKind, FunctionId, GraphId, Node, NodeIndex, NodeKind, ThreadId,
};

use crate::operations::{all, last, memset_rows};
use crate::player::Player;
use crate::recording::Op;

/// Make the call of an operation. `None` if it, or one of its arguments, is not known here.
pub fn answer(player: &mut Player, thread: ThreadId, op: &Op) -> Option<Answer> {
    let graph = player.graph(op.a0)?;
    match op.name.as_str() {
        "graph_add" => add(player, thread, op, graph),
        "graph_body" => add_to_body(player, thread, op, graph),
        "graph_clone" => {
            let clone = GraphId(player.new_handle());
            let answer = player
                .model
                .call(thread, &Call::GraphClone { graph, clone });
            if answer.code.is_success() {
                player.set_graph(op.a1, clone)?;
            }
            Some(answer)
        }
        _ => {
            let call = change(player.nodes(graph), graph, op)?;
            Some(player.model.call(thread, &call))
        }
    }
}

/// The call that changes edges, or removes a node.
fn change(nodes: &[Node], graph: GraphId, op: &Op) -> Option<Call> {
    let first = NodeIndex(0);
    let last = *last(nodes.len()).first()?;
    let call = match (op.name.as_str(), op.a1) {
        ("graph_link", 0) => link(graph, first, last),
        ("graph_link", 1) => link(graph, last, first),
        ("graph_link", 2) => link(graph, first, first),
        ("graph_unlink", 0) => {
            let (from, to) = first_edge(nodes)?;
            unlink(graph, from, to)
        }
        ("graph_unlink", 1) => unlink(graph, last, first),
        ("graph_remove_node", 0) => Call::GraphDestroyNode { graph, node: first },
        ("graph_remove_node", 1) => Call::GraphDestroyNode { graph, node: last },
        _ => return None,
    };
    Some(call)
}

fn link(graph: GraphId, from: NodeIndex, to: NodeIndex) -> Call {
    Call::GraphAddDependencies {
        graph,
        from: vec![from],
        to: vec![to],
    }
}

fn unlink(graph: GraphId, from: NodeIndex, to: NodeIndex) -> Call {
    Call::GraphRemoveDependencies {
        graph,
        from: vec![from],
        to: vec![to],
    }
}

/// The edge whose nodes have the lowest places, the one that is waited for first.
fn first_edge(nodes: &[Node]) -> Option<(NodeIndex, NodeIndex)> {
    (0..)
        .map(NodeIndex)
        .zip(nodes)
        .flat_map(|(to, node)| node.dependencies.iter().map(move |from| (*from, to)))
        .min()
}

/// The second argument is the kind of node, 16 × what it waits for, 64 × what it is about.
fn add(player: &mut Player, thread: ThreadId, op: &Op, graph: GraphId) -> Option<Answer> {
    let count = player.nodes(graph).len();
    let dependencies = match op.a1 / 16 % 4 {
        0 => Vec::new(),
        1 => last(count),
        2 => all(count),
        _ => return None,
    };
    let call = Call::GraphAddNode {
        graph,
        node: node(player, op)?,
        dependencies,
    };
    let answer = player.model.call(thread, &call);
    keep_allocation(player, op, &answer)?;
    Some(answer)
}

/// A conditional node, and a node in the graph that it runs: the same arguments.
fn add_to_body(player: &mut Player, thread: ThreadId, op: &Op, graph: GraphId) -> Option<Answer> {
    let node = node(player, op)?;
    let conditional = Call::GraphAddNode {
        graph,
        node: NodeKind::Conditional,
        dependencies: Vec::new(),
    };
    let answer = player.model.call(thread, &conditional);
    if !answer.code.is_success() {
        return Some(answer);
    }
    let body = GraphId(player.new_handle());
    let _ = player.model.call(thread, &Call::GraphBody { graph, body });
    let call = Call::GraphAddNode {
        graph: body,
        node,
        dependencies: Vec::new(),
    };
    let answer = player.model.call(thread, &call);
    keep_allocation(player, op, &answer)?;
    Some(answer)
}

/// What a new node is.
fn node(player: &mut Player, op: &Op) -> Option<NodeKind> {
    let which = op.a1 / 64;
    let address = op.extra.as_u64();
    let node = match op.a1 % 16 {
        0 => NodeKind::Empty,
        1 => NodeKind::Kernel {
            function: FunctionId(1),
            grid: [1; 3],
            block: [1; 3],
            shared: 0,
        },
        2 => fill(),
        3 => memset_rows(),
        4 => NodeKind::Host { function: 1 },
        5 => NodeKind::ChildGraph {
            graph: player.graph(which)?,
        },
        6 => NodeKind::EventRecord {
            event: player.event(which)?,
        },
        7 => NodeKind::EventWait {
            event: player.event(which)?,
        },
        8 => NodeKind::MemAlloc {
            address: address.unwrap_or_else(|| player.new_handle()),
            bytes: 4096,
        },
        9 => NodeKind::MemFree {
            address: address.or(*player.allocated(which)?).unwrap_or(0),
        },
        10 => NodeKind::Conditional,
        11 | 12 => NodeKind::Memcpy {
            kind: CopyKind::DeviceToDevice,
            dst: 1,
            src: 2,
            bytes: 64,
        },
        _ => return None,
    };
    Some(node)
}

fn fill() -> NodeKind {
    NodeKind::Memset {
        dst: 1,
        value: 0,
        bytes: 32,
    }
}

fn keep_allocation(player: &mut Player, op: &Op, answer: &Answer) -> Option<()> {
    if op.a1 % 16 == 8 && answer.code.is_success() {
        *player.allocated(op.a1 / 64)? = op.extra.as_u64();
    }
    Some(())
}
