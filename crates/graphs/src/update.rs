//! Whether an executable graph can be updated to another graph (`cudaGraphExecUpdate`), as far as the graphs say what decides it.

use cgsan_finding::{Direction, GraphNode, Parameters, kinds};
use cgsan_model::{
    CopyKind, EventId, FunctionId, GraphId, HostMemory, Node, NodeIndex, NodeKind, Obstacle,
    Update, UpdateResult,
};

use crate::{Difference, Graph};

/// What an update of an executable graph comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The executable takes over what has changed.
    Accepted,
    /// It stays as it was.
    Refused(Refused),
    /// The graphs do not say what decides it.
    Unknown {
        /// What is missing.
        reason: String,
    },
}

/// Why an update is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The failure mode.
    pub id: &'static str,
    /// The driver's result (`cudaGraphExecUpdateResult`).
    pub result: &'static str,
    /// Why, in words.
    pub reason: String,
    /// The first node in the way, of the old graph.
    pub old: Option<usize>,
    /// The first node in the way, of the new graph.
    pub new: Option<usize>,
}

/// The verdict on two graphs that differ so. The driver's rules are the model's.
pub(crate) fn verdict(old: &Graph, new: &Graph, difference: &Difference) -> Verdict {
    for (whose, graph) in [("old", old), ("new", new)] {
        if let Some(why) = graph.unfinished {
            return unknown(format!("the {whose} graph is not whole: {why}"));
        }
    }
    let update = Update::of(&modelled(&old.nodes), &modelled(&new.nodes));
    match update.obstacle {
        // Counts decide, whatever else is not known.
        Some(Obstacle::Nodes) => Verdict::Refused(other_count(old, new, difference)),
        Some(Obstacle::Ends) => Verdict::Refused(Refused {
            id: "CG601",
            result: name(update.result),
            reason: "nothing waits for some nodes, whose number differs".to_owned(),
            old: None,
            new: None,
        }),
        _ => match undecided(old, new) {
            Some(reason) => unknown(reason),
            None => decided(old, new, update),
        },
    }
}

fn unknown(reason: String) -> Verdict {
    Verdict::Unknown { reason }
}

/// What is not known, and decides.
fn undecided(old: &Graph, new: &Graph) -> Option<String> {
    for (whose, graph) in [("old", old), ("new", new)] {
        let nodes = || graph.nodes.iter().enumerate();
        let joins = nodes().find(|(_, node)| node.depends_on.len() > 1);
        if let Some((place, _)) = joins.filter(|_| !graph.is_in_order) {
            let alike = if kinds_of(old) == kinds_of(new) {
                "the nodes are equally many of each kind"
            } else {
                "it is refused: the number of nodes of some kind differs"
            };
            return Some(format!(
                "{alike}; the driver pairs nodes in the order in which dependencies were made, which the {whose} file does not have \
                 for node {place}"
            ));
        }
        if let Some((place, node)) = nodes().find(|(_, node)| lacks(node)) {
            return Some(format!(
                "what the {whose} graph's node {place}, `{}`, does is unknown",
                node.kind
            ));
        }
    }
    None
}

fn kinds_of(graph: &Graph) -> Vec<(&'static str, usize)> {
    let mut kinds = kinds(&graph.nodes);
    kinds.sort_unstable();
    kinds
}

/// Whether nothing says of a node what the driver looks at.
fn lacks(node: &GraphNode) -> bool {
    match node.kind {
        "memcpy" | "memset" => node.parameters.is_none(),
        "child_graph" | "conditional" | "other" => true,
        _ => false,
    }
}

/// That one graph has more nodes; the first that only one of them has is in the way.
fn other_count(old: &Graph, new: &Graph, difference: &Difference) -> Refused {
    Refused {
        id: "CG601",
        result: name(UpdateResult::TopologyChanged),
        reason: format!(
            "the new graph has {} nodes, the executable {}; an update adds and removes none",
            new.nodes.len(),
            old.nodes.len()
        ),
        old: difference.removed.first().copied(),
        new: difference.added.first().copied(),
    }
}

fn decided(old: &Graph, new: &Graph, update: Update) -> Verdict {
    let (id, (from, to), reason) = match update.obstacle {
        None => return Verdict::Accepted,
        Some(Obstacle::Dependencies(from, to)) => {
            let waits = |graph: &Graph, node| at(graph, node).map_or(0, |it| it.depends_on.len());
            let (before, now) = (waits(old, from), waits(new, to));
            let reason = format!(
                "the driver pairs them, and they wait for {before} and {now} other nodes"
            );
            ("CG601", (from, to), reason)
        }
        Some(Obstacle::Pairing(from, to)) => (
            "CG601",
            (from, to),
            "the driver would pair them, and one of them is already paired with another: edges, or their order, differ"
                .to_owned(),
        ),
        Some(Obstacle::Kind(from, to)) => {
            let kind = |graph: &Graph, node| at(graph, node).map_or("", |it| it.kind);
            let (before, now) = (kind(old, from), kind(new, to));
            let reason = format!("the driver pairs them, and they are a {before} and a {now}");
            ("CG602", (from, to), reason)
        }
        Some(Obstacle::Parameters(from, to)) => {
            let what = match at(old, from).map(|it| it.kind) {
                Some("memset") => "only one of these fills has rows",
                _ => "the direction of this copy changes",
            };
            ("CG603", (from, to), what.to_owned())
        }
        // Graphs within are nowhere known, and counts were looked at before.
        Some(Obstacle::Nodes | Obstacle::Ends | Obstacle::Within) => {
            return unknown("the graphs differ in a way that they do not describe".to_owned());
        }
    };
    Verdict::Refused(Refused {
        id,
        result: name(update.result),
        reason,
        old: Some(from.0 as usize),
        new: Some(to.0 as usize),
    })
}

fn at(graph: &Graph, node: NodeIndex) -> Option<&GraphNode> {
    graph.nodes.get(node.0 as usize)
}

/// The results as CUDA names them.
fn name(result: UpdateResult) -> &'static str {
    match result {
        UpdateResult::Success => "cudaGraphExecUpdateSuccess",
        UpdateResult::Error => "cudaGraphExecUpdateError",
        UpdateResult::TopologyChanged => "cudaGraphExecUpdateErrorTopologyChanged",
        UpdateResult::NodeTypeChanged => "cudaGraphExecUpdateErrorNodeTypeChanged",
        UpdateResult::FunctionChanged => "cudaGraphExecUpdateErrorFunctionChanged",
        UpdateResult::ParametersChanged => "cudaGraphExecUpdateErrorParametersChanged",
        UpdateResult::NotSupported => "cudaGraphExecUpdateErrorNotSupported",
    }
}

/// A graph as the model knows it. What an update may change is left at zero.
fn modelled(nodes: &[GraphNode]) -> cgsan_model::Graph {
    let node = |node: &GraphNode| Node {
        kind: kind(node),
        dependencies: node.depends_on.iter().copied().map(NodeIndex).collect(),
    };
    nodes.iter().map(node).collect()
}

fn kind(node: &GraphNode) -> NodeKind {
    match (node.kind, node.parameters) {
        ("kernel", _) => NodeKind::Kernel {
            function: FunctionId(0),
            grid: [1; 3],
            block: [1; 3],
            shared: 0,
        },
        ("memcpy", parameters) => NodeKind::Memcpy {
            kind: copy_kind(parameters),
            dst: 0,
            src: 0,
            bytes: 1,
        },
        ("memset", Some(Parameters::Fill { rows, bytes, .. })) if rows > 1 => {
            NodeKind::MemsetRows {
                dst: 0,
                value: 0,
                width: bytes,
                rows,
            }
        }
        ("memset", _) => NodeKind::Memset {
            dst: 0,
            value: 0,
            bytes: 1,
        },
        ("host", _) => NodeKind::Host { function: 0 },
        ("mem_alloc", _) => NodeKind::MemAlloc {
            address: 0,
            bytes: 1,
        },
        ("mem_free", _) => NodeKind::MemFree { address: 0 },
        ("child_graph", _) => NodeKind::ChildGraph { graph: GraphId(0) },
        ("event_record", _) => NodeKind::EventRecord { event: EventId(0) },
        ("event_wait", _) => NodeKind::EventWait { event: EventId(0) },
        ("batch_mem_op", _) => NodeKind::BatchMemOp,
        ("conditional", _) => NodeKind::Conditional,
        _ => NodeKind::Empty,
    }
}

/// How the host's side was allocated makes no difference to an update.
fn copy_kind(parameters: Option<Parameters>) -> CopyKind {
    let Some(Parameters::Copy { direction, .. }) = parameters else {
        return CopyKind::DeviceToDevice;
    };
    match direction {
        Direction::HostToDevice => CopyKind::HostToDevice(HostMemory::Pinned),
        Direction::DeviceToHost => CopyKind::DeviceToHost(HostMemory::Pinned),
        Direction::DeviceToDevice => CopyKind::DeviceToDevice,
        Direction::BetweenDevices => CopyKind::BetweenDevices,
        Direction::HostToHost => CopyKind::HostToHost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::difference;
    use crate::testing::{graph, kernel, launched, line, nodes, other};

    fn copy(direction: Direction) -> GraphNode {
        let bytes = 4;
        other("memcpy", Some(Parameters::Copy { direction, bytes }))
    }

    fn refused(old: &Graph, new: &Graph) -> (&'static str, Option<usize>, Option<usize>) {
        match difference(old, new).update {
            Verdict::Refused(it) => (it.id, it.old, it.new),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn sizes_and_kernels_may_change() {
        let old = graph(vec![launched("mm", 8, &[])]);
        let new = graph(vec![launched("add", 9, &[])]);
        assert_eq!(difference(&old, &new).update, Verdict::Accepted);
    }

    #[test]
    fn the_number_of_nodes_the_kind_and_the_direction_may_not() {
        let (old, new) = (line(&["mm", "relu"]), line(&["mm", "add", "relu"]));
        assert_eq!(refused(&old, &new), ("CG601", None, Some(1)));
        let fill = other(
            "memset",
            Some(Parameters::Fill {
                value: 0,
                bytes: 4,
                rows: 1,
            }),
        );
        let (old, new) = (
            vec![kernel("mm", &[]), fill],
            vec![kernel("mm", &[]), kernel("add", &[])],
        );
        assert_eq!(
            refused(&graph(old), &graph(new)),
            ("CG602", Some(1), Some(1))
        );
        let (old, new) = (copy(Direction::HostToDevice), copy(Direction::DeviceToHost));
        assert_eq!(
            refused(&graph(vec![old]), &graph(vec![new])),
            ("CG603", Some(0), Some(0))
        );
    }

    #[test]
    fn edges_may_not() {
        let line = graph(nodes(&[&[], &[0], &[1], &[2]]));
        let fork = graph(nodes(&[&[], &[0], &[0], &[1, 2]]));
        assert_eq!(refused(&line, &fork), ("CG601", Some(3), Some(3)));
    }

    #[test]
    fn what_is_not_known_is_said() {
        let unknown = |old: &Graph, new: &Graph| match difference(old, new).update {
            Verdict::Unknown { reason } => reason,
            other => panic!("{other:?}"),
        };
        let fork = graph(nodes(&[&[], &[0], &[0], &[1, 2]]));
        let file = Graph {
            is_in_order: false,
            ..fork.clone()
        };
        assert!(unknown(&fork, &file).contains("the new file does not have for node 3"));
        let failed = Graph {
            unfinished: Some("its capture failed"),
            ..fork.clone()
        };
        assert!(unknown(&failed, &fork).contains("its capture failed"));
        let child = graph(vec![other("child_graph", None)]);
        assert!(unknown(&child, &child).contains("node 0, `child_graph`"));
    }

    #[test]
    fn a_count_decides_whatever_else_is_not_known() {
        let file = Graph {
            is_in_order: false,
            ..graph(nodes(&[&[], &[0], &[0], &[1, 2]]))
        };
        assert_eq!(refused(&file, &line(&["add"])).0, "CG601");
    }
}
