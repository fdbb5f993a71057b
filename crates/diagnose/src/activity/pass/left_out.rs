//! Operators that ran beside a capture instead of in it.

use super::Pass;
use crate::activity::harm::Harm;
use crate::activity::memory::BlockId;

/// Operators that ran during captures outside of them.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    /// The capture, the operator, and what it touched.
    operators: Vec<(usize, usize, Vec<BlockId>)>,
}

impl Pass<'_, '_> {
    /// An operator runs during a capture of its thread and is not part of it.
    pub(super) fn left_out(&mut self, index: usize, touched: &[(BlockId, bool)]) {
        let operation = &self.activity.operations[index];
        if operation.work == 0 || self.captures.running.is_empty() {
            return;
        }
        let graph = self.capture_of_thread(operation.thread, operation.position);
        if let Some(graph) = graph {
            let blocks = touched.iter().map(|(block, _)| *block).collect();
            self.left_out.operators.push((graph, index, blocks));
        }
    }

    /// A capture has ended: what was left out of it matters if it shares data with it, or if nothing else was done.
    pub(super) fn judge_left_out(&mut self, graph: usize) {
        let (left_out, others) = std::mem::take(&mut self.left_out.operators)
            .into_iter()
            .partition(|it: &(usize, usize, Vec<BlockId>)| it.0 == graph);
        self.left_out.operators = others;
        let run = &self.history.captures[graph];
        if run.ended_badly() || run.broken_by().is_some() || run.left_by.is_some() {
            // What made it fail is another matter.
            return;
        }
        for (_, operation, blocks) in left_out {
            let accesses = &self.activity.graphs[graph].accesses;
            let shared = accesses.iter().find(|it| blocks.contains(&it.block));
            let block = shared.map(|access| access.block);
            if block.is_some() || accesses.is_empty() {
                self.found(graph, None, Harm::LeftOut { operation, block });
            }
        }
    }
}
