//! What an operator did, once it has ended: what it touched, and what it found there.

use super::Pass;
use super::contents::Content;
use crate::activity::Does;
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
        let done: Vec<(BlockId, Does)> = operation
            .touches()
            .iter()
            .filter_map(|touch| {
                let block = self.activity.memory.at(touch.tensor.address)?;
                Some((block, touch.does))
            })
            .collect();
        let touched: Vec<(BlockId, bool)> = done
            .iter()
            .map(|(block, does)| (*block, does.writes()))
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
            self.reads_what_is_lost(index);
            self.changed_or_put_back(index, &done);
            self.touched_eagerly(index, &done);
            self.runs_beside(index, &touched);
            self.wrote_eagerly(index, &touched);
            self.given_itself(index);
            self.given_as_several(index);
            self.wrote_indexes(index);
            self.reads_old_sums(&touched);
            return;
        };
        self.used_in_branches(graph, index, &touched);
        self.captured_index(graph, index);
        self.captured_rows(graph, index);
        let operation = &self.activity.operations[index];
        let workspace = self.workspace_of(index).map(|block| (block, Does::Reads));
        let leaves_rest = fills::writes_a_part(operation);
        let done = done.into_iter().chain(workspace);
        let accesses = done.map(|(block, does)| Access {
            block,
            does,
            leaves_rest: does.writes() && leaves_rest,
            operation: index,
        });
        let accesses: Vec<Access> = accesses.collect();
        let memory = &self.activity.memory;
        let blocks = accesses.iter().map(|access| access.block);
        let from_outside = blocks.filter(|block| memory[*block].capture != Some(graph));
        self.contents.used.extend(from_outside);
        self.activity.graphs[graph].accesses.extend(accesses);
    }

    pub(super) fn touched_eagerly(&mut self, index: usize, done: &[(BlockId, Does)]) {
        for (block, does) in done {
            let position = self.activity.operations[index].position;
            // What may be written is taken to be where that excuses what follows.
            if does.may_write() {
                self.activity.written.add(*block, position);
                self.contents.of.insert(*block, Content::Own);
            }
            if does.writes() {
                self.contents.written_since.insert(*block, index);
            } else if does.reads() {
                self.gradients.read(*block, position);
                self.not_computed(*block, index);
                if let Some(Content::Foreign { by }) = self.contents.of.get(block).copied() {
                    self.overwritten(*block, by, Reader::Operation(index));
                }
            }
        }
    }

    /// An eager operator reads elements that the program wrote, and that a temporary of a replay has overwritten since.
    fn reads_what_is_lost(&mut self, index: usize) {
        if self.contents.lost.is_empty() {
            return;
        }
        for touch in self.activity.operations[index].touches() {
            let Some(block) = self.activity.memory.at(touch.tensor.address) else {
                continue;
            };
            let Some(lost) = self.contents.lost.get_mut(&block) else {
                continue;
            };
            // Of a copy of all of it, the program may look at a part; and several dimensions may not lie together.
            let is_part = touch.tensor.sizes.len() <= 1 && !touch.tensor.is_whole_storage();
            match touch.tensor.range().filter(|_| is_part) {
                Some((start, bytes)) if touch.does.writes() => lost.views.add(start, bytes),
                Some((start, bytes)) if !lost.views.holds(start, bytes) => {
                    let by = lost.by;
                    self.contents.lost.remove(&block);
                    self.overwritten(block, by, Reader::Operation(index));
                }
                None if touch.does.may_write() => {
                    self.contents.lost.remove(&block);
                }
                _ => {}
            }
        }
    }

    /// An eager operator reads a block in which only the replays of a graph put something, before the first of them.
    fn not_computed(&mut self, block: BlockId, operation: usize) {
        let Some(graph) = self.activity.memory[block].capture else {
            return;
        };
        let is_written = self.activity.written.last(block).is_some();
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
