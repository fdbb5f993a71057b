//! Operators that ran beside a capture instead of in it.

use rustc_hash::FxHashMap;

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
        let (left_out, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.left_out.operators)
            .into_iter()
            .partition(|it| it.0 == graph);
        self.left_out.operators = others;
        let run = &self.history.captures[graph];
        if run.ended_badly() || run.broken_by().is_some() || run.left_by.is_some() {
            // What made it fail is another matter.
            return;
        }
        if left_out.is_empty() {
            return;
        }
        let mut first: FxHashMap<BlockId, usize> = FxHashMap::default();
        for (place, access) in self.activity.graphs[graph].accesses.iter().enumerate() {
            first.entry(access.block).or_insert(place);
        }
        for (_, operation, blocks) in left_out {
            let shared = blocks.into_iter().filter(|it| first.contains_key(it));
            let block = shared.min_by_key(|it| first.get(it));
            if block.is_some() || first.is_empty() {
                self.found(graph, None, Harm::LeftOut { operation, block });
            }
        }
    }
}
