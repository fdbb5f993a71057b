//! A graph: its nodes, by place and by handle.

use cgsan_model::{Code, NodeIndex, NodeKind};
use rustc_hash::FxHashMap;

use crate::gpu::attributes::Attributes;
use crate::gpu::computation::Computation;
use crate::gpu::handle;
use crate::gpu::work::Work;

/// A graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Its number, by which it names itself in print.
    pub number: u64,
    pub(super) nodes: Vec<Node>,
    /// What is called at each launch, before it.
    pub at_launch: Vec<Computation>,
    places: FxHashMap<u64, usize>,
}

/// Whether what a node should compute is computed.
#[derive(Clone, Debug, Default)]
pub enum Values {
    /// It is not.
    #[default]
    Missing,
    /// It is, with the values of a later node.
    Later,
    /// It is, by this.
    Here(Computation),
}

/// A node of a graph.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its handle (`cudaGraphNode_t`).
    pub handle: u64,
    /// What it does, as the model knows it.
    pub kind: NodeKind,
    /// What it does when the graph runs.
    pub work: Work,
    /// What computes, after that, what it and the nodes before it should have computed.
    pub values: Values,
    /// What a kernel was given besides its parameters.
    pub attributes: Attributes,
    /// The places of the nodes it waits for, ascending.
    pub dependencies: Vec<usize>,
}

impl Graph {
    /// A graph without nodes.
    pub fn new(number: u64) -> Graph {
        Graph {
            number,
            ..Graph::default()
        }
    }

    /// The nodes; a captured graph's come in the order of capture.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The places of the nodes in an order in which each comes after those it waits for; `None` if there is none.
    pub fn topological_order(&self) -> Option<Vec<usize>> {
        let mut waiting: Vec<usize> = self
            .nodes
            .iter()
            .map(|node| node.dependencies.len())
            .collect();
        let mut dependents = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            for dependency in &node.dependencies {
                dependents[*dependency].push(index);
            }
        }
        let mut order: Vec<usize> = (0..self.nodes.len())
            .filter(|index| waiting[*index] == 0)
            .collect();
        let mut next = 0;
        while let Some(index) = order.get(next).copied() {
            next += 1;
            for dependent in &dependents[index] {
                waiting[*dependent] -= 1;
                if waiting[*dependent] == 0 {
                    order.push(*dependent);
                }
            }
        }
        (order.len() == self.nodes.len()).then_some(order)
    }

    /// The edges as handles: from, to.
    pub fn edges(&self) -> Vec<(u64, u64)> {
        let mut edges = Vec::new();
        for node in &self.nodes {
            for dependency in &node.dependencies {
                edges.push((self.nodes[*dependency].handle, node.handle));
            }
        }
        edges
    }

    /// The place of a node.
    pub fn place(&self, node: u64) -> Result<usize, Code> {
        self.places.get(&node).copied().ok_or(Code::INVALID_VALUE)
    }

    /// The places of nodes, as the model names them.
    pub fn places(&self, nodes: &[u64]) -> Result<Vec<NodeIndex>, Code> {
        let index = |node: &u64| {
            let place = self.place(*node)?;
            u32::try_from(place)
                .map(NodeIndex)
                .map_err(|_| Code::INVALID_VALUE)
        };
        nodes.iter().map(index).collect()
    }

    /// Adds a node behind those at some places. Returns its handle.
    pub fn push(&mut self, kind: NodeKind, work: Work, after: &[NodeIndex]) -> u64 {
        let handle = handle::fresh();
        let mut dependencies: Vec<usize> = after.iter().map(|place| place.0 as usize).collect();
        dependencies.sort_unstable();
        dependencies.dedup();
        self.places.insert(handle, self.nodes.len());
        self.nodes.push(Node {
            handle,
            kind,
            work,
            values: Values::Missing,
            attributes: Attributes::default(),
            dependencies,
        });
        handle
    }

    /// Says what the newest node does when the graph runs.
    pub fn set_newest_work(&mut self, work: Work) {
        if let Some(newest) = self.nodes.last_mut() {
            newest.work = work;
        }
    }

    /// Gives the newest node attributes.
    pub fn give_newest(&mut self, attributes: &Attributes) {
        if let Some(newest) = self.nodes.last_mut() {
            newest.attributes.take_over(attributes);
        }
    }

    /// The node at a place, to be changed.
    pub fn node_mut(&mut self, place: usize) -> Result<&mut Node, Code> {
        self.nodes.get_mut(place).ok_or(Code::INVALID_VALUE)
    }

    /// Makes the node at a place do something else.
    pub fn replace(&mut self, place: usize, kind: NodeKind, work: Work) {
        if let Some(node) = self.nodes.get_mut(place) {
            node.kind = kind;
            node.work = work;
            node.values = Values::Missing;
        }
    }

    /// Whether another graph has nodes of the same types in the same places, that wait for each other in the same way.
    pub fn is_shaped_like(&self, other: &Graph) -> bool {
        let shape = |node: &Node| {
            (
                std::mem::discriminant(&node.kind),
                node.dependencies.clone(),
            )
        };
        self.nodes
            .iter()
            .map(shape)
            .eq(other.nodes.iter().map(shape))
    }

    /// Takes over what the nodes of a graph of the same shape do; handles stay.
    pub fn become_like(&mut self, other: &Graph) {
        self.at_launch.clone_from(&other.at_launch);
        for (node, other) in self.nodes.iter_mut().zip(&other.nodes) {
            node.kind = other.kind.clone();
            node.work = other.work.clone();
            node.values = other.values.clone();
            node.attributes.clone_from(&other.attributes);
        }
    }

    /// Says what computes the values of the newest nodes, so many of them.
    pub fn set_newest_values(&mut self, count: usize, computation: Computation) {
        let first = self.nodes.len().saturating_sub(count);
        for node in &mut self.nodes[first..] {
            node.values = Values::Later;
        }
        if let Some(newest) = self.nodes[first..].last_mut() {
            newest.values = Values::Here(computation);
        }
    }

    /// Makes the node at one place wait for that at another too.
    pub fn link(&mut self, from: NodeIndex, to: NodeIndex) {
        if let Some(node) = self.nodes.get_mut(to.0 as usize)
            && let Err(place) = node.dependencies.binary_search(&(from.0 as usize))
        {
            node.dependencies.insert(place, from.0 as usize);
        }
    }

    /// Makes the node at one place no longer wait for that at another.
    pub fn unlink(&mut self, from: NodeIndex, to: NodeIndex) {
        if let Some(node) = self.nodes.get_mut(to.0 as usize) {
            node.dependencies.retain(|place| *place != from.0 as usize);
        }
    }

    /// Removes the node at a place, and with it that others waited for it; the nodes behind it move up.
    pub fn remove(&mut self, removed: usize) {
        if removed >= self.nodes.len() {
            return;
        }
        let node = self.nodes.remove(removed);
        self.places.remove(&node.handle);
        for (place, node) in self.nodes.iter_mut().enumerate().skip(removed) {
            self.places.insert(node.handle, place);
        }
        for node in &mut self.nodes {
            node.dependencies.retain(|place| *place != removed);
            for place in &mut node.dependencies {
                *place -= usize::from(*place > removed);
            }
        }
    }

    /// The same graph under another number, with nodes of its own.
    pub fn copied(&self, number: u64) -> Graph {
        let mut copy = Graph::new(number);
        copy.at_launch.clone_from(&self.at_launch);
        for node in &self.nodes {
            copy.push(node.kind.clone(), node.work.clone(), &[]);
        }
        for (copy, node) in copy.nodes.iter_mut().zip(&self.nodes) {
            copy.dependencies.clone_from(&node.dependencies);
            copy.values = node.values.clone();
            copy.attributes.clone_from(&node.attributes);
        }
        copy
    }
}
