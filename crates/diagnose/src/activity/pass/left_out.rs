//! Operators that ran beside a capture instead of in it.

use rustc_hash::FxHashMap;

use super::Pass;
use crate::activity::harm::Harm;
use crate::activity::memory::BlockId;
use crate::activity::operation::Operation;

/// Operators that ran during captures outside of them.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    /// The capture, the operator, and what it touched.
    operators: Vec<(usize, usize, Vec<BlockId>)>,
    /// Operators of other threads, for each capture that ran.
    beside: Vec<Beside>,
    /// Operators that share nothing with the captured ones.
    pub(super) alone: Vec<NotRepeated>,
}

/// An operator that another thread ran during a capture.
#[derive(Debug)]
struct Beside {
    graph: usize,
    operation: usize,
    /// What it was computed from; known when the capture has ended.
    sources: Vec<BlockId>,
    /// What captured work reads of it; known then, too.
    result: Option<BlockId>,
}

/// An operator that the capturing thread ran beside its capture, and a block that it went on from.
#[derive(Debug)]
pub(super) struct NotRepeated {
    pub(super) graph: usize,
    pub(super) operation: usize,
    pub(super) block: BlockId,
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
        } else {
            let running = self.captures.running.iter();
            let beside = running.map(|graph| Beside {
                graph: *graph,
                operation: index,
                sources: Vec::new(),
                result: None,
            });
            self.left_out.beside.extend(beside);
        }
    }

    /// A capture has ended: of what other threads did beside it, that matters of which it reads a result.
    fn forget_unread(&mut self, graph: usize) {
        let operations = &self.activity.operations;
        let accesses = &self.activity.graphs[graph].accesses;
        let is_read = |block: BlockId, operation: usize| {
            let mut later = accesses.iter().filter(|it| it.operation > operation);
            later
                .find(|it| it.block == block)
                .is_some_and(|first| first.does.reads())
        };
        // What each block was computed from, over several operators.
        let mut computed_from: FxHashMap<BlockId, Vec<BlockId>> = FxHashMap::default();
        for beside in self
            .left_out
            .beside
            .iter_mut()
            .filter(|it| it.graph == graph)
        {
            let touched = &operations[beside.operation].touched;
            let read = touched.iter().filter(|(_, writes)| !writes);
            let sources = read.flat_map(|(block, _)| {
                let earlier = computed_from.get(block).cloned();
                earlier.unwrap_or_else(|| vec![*block])
            });
            beside.sources = sources.collect();
            let written = touched.iter().filter(|(_, writes)| *writes);
            for (block, _) in written {
                computed_from.insert(*block, beside.sources.clone());
                if is_read(*block, beside.operation) {
                    beside.result = Some(*block);
                }
            }
        }
        let beside = &mut self.left_out.beside;
        beside.retain(|it| it.graph != graph || it.result.is_some());
    }

    /// A replay reads what another thread computed beside the capture. It is out of date where others have written since what that
    /// was computed from, and nobody the result.
    pub(super) fn reads_what_ran_beside(&mut self, graph: usize, replay: usize) {
        let run = &self.history.captures[graph];
        let ended = run.ended.map_or(run.began.position, |it| it.position);
        // A result that is computed anew now and then is meant so.
        if self.activity.graphs[graph].replays < 2 {
            return;
        }
        let entries = self.history.trace.entries();
        let written = &self.activity.written;
        let of_graph = self.left_out.beside.iter().filter(|it| it.graph == graph);
        let stale = of_graph.filter_map(|beside| {
            let Operation {
                position, thread, ..
            } = self.activity.operations[beside.operation];
            let is_given_anew = beside.sources.iter().any(|block| {
                let last = written.last(*block);
                last.is_some_and(|at| at > ended && entries[at].thread != thread)
            });
            let block = beside.result?;
            let is_written = written.last(block).is_some_and(|at| at > position)
                || self
                    .activity
                    .graphs
                    .iter()
                    .flat_map(|it| &it.accesses)
                    .any(|it| it.does.may_write() && it.block == block);
            (is_given_anew && !is_written).then_some(Harm::LeftOut {
                operation: beside.operation,
                block: Some(block),
            })
        });
        for harm in stale.collect::<Vec<Harm>>() {
            self.found(graph, Some(replay), harm);
        }
    }

    /// A capture has ended: what was left out of it matters if it shares data with it, or if nothing else was done. Of the rest, what
    /// the program does later decides.
    pub(super) fn judge_left_out(&mut self, graph: usize) {
        let (left_out, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.left_out.operators)
            .into_iter()
            .partition(|it| it.0 == graph);
        self.left_out.operators = others;
        self.forget_unread(graph);
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
            } else {
                let moved_on = self.goes_on_beside(graph, operation);
                self.left_out.alone.extend(moved_on);
            }
        }
    }
}
