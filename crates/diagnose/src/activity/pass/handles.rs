//! Which capture a handle stands for.

use cgsan_model::{Call, CaptureId, ExecId, GraphId};
use rustc_hash::FxHashMap;

use crate::history::History;

/// The captures by the handles of their graphs, which are used again.
#[derive(Debug)]
pub(super) struct Handles {
    captures: FxHashMap<CaptureId, usize>,
    graphs: FxHashMap<GraphId, usize>,
    execs: FxHashMap<ExecId, usize>,
}

impl Handles {
    pub(super) fn new(history: &History<'_>) -> Handles {
        let captures = history.captures.iter().enumerate();
        Handles {
            captures: captures
                .filter_map(|(index, run)| Some((run.id?, index)))
                .collect(),
            graphs: FxHashMap::default(),
            execs: FxHashMap::default(),
        }
    }

    pub(super) fn of_capture(&self, id: CaptureId) -> Option<usize> {
        self.captures.get(&id).copied()
    }

    pub(super) fn of_exec(&self, exec: ExecId) -> Option<usize> {
        self.execs.get(&exec).copied()
    }

    /// A capture has ended with a graph.
    pub(super) fn captured(&mut self, graph: GraphId, capture: usize) {
        self.graphs.insert(graph, capture);
    }

    /// A call has succeeded.
    pub(super) fn see(&mut self, call: &Call) {
        match call {
            Call::GraphInstantiate { graph, exec, .. } => match self.graphs.get(graph) {
                Some(index) => {
                    self.execs.insert(*exec, *index);
                }
                None => {
                    self.execs.remove(exec);
                }
            },
            Call::GraphExecUpdate { exec, graph } => {
                if let Some(index) = self.graphs.get(graph) {
                    self.execs.insert(*exec, *index);
                }
            }
            Call::GraphExecDestroy { exec } => {
                self.execs.remove(exec);
            }
            _ => {}
        }
    }
}
