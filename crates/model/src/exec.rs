//! Executable graphs.

use crate::{Graph, GraphId};

/// An executable graph (`cudaGraphExec_t`).
#[derive(Clone, Debug)]
pub struct Exec {
    source: GraphId,
    graph: Graph,
}

impl Exec {
    /// The graph it was instantiated from. The graph may be gone: an executable is independent of it.
    pub fn source(&self) -> GraphId {
        self.source
    }

    /// What a launch runs: the graph as instantiated, or as last updated.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }
}
