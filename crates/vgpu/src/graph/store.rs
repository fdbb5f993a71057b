//! The graphs that exist, also while captures add to them, and the executable ones.

use std::collections::BTreeSet;
use std::sync::Arc;

use cgsan_model::{Capture, CaptureId, CaptureState, Code, GraphId, Model, NodeKind};
use rustc_hash::FxHashMap;

use super::{Graph, Node, Program};
use crate::gpu::attributes::Attributes;
use crate::gpu::computation::Computation;
use crate::gpu::handle;
use crate::gpu::work::Work;

/// An executable graph.
#[derive(Clone, Debug)]
pub struct Executable {
    /// What a launch runs.
    pub program: Arc<Program>,
    /// The flags it was instantiated with.
    pub flags: u64,
    /// What it was instantiated from, and became by updates; `None` if an update came from a graph of another shape, whose
    /// nodes have no counterparts by place.
    pub source: Option<Graph>,
    /// The nodes that are turned off.
    pub disabled: BTreeSet<u64>,
}

impl Executable {
    /// A graph as it is now, to be launched; `None` if its dependencies run in a circle.
    pub fn of(graph: &Graph, flags: u64) -> Option<Executable> {
        Some(Executable {
            program: Arc::new(Program::of(graph)?),
            flags,
            source: Some(graph.clone()),
            disabled: BTreeSet::new(),
        })
    }

    /// The place of a node that it was instantiated from. The graph's own handles name it.
    fn place(&self, node: u64) -> Result<usize, Code> {
        let source = self.source.as_ref().ok_or(Code::NOT_SUPPORTED)?;
        source.place(node)
    }

    /// Makes the program anew.
    fn renew(&mut self) -> Result<(), Code> {
        let mut source = self.source.clone().ok_or(Code::NOT_SUPPORTED)?;
        for node in &self.disabled {
            let place = source.place(*node)?;
            source.replace(place, NodeKind::Empty, Work::Nothing);
        }
        self.program = Arc::new(Program::of(&source).ok_or(Code::INVALID_VALUE)?);
        Ok(())
    }
}

/// The graphs that exist, also while captures add to them, and the executable ones.
#[derive(Debug, Default)]
pub struct Graphs {
    existing: FxHashMap<u64, Graph>,
    executables: FxHashMap<u64, Executable>,
    /// The graphs that captures add to, and the captures that add to graphs.
    targets: FxHashMap<CaptureId, u64>,
    captures: FxHashMap<u64, CaptureId>,
    /// The graph that a node belongs to.
    owners: FxHashMap<u64, u64>,
    /// The graphs inside graphs, by the nodes that they belong to. The model has none of them, so that nothing can be added
    /// to one: what the node does was fixed when it was made.
    embedded: FxHashMap<u64, u64>,
    made: u64,
}

impl Graphs {
    /// A capture begins. Its graph's handle is fixed now, so that it can be asked for before the capture ends.
    pub fn begin_capture(&mut self, capture: CaptureId) {
        let graph = handle::fresh();
        self.insert(graph);
        self.begin_capture_to(capture, graph);
    }

    /// A capture begins that adds to a graph.
    pub fn begin_capture_to(&mut self, capture: CaptureId, graph: u64) {
        self.targets.insert(capture, graph);
        self.captures.insert(graph, capture);
    }

    /// A capture recorded work as its newest node.
    pub fn captured(&mut self, model: &Model, capture: CaptureId, work: Work) {
        if let Some(graph) = self.captured_so_far(model, capture) {
            graph.set_newest_work(work);
        }
    }

    /// The graph that a capture adds to, with all nodes that it has by now.
    fn captured_so_far(&mut self, model: &Model, capture: CaptureId) -> Option<&mut Graph> {
        let graph = self.target(capture)?;
        self.catch_up(model, graph);
        self.existing.get_mut(&graph)
    }

    /// The newest nodes of a capture, so many of them, have their values computed when the last of them runs.
    pub fn compute_newest(
        &mut self,
        model: &Model,
        capture: CaptureId,
        count: usize,
        computation: Computation,
    ) {
        if let Some(graph) = self.captured_so_far(model, capture) {
            graph.set_newest_values(count, computation);
        }
    }

    /// The newest node of a capture, a kernel, has these attributes.
    pub fn give_newest(&mut self, model: &Model, capture: CaptureId, attributes: &Attributes) {
        if let Some(graph) = self.captured_so_far(model, capture) {
            graph.give_newest(attributes);
        }
    }

    /// What a capture records has this function called at each launch, before it.
    pub fn call_at_launches(&mut self, capture: CaptureId, function: Computation) {
        let graph = self.target(capture);
        if let Some(graph) = graph.and_then(|graph| self.existing.get_mut(&graph)) {
            graph.at_launch.push(function);
        }
    }

    /// The graph that a capture adds to.
    pub fn target(&self, capture: CaptureId) -> Option<u64> {
        self.targets.get(&capture).copied()
    }

    /// The capture that makes a graph, which becomes a graph of the model's only when the capture ends.
    pub fn maker(&self, model: &Model, graph: u64) -> Option<CaptureId> {
        let capture = self.captures.get(&graph).copied();
        capture.filter(|_| model.graph(GraphId(graph)).is_none())
    }

    /// Takes over the nodes of a graph that the model has and that are not known here.
    pub fn catch_up(&mut self, model: &Model, graph: u64) {
        let recorded = match self.captures.get(&graph) {
            Some(capture) => model.capture(*capture).map(Capture::nodes),
            None => model.nodes(GraphId(graph)),
        };
        let Some(known) = self.existing.get_mut(&graph) else {
            return;
        };
        let new = recorded.and_then(|nodes| nodes.get(known.nodes().len()..));
        for node in new.unwrap_or_default() {
            let added = known.push(node.kind.clone(), Work::Nothing, &node.dependencies);
            self.owners.insert(added, graph);
        }
    }

    /// A capture may have ended: its graph is the model's graph of that handle, or there is none.
    pub fn settle(&mut self, model: &Model, capture: CaptureId) {
        let state = model.capture(capture).map(Capture::state);
        if let Some(CaptureState::Active | CaptureState::Invalidated) = state {
            return;
        }
        let Some(graph) = self.targets.remove(&capture) else {
            return;
        };
        self.captures.remove(&graph);
        if model.graph(GraphId(graph)).is_some() {
            self.catch_up(model, graph);
        } else {
            self.remove(graph);
        }
    }

    /// Adds a graph without nodes.
    pub fn insert(&mut self, graph: u64) {
        self.made += 1;
        self.existing.insert(graph, Graph::new(self.made));
    }

    /// Copies a graph under another handle, with nodes of its own.
    pub fn clone_graph(&mut self, graph: u64, clone: u64) -> Result<(), Code> {
        let copy = self.graph(graph)?.copied(self.made + 1);
        self.made += 1;
        for node in copy.nodes() {
            self.owners.insert(node.handle, clone);
        }
        self.existing.insert(clone, copy);
        Ok(())
    }

    /// A node runs what another graph does now: a copy of that becomes the node's own.
    pub fn embed(&mut self, node: u64, graph: u64) -> Result<(), Code> {
        let copy = handle::fresh();
        self.clone_graph(graph, copy)?;
        if let Some(before) = self.embedded.insert(node, copy) {
            self.remove(before);
        }
        Ok(())
    }

    /// A node's own graph.
    pub fn embedded(&self, node: u64) -> Result<u64, Code> {
        self.embedded.get(&node).copied().ok_or(Code::INVALID_VALUE)
    }

    /// Whether a graph is a node's own.
    pub fn is_embedded(&self, graph: u64) -> bool {
        self.embedded.values().any(|embedded| *embedded == graph)
    }

    /// Whether a graph could take the place of a node's own.
    pub fn is_shaped_like_embedded(&self, graph: u64, node: u64) -> Result<bool, Code> {
        let embedded = self.graph(self.embedded(node)?)?;
        Ok(self.graph(graph)?.is_shaped_like(embedded))
    }

    /// A graph.
    pub fn graph(&self, graph: u64) -> Result<&Graph, Code> {
        self.existing.get(&graph).ok_or(Code::INVALID_VALUE)
    }

    /// A graph, to be changed.
    pub fn graph_mut(&mut self, graph: u64) -> Result<&mut Graph, Code> {
        self.existing.get_mut(&graph).ok_or(Code::INVALID_VALUE)
    }

    /// The model added a node to a graph, which does this when the graph runs. Returns its handle.
    pub fn added(&mut self, model: &Model, graph: u64, work: Work) -> Result<u64, Code> {
        self.catch_up(model, graph);
        let graph = self.graph_mut(graph)?;
        graph.set_newest_work(work);
        graph
            .nodes()
            .last()
            .map(|node| node.handle)
            .ok_or(Code::UNKNOWN)
    }

    /// Removes a node, and with it that others waited for it.
    pub fn remove_node(&mut self, node: u64) -> Result<(), Code> {
        let (graph, place) = self.node(node)?;
        self.owners.remove(&node);
        if let Some(embedded) = self.embedded.remove(&node) {
            self.remove(embedded);
        }
        self.graph_mut(graph)?.remove(place);
        Ok(())
    }

    /// Removes a graph, and those that only its nodes have.
    pub fn remove(&mut self, graph: u64) {
        let Some(removed) = self.existing.remove(&graph) else {
            return;
        };
        for node in removed.nodes() {
            self.owners.remove(&node.handle);
            if let Some(embedded) = self.embedded.remove(&node.handle) {
                self.remove(embedded);
            }
            if let Work::Conditional(bodies) = &node.work {
                bodies.iter().for_each(|body| self.remove(*body));
            }
        }
    }

    /// The graph that a node belongs to, and its place there.
    pub fn node(&self, node: u64) -> Result<(u64, usize), Code> {
        let owner = *self.owners.get(&node).ok_or(Code::INVALID_VALUE)?;
        Ok((owner, self.graph(owner)?.place(node)?))
    }

    /// Adds an executable graph.
    pub fn insert_executable(&mut self, handle: u64, executable: Executable) {
        self.executables.insert(handle, executable);
    }

    /// An executable graph.
    pub fn executable(&self, executable: u64) -> Result<&Executable, Code> {
        self.executables.get(&executable).ok_or(Code::INVALID_VALUE)
    }

    fn executable_mut(&mut self, executable: u64) -> Result<&mut Executable, Code> {
        let found = self.executables.get_mut(&executable);
        found.ok_or(Code::INVALID_VALUE)
    }

    /// Makes an executable graph run what a graph does now.
    pub fn update_executable(&mut self, executable: u64, graph: u64) -> Result<(), Code> {
        let graph = self.graph(graph)?.clone();
        let program = Program::of(&graph).ok_or(Code::INVALID_VALUE)?;
        let executable = self.executable_mut(executable)?;
        executable.source = executable
            .source
            .take()
            .filter(|source| source.is_shaped_like(&graph));
        if let Some(source) = &mut executable.source {
            source.become_like(&graph);
            return executable.renew();
        }
        executable.program = Arc::new(program);
        Ok(())
    }

    /// Makes an executable graph do something else for a node.
    pub fn replace_in_executable(
        &mut self,
        executable: u64,
        node: u64,
        made: impl FnOnce(&Node) -> Result<(NodeKind, Work), Code>,
    ) -> Result<(), Code> {
        let executable = self.executable_mut(executable)?;
        let place = executable.place(node)?;
        let source = executable.source.as_mut().ok_or(Code::NOT_SUPPORTED)?;
        let (kind, work) = made(&source.nodes()[place])?;
        source.replace(place, kind, work);
        executable.renew()
    }

    /// Turns a node of an executable graph on or off: kernels, copies and fills can be (CUDA runtime API,
    /// `cudaGraphNodeSetEnabled`).
    pub fn enable(&mut self, executable: u64, node: u64, enabled: bool) -> Result<(), Code> {
        self.is_enabled(executable, node)?;
        let executable = self.executable_mut(executable)?;
        if enabled {
            executable.disabled.remove(&node);
        } else {
            executable.disabled.insert(node);
        }
        executable.renew()
    }

    /// Whether a node of an executable graph is on.
    pub fn is_enabled(&self, executable: u64, node: u64) -> Result<bool, Code> {
        let executable = self.executable(executable)?;
        let place = executable.place(node)?;
        let nodes = executable.source.as_ref().map_or(&[][..], Graph::nodes);
        match nodes.get(place).map(|node| &node.kind) {
            Some(
                NodeKind::Kernel { .. }
                | NodeKind::Memcpy { .. }
                | NodeKind::Memset { .. }
                | NodeKind::MemsetRows { .. },
            ) => Ok(!executable.disabled.contains(&node)),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    /// Removes an executable graph.
    pub fn remove_executable(&mut self, executable: u64) {
        self.executables.remove(&executable);
    }
}
