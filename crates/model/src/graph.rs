//! Graphs: nodes and what they depend on.

use std::sync::Arc;

use crate::{
    Answer, Dependencies, GraphId, Model, NodeKind, Reason,
    answer::{Outcome, Refusal},
    registry::{Found, Registry},
};

/// A node's place in its graph, in the order of capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeIndex(pub u32);

impl NodeIndex {
    /// The place in a slice of all nodes.
    pub(crate) fn at(self) -> usize {
        self.0 as usize
    }
}

/// One node of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it does.
    pub kind: NodeKind,
    /// The nodes it waits for, in the order its stream came to wait for them; all come before it.
    pub dependencies: Dependencies,
}

/// A graph (`cudaGraph_t`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    nodes: Vec<Node>,
    touches_memory: bool,
}

impl Graph {
    pub(crate) fn new(nodes: Vec<Node>, touches_memory: bool) -> Graph {
        Graph {
            nodes,
            touches_memory,
        }
    }

    /// The nodes, in the order of capture.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Whether its capture was asked to allocate or free, which limits the graph to one executable at a time. A free
    /// that the capture refused counts too.
    pub(crate) fn touches_memory(&self) -> bool {
        self.touches_memory
    }
}

/// The graphs by handle.
#[derive(Debug, Default)]
pub(crate) struct Graphs {
    registry: Registry<GraphId, GraphState>,
    made: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct GraphState {
    pub(crate) graph: Arc<Graph>,
    pub(crate) serial: Serial,
    /// Whether the executable that was made of it last exists.
    pub(crate) in_use: bool,
}

impl GraphState {
    /// Whether no further executable can be made of the graph now.
    pub(crate) fn is_taken(&self) -> bool {
        self.in_use && self.graph.touches_memory()
    }
}

/// Tells graphs apart that had the same handle one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Serial(u64);

impl Graphs {
    pub(crate) fn add(&mut self, id: GraphId, graph: Graph) {
        self.made += 1;
        let state = GraphState {
            graph: Arc::new(graph),
            serial: Serial(self.made),
            in_use: false,
        };
        self.registry.create(id, state);
    }

    pub(crate) fn get(&self, id: GraphId) -> Option<&GraphState> {
        self.registry.get(&id)
    }

    pub(crate) fn get_mut(&mut self, id: GraphId) -> Option<&mut GraphState> {
        self.registry.get_mut(&id)
    }

    /// A graph to make something of. `None` if it was made before the model began to listen; a handle that is null or
    /// destroyed is refused (`u01_exec_update`).
    pub(crate) fn require(&self, id: GraphId) -> Result<Option<&GraphState>, Refusal> {
        match self.registry.find(&id) {
            Found::Live(state) => Ok(Some(state)),
            Found::Unannounced if id != GraphId(0) => Ok(None),
            Found::Unannounced | Found::Destroyed => Err(Reason::UnknownGraph.into()),
        }
    }
}

impl Model {
    pub(crate) fn graph_create(&mut self, graph: GraphId) -> Answer {
        self.graphs.add(graph, Graph::default());
        Answer::DONE
    }

    /// Graphs can be destroyed while anything captures, and while executables of them exist.
    pub(crate) fn graph_destroy(&mut self, graph: GraphId) -> Outcome {
        self.graphs.require(graph)?;
        self.graphs.registry.destroy(graph);
        Ok(Answer::DONE)
    }
}
