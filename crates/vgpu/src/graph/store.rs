//! The graphs that exist, and those that captures are making.

use std::sync::Arc;

use cgsan_model::{CaptureId, GraphId, Model, NodeKind};
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
    /// The places of the nodes it waits for.
    pub dependencies: Vec<usize>,
}

/// A graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Its nodes; a captured graph's come in the order of capture.
    pub nodes: Vec<Node>,
}

/// The graph that a capture is making.
#[derive(Debug, Default)]
struct Capturing {
    graph: u64,
    nodes: Vec<(u64, Work)>,
}

/// The graphs that exist, and those that captures are making.
#[derive(Debug, Default)]
pub struct Graphs {
    graphs: FxHashMap<u64, Graph>,
    executables: FxHashMap<u64, Arc<Program>>,
    capturing: FxHashMap<CaptureId, Capturing>,
    /// Which graph a node belongs to, and its place there.
    owners: FxHashMap<u64, (u64, usize)>,
}

impl Graphs {
    /// A capture begins; its graph's handle is fixed now, so that it can be asked for before the capture ends.
    pub fn begin_capture(&mut self, capture: CaptureId) {
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
        let Some(count) = model.capture(capture).map(|capture| capture.nodes().len()) else {
            return;
        };
        let nodes = &mut self.capturing.entry(capture).or_default().nodes;
        nodes.resize_with(count, || (handle::fresh(), Work::Nothing));
        if let Some(newest) = nodes.last_mut() {
            newest.1 = work;
        }
    }

    /// A graph.
    pub fn graph(&self, graph: GraphId) -> Option<&Graph> {
        self.graphs.get(&graph.0)
    }
}
