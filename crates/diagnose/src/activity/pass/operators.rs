//! What an operator did, once it has ended: what it touched, and what it found there.

use super::Pass;
use super::contents::Content;
use crate::activity::fills;
use crate::activity::graph::Access;
use crate::activity::harm::{Harm, Reader};
use crate::activity::memory::BlockId;

impl Pass<'_, '_> {
    /// An operator has ended: what it touched is known.
    pub(super) fn ended(&mut self, index: usize) {
        self.host_sources(index);
        self.host_results(index);
        let operation = &self.activity.operations[index];
        let touched: Vec<(BlockId, bool)> = operation
            .touches()
            .iter()
            .filter_map(|touch| {
                let block = self.activity.memory.at(touch.tensor.address)?;
                Some((block, touch.writes))
            })
            .collect();
        // While anything captures, CUPTI tells of all work.
        let sees_work = self.sees_all_calls || !self.captures.running.is_empty();
        let works = operation.work > 0 || (!sees_work && operation.may_work());
        self.activity.operations[index].touched = touched.as_slice().into();
        if !works {
            return;
        }
        self.keep_workspaces(index);
        let operation = &self.activity.operations[index];
        let Some(graph) = operation.capture else {
            self.left_out(index, &touched);
            self.aliased_gradient(index, &touched);
            self.running_sum(index, &touched);
            self.gradients.touched(&touched);
            self.touched_eagerly(index, &touched);
            self.wrote_eagerly(index, &touched);
            self.subtracted_from_itself(index);
            return;
        };
        self.used_in_branches(graph, index, &touched);
        let operation = &self.activity.operations[index];
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
        let memory = &self.activity.memory;
        let blocks = accesses.iter().map(|access| access.block);
        let from_outside = blocks.filter(|block| memory[*block].capture != Some(graph));
        self.contents.used.extend(from_outside);
        self.activity.graphs[graph].accesses.extend(accesses);
    }

    pub(super) fn touched_eagerly(&mut self, index: usize, touched: &[(BlockId, bool)]) {
        for (block, writes) in touched {
            if *writes {
                let position = self.activity.operations[index].position;
                self.activity.last_written.insert(*block, position);
                self.contents.written_since.insert(*block, index);
                self.contents.of.insert(*block, Content::Own);
            } else {
                let position = self.activity.operations[index].position;
                self.gradients.read(*block, position);
                self.not_computed(*block, index);
                if let Some(Content::Foreign { by }) = self.contents.of.get(block).copied() {
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
        if self.sees_order && self.activity.graphs[graph].replays == 0 && !is_written {
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
        self.contents.of.insert(block, Content::Own);
    }
}
