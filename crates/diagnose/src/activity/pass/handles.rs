//! Which capture a handle stands for.

use cgsan_model::{Call, CaptureId, ExecId, GraphId};
use rustc_hash::FxHashMap;

use crate::history::History;

/// The captures by the handles of their graphs, which are used again.
#[derive(Debug)]
pub(super) struct Handles {
    by_capture: FxHashMap<CaptureId, usize>,
    by_graph: FxHashMap<GraphId, usize>,
    by_exec: FxHashMap<ExecId, usize>,
}

impl Handles {
    pub(super) fn new(history: &History<'_>) -> Handles {
        let captures = history.captures.iter().enumerate();
        Handles {
            by_capture: captures
                .filter_map(|(index, run)| Some((run.id?, index)))
                .collect(),
            by_graph: FxHashMap::default(),
            by_exec: FxHashMap::default(),
        }
    }

    pub(super) fn of_capture(&self, id: CaptureId) -> Option<usize> {
        self.by_capture.get(&id).copied()
    }

    pub(super) fn of_exec(&self, exec: ExecId) -> Option<usize> {
        self.by_exec.get(&exec).copied()
    }

    /// A capture has ended with a graph.
    pub(super) fn captured(&mut self, graph: GraphId, capture: usize) {
        self.by_graph.insert(graph, capture);
    }

    /// A call has succeeded.
    pub(super) fn see(&mut self, call: &Call) {
        match call {
            Call::GraphInstantiate { graph, exec, .. } => match self.by_graph.get(graph) {
                Some(index) => {
                    self.by_exec.insert(*exec, *index);
                }
                None => {
                    self.by_exec.remove(exec);
                }
            },
            Call::GraphExecUpdate { exec, graph } => {
                if let Some(index) = self.by_graph.get(graph) {
                    self.by_exec.insert(*exec, *index);
                }
            }
            Call::GraphExecDestroy { exec } => {
                self.by_exec.remove(exec);
            }
            _ => {}
        }
    }
}
