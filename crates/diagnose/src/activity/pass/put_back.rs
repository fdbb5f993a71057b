//! State that eager steps changed before a graph was replayed, and of which the program put only a part back.

use std::collections::VecDeque;

use cgsan_trace::TensorRecord;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Pass;
use super::padding::{Span, span_of};
use crate::activity::Does;
use crate::activity::harm::Harm;
use crate::activity::memory::BlockId;
use crate::activity::operation::tensors;

/// Copies that are remembered at a time.
const COPIES: usize = 1 << 16;

/// Changes of a block that are remembered, and from which on they are more than a warm-up makes: PyTorch asks for at most eleven steps,
/// before DDP is captured, and an optimizer changes a moment by up to three operators a step.
const CHANGES: usize = 48;

/// What is known of tensors that were changed and put back.
#[derive(Debug, Default)]
pub(super) struct PutBack {
    /// What was copied, by the first byte of the copy.
    copies: FxHashMap<u64, Copied>,
    /// The eager operators that last went on from what a block held.
    changes: FxHashMap<BlockId, VecDeque<usize>>,
    /// The blocks that were given back what an earlier copy held, as it was the last time.
    blocks: FxHashMap<BlockId, Given>,
    /// What graphs found at their first replay.
    kept: Vec<Kept>,
}

/// A copy of a tensor on the GPU.
#[derive(Clone, Copy, Debug)]
struct Copied {
    /// The block that the copy lies in; `None` in the memory of the host.
    into: Option<BlockId>,
    /// The tensor's block, and where in it the tensor lies.
    of: BlockId,
    span: Span,
    /// Where in the trace it was made.
    position: usize,
}

/// A block that was given back what an earlier copy held.
#[derive(Clone, Copy, Debug)]
struct Given {
    /// Where in the trace the copy was made.
    copied: usize,
    /// Where it was given back.
    position: usize,
    operation: usize,
}

/// A block that a graph went on from at its first replay as the steps before had left it.
#[derive(Debug)]
struct Kept {
    graph: usize,
    replay: usize,
    harm: Harm,
    /// Blocks that the program had put back.
    others: Vec<BlockId>,
}

impl Pass<'_, '_> {
    /// An eager operator has ended: whether it copies a tensor, puts one back, or goes on from what one holds.
    pub(super) fn changed_or_put_back(&mut self, index: usize, done: &[(BlockId, Does)]) {
        for block in goes_on_from(done) {
            let changes = self.put_back.changes.entry(block).or_default();
            if changes.len() == CHANGES {
                changes.pop_front();
            }
            changes.push_back(index);
        }
        let operation = &self.activity.operations[index];
        let [into, from, ..] = operation.arguments else {
            return;
        };
        if operation.is_copy() {
            let all = |it| tensors(std::slice::from_ref(it));
            for (into, from) in all(into).zip(all(from)) {
                self.copied_to(index, into, from);
            }
        }
    }

    /// An eager operator has copied one tensor to another.
    fn copied_to(&mut self, index: usize, into: &TensorRecord, from: &TensorRecord) {
        let (Some(to), Some(span)) = (span_of(into), span_of(from)) else {
            return;
        };
        let memory = &self.activity.memory;
        let block_of = |it: &TensorRecord| memory.at(it.address).filter(|_| it.on_gpu);
        let (block, source) = (block_of(into), block_of(from));
        let position = self.activity.operations[index].position;
        let copy = self.put_back.copies.get(&span.0);
        let copy = copy.filter(|it| it.into == source && (Some(it.of), it.span) == (block, to));
        if let (Some(block), Some(copy)) = (block, copy)
            && !self.is_written_since(source, copy.position)
        {
            let given = Given {
                copied: copy.position,
                position,
                operation: index,
            };
            self.put_back.blocks.insert(block, given);
        }
        let copies = &mut self.put_back.copies;
        if copies.len() == COPIES {
            copies.clear();
        }
        copies.remove(&to.0);
        if let Some(of) = source {
            let copy = Copied {
                into: block,
                of,
                span,
                position,
            };
            copies.insert(to.0, copy);
        }
    }

    /// Whether an eager operator wrote a block after a place of the trace. What the host writes is not known.
    fn is_written_since(&self, block: Option<BlockId>, position: usize) -> bool {
        let last = block.and_then(|it| self.activity.written.last(it));
        last.is_some_and(|last| last > position)
    }

    /// Operators were counted, and not recorded one by one.
    pub(super) fn put_back_unknown(&mut self) {
        self.put_back.copies.clear();
        self.put_back.changes.clear();
        self.put_back.blocks.clear();
    }

    /// A replay is about to be enqueued: whether, at a graph's first, it goes on from what steps before it left in one tensor, while others
    /// that it goes on from were put back.
    pub(super) fn goes_on_from_warm_up(&mut self, graph: usize, replay: usize) {
        if self.activity.graphs[graph].replays != 1 || self.put_back.blocks.is_empty() {
            return;
        }
        let carried = self.carried(graph);
        let given: Vec<(BlockId, Given)> = carried
            .iter()
            .filter_map(|block| Some((*block, *self.put_back.blocks.get(block)?)))
            .filter(|(block, given)| self.changes_between(*block, given.copied, given.position) > 0)
            .collect();
        let copied = given.iter().map(|(_, it)| it.copied).max();
        let first = given.iter().min_by_key(|(_, it)| it.position);
        let (Some(copied), Some((_, first))) = (copied, first) else {
            return;
        };
        let kept = carried.iter().copied().filter(|block| {
            let last = self.activity.written.last(*block);
            let is_kept = last.is_some_and(|last| copied < last && last < first.position);
            let changes = self.changes_between(*block, copied, first.position);
            is_kept && (1..CHANGES).contains(&changes)
        });
        let kept: Vec<BlockId> = kept.collect();
        let others = self.written_by_others_since(first.position, graph, &kept);
        let mut kept = kept.into_iter().filter(|block| !others.contains(block));
        let Some(block) = kept.next() else { return };
        let Some(writer) = self.put_back.changes.get(&block).and_then(|it| it.back()) else {
            return;
        };
        let kept = Kept {
            graph,
            replay,
            harm: Harm::LeftByWarmUp {
                block,
                writer: *writer,
                put_back: first.operation,
                more: kept.count(),
            },
            others: given.into_iter().map(|(block, _)| block).collect(),
        };
        self.put_back.kept.push(kept);
    }

    /// At the end of the trace: a program that puts the same tensors back after replays, too, does so each time, and no warm-up is over.
    pub(super) fn left_by_warm_ups(&mut self) {
        for kept in std::mem::take(&mut self.put_back.kept) {
            let replayed = self.activity.replays[kept.replay].position;
            let is_again = |block: &BlockId| {
                let given = self.put_back.blocks.get(block);
                given.is_some_and(|it| it.position > replayed)
            };
            if !kept.others.iter().any(is_again) {
                self.found(kept.graph, Some(kept.replay), kept.harm);
            }
        }
    }

    /// The blocks from outside that each replay of a graph goes on from: it reads what the last one left, and changes it.
    fn carried(&mut self, graph: usize) -> Vec<BlockId> {
        let memory = &self.activity.memory;
        let found = &mut self.activity.graphs[graph];
        let inputs = found.inputs(graph, memory);
        let mut changed: FxHashSet<BlockId> = FxHashSet::default();
        for done in found
            .accesses
            .chunk_by(|one, next| one.operation == next.operation)
        {
            let whole = done.iter().filter(|it| !it.leaves_rest);
            let done: Vec<(BlockId, Does)> = whole.map(|it| (it.block, it.does)).collect();
            changed.extend(goes_on_from(&done));
        }
        let carried = inputs.iter().filter(|it| it.does.reads());
        let carried = carried.map(|it| it.block).filter(|it| changed.contains(it));
        carried.collect()
    }

    /// Those of some blocks that other graphs write which were replayed after a place of the trace: what lies there is theirs.
    fn written_by_others_since(
        &self,
        position: usize,
        graph: usize,
        blocks: &[BlockId],
    ) -> FxHashSet<BlockId> {
        if blocks.is_empty() {
            return FxHashSet::default();
        }
        let blocks: FxHashSet<BlockId> = blocks.iter().copied().collect();
        let replayed = self.replays.last.iter().filter(|(other, replay)| {
            **other != graph && self.activity.replays[**replay].position > position
        });
        let accesses = replayed.flat_map(|(other, _)| &self.activity.graphs[*other].accesses);
        let written = accesses.filter(|it| it.does.may_write() && blocks.contains(&it.block));
        written.map(|it| it.block).collect()
    }

    /// How many of the last eager operators that went on from a block ran between two places of the trace.
    fn changes_between(&self, block: BlockId, after: usize, before: usize) -> usize {
        let changes = self.put_back.changes.get(&block).into_iter().flatten();
        let positions = changes.map(|it| self.activity.operations[*it].position);
        positions.filter(|it| (after..before).contains(it)).count()
    }
}

/// The blocks that one operator both reads and writes. One of an optimizer is given all its tensors at once.
fn goes_on_from(done: &[(BlockId, Does)]) -> impl Iterator<Item = BlockId> {
    let blocks = |is_meant: fn(Does) -> bool| {
        let meant = done.iter().filter(move |(_, does)| is_meant(*does));
        meant.map(|(block, _)| *block)
    };
    let read: FxHashSet<BlockId> = blocks(Does::reads).collect();
    blocks(Does::writes).filter(move |block| read.contains(block))
}
