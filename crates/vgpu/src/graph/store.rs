//! The graphs that exist, and those that captures are making.

use std::sync::Arc;

use cgsan_model::{CaptureId, CaptureState, Code, Model, NodeIndex, NodeKind};
use rustc_hash::FxHashMap;

use super::Program;
use crate::gpu::handle;
use crate::gpu::work::Work;

/// A node of a graph.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its handle (`cudaGraphNode_t`).
    pub handle: u64,
    /// What it does, as the model knows it.
    pub kind: NodeKind,
    /// What it does when the graph runs.
    pub work: Work,
    /// The places of the nodes it waits for, ascending.
    pub dependencies: Vec<usize>,
}

/// A graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Its number, by which it names itself in print.
    pub number: u64,
    /// Its nodes; a captured graph's come in the order of capture.
    pub nodes: Vec<Node>,
}

impl Graph {
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
        self.nodes
            .iter()
            .position(|candidate| candidate.handle == node)
            .ok_or(Code::INVALID_VALUE)
    }
}

/// The graph that a capture is making.
#[derive(Debug, Default)]
struct Capturing {
    graph: u64,
    /// The nodes that were recorded or asked for so far: their handles, and what they do.
    nodes: Vec<(u64, Work)>,
}

/// An executable graph.
#[derive(Clone, Debug)]
pub struct Executable {
    /// What a launch runs.
    pub program: Arc<Program>,
    /// The flags it was instantiated with.
    pub flags: u64,
}

/// The graphs that exist, and those that captures are making.
#[derive(Debug, Default)]
pub struct Graphs {
    existing: FxHashMap<u64, Graph>,
    executables: FxHashMap<u64, Executable>,
    capturing: FxHashMap<CaptureId, Capturing>,
    /// The graph that a node belongs to.
    owners: FxHashMap<u64, u64>,
    made: u64,
}

impl Graphs {
    /// A capture begins. Its graph's handle is fixed now, so that it can be asked for before the capture ends.
    pub fn begin_capture(&mut self, model: &Model, capture: CaptureId) {
        self.capturing.retain(|capture, _| {
            model
                .capture(*capture)
                .is_some_and(|capture| !matches!(capture.state(), CaptureState::Ended(_)))
        });
        let graph = handle::fresh();
        self.capturing.insert(
            capture,
            Capturing {
                graph,
                nodes: Vec::new(),
            },
        );
    }

    /// A capture recorded work as its newest node.
    pub fn captured(&mut self, model: &Model, capture: CaptureId, work: Work) {
        let Some(capturing) = self.capturing.get_mut(&capture) else {
            return;
        };
        capturing.name_nodes(model, capture);
        if let Some(newest) = capturing.nodes.last_mut() {
            newest.1 = work;
        }
    }

    /// The graph that a capture is making, and the handles of some of its nodes.
    pub fn capturing(
        &mut self,
        model: &Model,
        capture: CaptureId,
        nodes: &[NodeIndex],
    ) -> (u64, Vec<u64>) {
        let Some(capturing) = self.capturing.get_mut(&capture) else {
            return (0, Vec::new());
        };
        capturing.name_nodes(model, capture);
        let handles = nodes
            .iter()
            .filter_map(|index| Some(capturing.nodes.get(index.0 as usize)?.0))
            .collect();
        (capturing.graph, handles)
    }

    /// The places in a capture of the nodes with these handles; `None` if one of them names no node of it.
    pub fn captured_nodes(
        &mut self,
        model: &Model,
        capture: CaptureId,
        handles: &[u64],
    ) -> Option<Vec<NodeIndex>> {
        let capturing = self.capturing.get_mut(&capture)?;
        capturing.name_nodes(model, capture);
        let nodes = &capturing.nodes;
        handles
            .iter()
            .map(|handle| {
                let place = nodes.iter().position(|(node, _)| node == handle)?;
                u32::try_from(place).ok().map(NodeIndex)
            })
            .collect()
    }

    /// The handle that a capture's graph will have.
    pub fn graph_of(&self, capture: CaptureId) -> Option<u64> {
        self.capturing
            .get(&capture)
            .map(|capturing| capturing.graph)
    }

    /// A capture ended well: its graph is the model's graph of that handle.
    pub fn finish_capture(&mut self, model: &Model, graph: u64) {
        let recorded = model
            .graph(cgsan_model::GraphId(graph))
            .map_or(&[][..], |graph| graph.nodes());
        let capture = self
            .capturing
            .iter()
            .find(|(_, capturing)| capturing.graph == graph)
            .map(|(capture, _)| *capture);
        let mut captured = capture
            .and_then(|capture| self.capturing.remove(&capture))
            .unwrap_or_default()
            .nodes;
        captured.resize_with(recorded.len(), || (handle::fresh(), Work::Nothing));
        let nodes = recorded
            .iter()
            .zip(captured)
            .map(|(node, (handle, work))| Node {
                handle,
                kind: node.kind.clone(),
                work,
                dependencies: node
                    .dependencies
                    .iter()
                    .map(|dependency| dependency.0 as usize)
                    .collect(),
            })
            .collect();
        self.insert(graph, nodes);
    }

    /// Adds a graph.
    pub fn insert(&mut self, graph: u64, nodes: Vec<Node>) {
        for node in &nodes {
            self.owners.insert(node.handle, graph);
        }
        self.made += 1;
        let number = self.made;
        self.existing.insert(graph, Graph { number, nodes });
    }

    /// Adds a node to a graph.
    pub fn add_node(
        &mut self,
        graph: u64,
        dependencies: &[u64],
        kind: NodeKind,
        work: Work,
    ) -> Result<u64, Code> {
        let node = handle::fresh();
        let target = self.existing.get_mut(&graph).ok_or(Code::INVALID_VALUE)?;
        let mut places: Vec<usize> = dependencies
            .iter()
            .map(|dependency| target.place(*dependency))
            .collect::<Result<_, _>>()?;
        places.sort_unstable();
        places.dedup();
        target.nodes.push(Node {
            handle: node,
            kind,
            work,
            dependencies: places,
        });
        self.owners.insert(node, graph);
        Ok(node)
    }

    /// Copies a graph, with nodes of its own.
    pub fn clone_graph(&mut self, graph: u64) -> Result<u64, Code> {
        let mut nodes = self.graph(graph)?.nodes.clone();
        for node in &mut nodes {
            node.handle = handle::fresh();
        }
        let clone = handle::fresh();
        self.insert(clone, nodes);
        Ok(clone)
    }

    /// A graph.
    pub fn graph(&self, graph: u64) -> Result<&Graph, Code> {
        self.existing.get(&graph).ok_or(Code::INVALID_VALUE)
    }

    /// Makes nodes of a graph wait for others of it.
    pub fn add_dependencies(&mut self, graph: u64, from: &[u64], to: &[u64]) -> Result<(), Code> {
        let graph = self.existing.get_mut(&graph).ok_or(Code::INVALID_VALUE)?;
        for (from, to) in from.iter().zip(to) {
            let (from, to) = (graph.place(*from)?, graph.place(*to)?);
            let dependencies = &mut graph.nodes[to].dependencies;
            match dependencies.binary_search(&from) {
                Ok(_) => return Err(Code::INVALID_VALUE),
                Err(place) => dependencies.insert(place, from),
            }
        }
        Ok(())
    }

    /// Removes a node, and with it that others waited for it.
    pub fn remove_node(&mut self, node: u64) -> Result<(), Code> {
        let owner = self.owners.remove(&node).ok_or(Code::INVALID_VALUE)?;
        let graph = self.existing.get_mut(&owner).ok_or(Code::INVALID_VALUE)?;
        let removed = graph.place(node)?;
        graph.nodes.remove(removed);
        for node in &mut graph.nodes {
            node.dependencies.retain(|place| *place != removed);
            for place in &mut node.dependencies {
                *place -= usize::from(*place > removed);
            }
        }
        Ok(())
    }

    /// Removes a graph.
    pub fn remove(&mut self, graph: u64) {
        for node in self
            .existing
            .remove(&graph)
            .into_iter()
            .flat_map(|graph| graph.nodes)
        {
            self.owners.remove(&node.handle);
        }
    }

    /// The graph that a node belongs to, and its place there.
    pub fn node(&self, node: u64) -> Result<(&Graph, usize), Code> {
        let owner = self.owners.get(&node).ok_or(Code::INVALID_VALUE)?;
        let graph = self.graph(*owner)?;
        Ok((graph, graph.place(node)?))
    }

    /// Adds an executable graph.
    pub fn insert_executable(&mut self, handle: u64, executable: Executable) {
        self.executables.insert(handle, executable);
    }

    /// An executable graph.
    pub fn executable(&self, executable: u64) -> Result<&Executable, Code> {
        self.executables.get(&executable).ok_or(Code::INVALID_VALUE)
    }

    /// Replaces what an executable graph runs.
    pub fn update_executable(&mut self, executable: u64, program: Program) -> Result<(), Code> {
        let executable = self
            .executables
            .get_mut(&executable)
            .ok_or(Code::INVALID_VALUE)?;
        executable.program = Arc::new(program);
        Ok(())
    }

    /// Removes an executable graph.
    pub fn remove_executable(&mut self, executable: u64) {
        self.executables.remove(&executable);
    }
}

impl Capturing {
    /// Gives every node that the model recorded a handle.
    fn name_nodes(&mut self, model: &Model, capture: CaptureId) {
        if let Some(capture) = model.capture(capture) {
            self.nodes
                .resize_with(capture.nodes().len(), || (handle::fresh(), Work::Nothing));
        }
    }
}
