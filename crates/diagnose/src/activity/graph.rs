//! What a captured graph reads and writes.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cgsan_model::ExecId;

use super::memory::{BlockId, Memory};

/// A graph that was captured: what its nodes touch, in the order of their capture.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) accesses: Vec<Access>,
    /// Pinned memory of the host that its copies read.
    pub(crate) sources: Vec<Source>,
    /// How many replays there were.
    pub(crate) replays: usize,
    /// When its executables were made and destroyed, as places in the trace.
    pub(super) executables: Vec<(ExecId, usize, Option<usize>)>,
    /// The first accesses to blocks from outside, once they were asked for.
    inputs: Option<Rc<[Access]>>,
    /// What `carried_under_temporaries` gives, and the blocks that are only filled, once they were asked for.
    own_contents: Option<Rc<OwnContents>>,
    /// The addresses that it writes, once they were asked for: first bytes and ends, ascending, apart.
    written: Vec<(u64, u64)>,
    /// What a replay does to the blocks in use, while these stay the same.
    effects: Option<Rc<[Effect]>>,
}

/// Blocks that a capture allocated and that may hold data of the program.
#[derive(Debug, Default)]
pub(crate) struct OwnContents {
    /// Those of which each replay writes a part, after temporaries that lie there.
    pub(crate) carried: Vec<BlockId>,
    /// Those that each replay fills with a number and reads, with the operators that fill them.
    pub(crate) filled: Vec<(BlockId, Vec<usize>)>,
}

/// What a replay leaves in a block in use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effect {
    pub(crate) block: BlockId,
    /// Whether it is what the block's own nodes write.
    pub(crate) is_own: bool,
}

/// A node reads or writes a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) block: BlockId,
    pub(crate) writes: bool,
    /// Whether it writes a part of the block and leaves the rest as it is.
    pub(crate) leaves_rest: bool,
    /// The operator that enqueued the node.
    pub(crate) operation: usize,
}

/// A copy's source in the memory of the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// The operator that enqueued the copy.
    pub(crate) operation: Option<usize>,
    /// The operator that made the tensor there, if one did.
    pub(crate) made: Option<usize>,
}

impl Graph {
    /// Whether an executable of it is there at a place of the trace.
    pub(crate) fn is_there(&self, position: usize) -> bool {
        let mut executables = self.executables.iter();
        executables
            .any(|(_, made, gone)| *made < position && gone.is_none_or(|gone| gone > position))
    }

    /// An executable of it was made.
    pub(super) fn instantiated(&mut self, exec: ExecId, position: usize) {
        self.executables.push((exec, position, None));
    }

    /// An executable of it was destroyed.
    pub(super) fn destroyed(&mut self, exec: ExecId, position: usize) {
        let mut executables = self.executables.iter_mut().rev();
        if let Some((_, _, gone)) = executables.find(|(it, _, gone)| *it == exec && gone.is_none())
        {
            *gone = Some(position);
        }
    }

    /// The first accesses to blocks that its own capture, the one of this number, did not allocate. To be asked once the
    /// capture has ended.
    pub(crate) fn inputs(&mut self, own: usize, memory: &Memory) -> Rc<[Access]> {
        if self.inputs.is_none() {
            let from_outside = self
                .first_accesses()
                .filter(|access| memory[access.block].capture != Some(own));
            self.inputs = Some(from_outside.copied().collect());
        }
        self.inputs.clone().unwrap_or_default()
    }

    /// What a replay does to blocks of its own capture, the one of this number, that may hold data of the program. To be asked
    /// once the capture has ended.
    pub(crate) fn own_contents(
        &mut self,
        own: usize,
        memory: &Memory,
        is_fill: impl Fn(usize) -> bool,
    ) -> Rc<OwnContents> {
        if self.own_contents.is_none() {
            self.own_contents = Some(Rc::new(OwnContents {
                carried: self.carried_under_temporaries(own, memory),
                filled: self.only_filled(own, memory, is_fill),
            }));
        }
        self.own_contents.clone().unwrap_or_default()
    }

    /// The blocks of its own capture that it fills with a number, and reads, and never writes otherwise, with the fills.
    fn only_filled(
        &self,
        own: usize,
        memory: &Memory,
        is_fill: impl Fn(usize) -> bool,
    ) -> Vec<(BlockId, Vec<usize>)> {
        let mut blocks: BTreeMap<BlockId, (bool, Vec<&Access>)> = BTreeMap::new();
        for access in &self.accesses {
            if memory[access.block].capture != Some(own) {
                continue;
            }
            let (is_read, writes) = blocks.entry(access.block).or_default();
            if access.writes {
                writes.push(access);
            } else {
                *is_read |= !writes.is_empty();
            }
        }
        blocks
            .into_iter()
            .filter(|(_, (is_read, writes))| {
                *is_read && writes.iter().all(|access| is_fill(access.operation))
            })
            .map(|(block, (_, writes))| (block, writes.iter().map(|it| it.operation).collect()))
            .collect()
    }

    /// What a replay leaves in the blocks in use and in `others`, of which later nodes' word counts.
    pub(crate) fn effects(&mut self, memory: &Memory, others: &[BlockId]) -> Rc<[Effect]> {
        if self.effects.is_none() {
            self.effects = Some(self.find_effects(memory, others));
        }
        self.effects.clone().unwrap_or_default()
    }

    fn find_effects(&mut self, memory: &Memory, others: &[BlockId]) -> Rc<[Effect]> {
        if self.written.is_empty() {
            self.written = merged(self.writes().map(|access| {
                let block = memory[access.block];
                (block.address, block.address.saturating_add(block.bytes))
            }));
        }
        let mut left = BTreeMap::new();
        for access in self.accesses.iter().filter(|access| access.writes) {
            let block = memory[access.block];
            let there = memory.overlapping(block.address, block.bytes);
            let inputs = others.iter().copied();
            let inputs = inputs.filter(|it| memory[*it].overlaps(block.address, block.bytes));
            let changed = there.chain(inputs);
            for id in changed.filter(|id| !(access.leaves_rest && *id == access.block)) {
                left.insert(id, id == access.block);
            }
        }
        left.into_iter()
            .map(|(block, is_own)| Effect { block, is_own })
            .collect()
    }

    /// A block was given out or taken back, or counts though it was freed.
    pub(crate) fn memory_changed(&mut self, address: u64, bytes: u64) {
        let end = address.saturating_add(bytes);
        let first = self.written.partition_point(|(_, last)| *last <= address);
        if self
            .written
            .get(first)
            .is_some_and(|(start, _)| *start < end)
        {
            self.effects = None;
        }
    }

    /// The first access to each block, in order: a block that is written first is no input.
    pub(crate) fn first_accesses(&self) -> impl Iterator<Item = &Access> {
        let mut seen = BTreeSet::new();
        self.accesses
            .iter()
            .filter(move |access| seen.insert(access.block))
    }

    /// The blocks of its own capture that a replay finds as the last one left them, since it writes parts of them only, and
    /// that it writes something else over first.
    pub(crate) fn carried_under_temporaries(&self, own: usize, memory: &Memory) -> Vec<BlockId> {
        let is_own = |access: &&Access| memory[access.block].capture == Some(own);
        let accesses: Vec<&Access> = self.accesses.iter().filter(is_own).collect();
        let mut known = BTreeSet::new();
        let mut carried = Vec::new();
        for (place, access) in accesses.iter().enumerate() {
            if !known.insert(access.block) {
                continue;
            }
            let of_operation = |it: &&&Access| {
                it.block == access.block && it.operation == access.operation && it.writes
            };
            let is_carried = accesses
                .iter()
                .find(of_operation)
                .is_some_and(|it| it.leaves_rest);
            let block = memory[access.block];
            let is_covered = accesses[..place].iter().any(|before| {
                before.writes
                    && before.block != access.block
                    && block.overlaps(memory[before.block].address, memory[before.block].bytes)
            });
            if is_carried && is_covered {
                carried.push(access.block);
            }
        }
        carried
    }

    /// The accesses that write, each block once.
    pub(crate) fn writes(&self) -> impl Iterator<Item = &Access> {
        let mut seen = BTreeSet::new();
        self.accesses
            .iter()
            .filter(move |access| access.writes && seen.insert(access.block))
    }
}

/// Whether so many bytes share one with a range of these, which are ascending and apart.
pub(super) fn touches(ranges: &[(u64, u64)], address: u64, bytes: u64) -> bool {
    let end = address.saturating_add(bytes);
    let first = ranges.partition_point(|(_, last)| *last <= address);
    ranges.get(first).is_some_and(|(start, _)| *start < end)
}

/// Ranges in ascending order, those that touch as one.
pub(super) fn merged(ranges: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut sorted: Vec<(u64, u64)> = ranges.collect();
    sorted.sort_unstable();
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (start, end) in sorted {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_are_one() {
        let ranges = [(30, 40), (10, 20), (20, 25), (12, 14)];
        assert_eq!(merged(ranges.into_iter()), [(10, 25), (30, 40)]);
    }
}
