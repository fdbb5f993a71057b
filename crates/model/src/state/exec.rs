//! Executable graphs.

use std::sync::Arc;

use super::{graph::Serial, memory::Footprint, registry::Registry};
use crate::{EventId, ExecId, Graph, GraphId};

/// An executable graph (`cudaGraphExec_t`).
#[derive(Clone, Debug)]
pub struct Exec {
    pub(crate) source: GraphId,
    pub(crate) serial: Serial,
    /// The graph it was instantiated from, of which it is a copy however it was updated.
    pub(crate) original: Serial,
    pub(crate) graph: Arc<Graph>,
    pub(crate) footprint: Footprint,
    /// The events that a launch records.
    pub(crate) recorded_events: Vec<EventId>,
    pub(crate) auto_free: bool,
}

impl Exec {
    /// The graph it was instantiated or last updated from. That may be gone: an executable lives on without it.
    pub fn source(&self) -> GraphId {
        self.source
    }

    /// What a launch runs.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }
}

pub(crate) type Execs = Registry<ExecId, Exec>;
