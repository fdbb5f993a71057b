//! Graphs within graphs: the copies that child nodes hold, and the bodies of conditional nodes.

use std::sync::Arc;

use super::graph::{Graph, Serial};
use crate::{GraphId, NodeIndex};

/// How deep graphs are kept within graphs. What lies deeper is taken to be alike.
pub(crate) const DEEPEST: usize = 16;

/// What a graph holds of others, by the node that holds it, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Nested {
    children: Vec<(NodeIndex, Child)>,
    bodies: Vec<(NodeIndex, Body)>,
    /// A conditional node was removed, whose condition is left without one.
    lost_condition: bool,
}

/// The copy of a graph that a child node holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Child {
    /// The graph it is a copy of; none if that is a copy itself, in the graph that this one's graph is a clone of.
    original: Option<Serial>,
    copy: Option<Arc<Graph>>,
    /// How many graphs lie within each other, the copy included.
    depth: usize,
    has_circle: bool,
    fits_a_body: bool,
}

/// A graph that a conditional node runs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Body {
    graph: GraphId,
    /// What was in it when the executable was made that this is part of.
    instantiated: Option<Arc<Graph>>,
}

impl Child {
    /// A copy of a graph as it is now.
    pub(crate) fn of(original: Serial, graph: Arc<Graph>) -> Child {
        let depth = 1 + graph.nested().map_or(0, Nested::depth);
        Child {
            original: Some(original),
            depth,
            has_circle: graph.has_circle(),
            fits_a_body: graph.fits_a_body(),
            copy: (depth <= DEEPEST).then_some(graph),
        }
    }

    /// The graph it is a copy of, if that may still be instantiated.
    pub(crate) fn original(&self) -> Option<Serial> {
        self.original
    }
}

impl Nested {
    /// The node holds a copy of another graph.
    pub(crate) fn add_child(&mut self, node: NodeIndex, child: Child) {
        self.children.push((node, child));
    }

    /// The node is conditional, and runs a graph.
    pub(crate) fn add_body(&mut self, node: NodeIndex, graph: GraphId) {
        let body = Body {
            graph,
            instantiated: None,
        };
        self.bodies.push((node, body));
    }

    /// The graphs that conditional nodes run.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = GraphId> {
        self.bodies.iter().map(|(_, body)| body.graph)
    }

    /// The graphs that the copies are of, as far as those may still be instantiated.
    pub(crate) fn originals(&self) -> impl Iterator<Item = Serial> {
        self.children.iter().filter_map(|(_, child)| child.original)
    }

    /// An executable is made, with what is in the bodies now.
    pub(crate) fn instantiate(&mut self, now: impl Fn(GraphId) -> Option<Arc<Graph>>) {
        for (_, body) in &mut self.bodies {
            body.instantiated = now(body.graph);
        }
    }

    /// What the graph's clone holds: copies of these copies.
    pub(crate) fn of_clone(&self) -> Nested {
        let mut nested = self.clone();
        for (_, child) in &mut nested.children {
            child.original = None;
        }
        nested
    }

    /// The graphs that a node holds; `None` for one that lies too deep.
    pub(crate) fn held_by(&self, node: NodeIndex) -> impl Iterator<Item = Option<&Graph>> {
        let children = of_node(&self.children, node).iter();
        let bodies = of_node(&self.bodies, node).iter();
        let copies = children.map(|(_, child)| child.copy.as_deref());
        copies.chain(bodies.map(|(_, body)| body.instantiated.as_deref()))
    }

    /// The copies that child nodes hold.
    pub(crate) fn copies(&self) -> impl Iterator<Item = &Graph> {
        let children = self.children.iter();
        children.filter_map(|(_, child)| child.copy.as_deref())
    }

    /// How many graphs lie within each other.
    fn depth(&self) -> usize {
        let depths = self.children.iter().map(|(_, child)| child.depth);
        depths.max().unwrap_or(0)
    }

    /// A node was removed, and those behind it moved up. Returns what it held.
    pub(crate) fn remove(&mut self, removed: NodeIndex) -> Nested {
        Nested {
            children: take(&mut self.children, removed),
            bodies: take(&mut self.bodies, removed),
            lost_condition: false,
        }
    }

    /// A conditional node was removed; its condition stays, with no node to decide about.
    pub(crate) fn lose_condition(&mut self) {
        self.lost_condition = true;
    }

    /// Whether a conditional node was removed.
    pub(crate) fn has_lost_condition(&self) -> bool {
        self.lost_condition
    }

    /// Whether nodes of a child wait for each other in a circle.
    pub(crate) fn has_circle(&self) -> bool {
        self.children.iter().any(|(_, child)| child.has_circle)
    }

    /// Whether every child may be in the body of a conditional node.
    pub(crate) fn fits_a_body(&self) -> bool {
        self.children.iter().all(|(_, child)| child.fits_a_body)
    }
}

/// What one node holds.
fn of_node<T>(held: &[(NodeIndex, T)], node: NodeIndex) -> &[(NodeIndex, T)] {
    let start = held.partition_point(|(holder, _)| *holder < node);
    let end = held.partition_point(|(holder, _)| *holder <= node);
    &held[start..end]
}

/// Take out what one node holds; the nodes behind it move up.
fn take<T>(held: &mut Vec<(NodeIndex, T)>, removed: NodeIndex) -> Vec<(NodeIndex, T)> {
    let taken = held.extract_if(.., |(node, _)| *node == removed).collect();
    for (node, _) in held {
        *node = node.moved_up(removed);
    }
    taken
}
