//! What an operator did, once it has ended: what it touched, and what it found there.

use super::{Content, Pass};
use crate::activity::graph::Access;
use crate::activity::harm::{Harm, Reader};
use crate::activity::memory::BlockId;
use crate::activity::{fills, operation};

impl Pass<'_, '_> {
    /// An operator has ended: what it touched is known.
    pub(super) fn ended(&mut self, index: usize) {
        self.host_sources(index);
        let operation = &self.activity.operations[index];
        // While anything captures, CUPTI tells of all work.
        let sees_work = self.sees_all_calls || !self.running.is_empty();
        let works = operation.work > 0 || (!sees_work && operation.may_work());
        if !works {
            return;
        }
        let touched: Vec<(BlockId, bool)> = operation
            .touches()
            .iter()
            .filter_map(|touch| {
                let block = self.activity.memory.at(touch.tensor.address)?;
                Some((block, touch.writes))
            })
            .collect();
        self.keep_workspaces(index);
        let operation = &self.activity.operations[index];
        let Some(graph) = operation.capture else {
            self.left_out(index, &touched);
            self.aliased_gradient(index, &touched);
            self.running_sum(index, &touched);
            self.gradients.touched(&touched);
            self.touched_eagerly(index, &touched);
            return;
        };
        let workspace = self.workspace_of(index).map(|block| (block, false));
        let leaves_rest = fills::writes_a_part(operation);
        let touched = touched.into_iter().chain(workspace);
        let accesses = touched.map(|(block, writes)| Access {
            block,
            writes,
            leaves_rest: writes && leaves_rest,
            operation: index,
        });
        let accesses: Vec<Access> = accesses.collect();
        self.used.extend(accesses.iter().map(|access| access.block));
        self.activity.graphs[graph].accesses.extend(accesses);
    }

    /// What a matrix product allocates and neither gives back nor frees is cuBLAS's workspace on its stream.
    pub(super) fn keep_workspaces(&mut self, index: usize) {
        let operation = &self.activity.operations[index];
        let Some(stream) = operation.stream.filter(|_| operation.is_matrix_product()) else {
            return;
        };
        let given_back: Vec<u64> = operation::tensors(operation.results)
            .map(|tensor| tensor.address)
            .collect();
        let memory = &self.activity.memory;
        let workspace = memory.allocated_since(operation.position).find(|id| {
            let block = memory[*id];
            block.freed.is_none()
                && block.operation == Some(index)
                && !given_back.iter().any(|address| block.overlaps(*address, 1))
        });
        if let Some(workspace) = workspace {
            let thread = operation.thread;
            self.activity.workspaces.insert(workspace, index);
            self.workspaces.insert((thread, stream), workspace);
        }
    }

    /// The workspace that a matrix product uses.
    pub(super) fn workspace_of(&self, index: usize) -> Option<BlockId> {
        let operation = &self.activity.operations[index];
        let stream = operation.stream.filter(|_| operation.is_matrix_product())?;
        let workspace = *self.workspaces.get(&(operation.thread, stream))?;
        let is_there = self.activity.memory[workspace].freed.is_none();
        is_there.then_some(workspace)
    }

    pub(super) fn touched_eagerly(&mut self, index: usize, touched: &[(BlockId, bool)]) {
        for (block, writes) in touched {
            if *writes {
                let position = self.activity.operations[index].position;
                self.activity.last_written.insert(*block, position);
                self.written_since.insert(*block, index);
                self.contents.insert(*block, Content::Own);
            } else {
                let position = self.activity.operations[index].position;
                self.gradients.read(*block, position);
                self.not_computed(*block, index);
                if let Some(Content::Foreign { by }) = self.contents.get(block).copied() {
                    self.overwritten(*block, by, Reader::Operation(index));
                }
            }
        }
    }

    /// An eager operator reads a block in which only the replays of a graph put something, before the first of them.
    fn not_computed(&mut self, block: BlockId, operation: usize) {
        let Some(graph) = self.activity.memory[block].capture else {
            return;
        };
        let is_written = self.activity.last_written.contains_key(&block);
        if self.activity.graphs[graph].replays == 0 && !is_written {
            self.found(graph, None, Harm::NotComputed { operation, block });
        }
    }

    /// Something reads a block that a replay of another owner has written.
    pub(super) fn overwritten(&mut self, block: BlockId, by: usize, reader: Reader) {
        let graph = self.activity.replays[by].graph;
        let harm = if self.activity.memory[block].capture == Some(graph) {
            Harm::TemporaryOverLive { block, reader }
        } else {
            Harm::Overwritten { block, by, reader }
        };
        self.found(graph, Some(by), harm);
        // What is read again is the same harm.
        self.contents.insert(block, Content::Own);
    }

    /// An operator runs during a capture of its thread and is not part of it.
    pub(super) fn left_out(&mut self, index: usize, touched: &[(BlockId, bool)]) {
        let operation = &self.activity.operations[index];
        if operation.work == 0 || self.running.is_empty() {
            return;
        }
        let graph = self.capture_of_thread(operation.thread, operation.position);
        if let Some(graph) = graph {
            let blocks = touched.iter().map(|(block, _)| *block).collect();
            self.left_out.push((graph, index, blocks));
        }
    }

    /// A capture has ended: what was left out of it matters if it shares data with it, or if nothing else was done.
    pub(super) fn judge_left_out(&mut self, graph: usize) {
        let (left_out, others) = std::mem::take(&mut self.left_out)
            .into_iter()
            .partition(|it: &(usize, usize, Vec<BlockId>)| it.0 == graph);
        self.left_out = others;
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
