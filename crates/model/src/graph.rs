//! Graphs: nodes and what they depend on.

use crate::NodeKind;

/// A node's place in its graph, in the order of capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeIndex(pub u32);

/// One node of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it does.
    pub kind: NodeKind,
    /// The nodes it waits for, ascending; all come before it.
    pub dependencies: Vec<NodeIndex>,
}

/// A graph (`cudaGraph_t`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    nodes: Vec<Node>,
}

impl Graph {
    /// The nodes, in the order of capture.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}
