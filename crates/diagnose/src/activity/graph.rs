//! What a captured graph reads and writes.

use std::collections::BTreeMap;
use std::rc::Rc;

use cgsan_model::{EventId, ExecId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::last_writes::LastWrites;
use super::memory::{BlockId, Memory};
use super::operation::Does;
use super::ranges::Ranges;

/// A graph that was captured: what its nodes touch, in the order of their capture.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) accesses: Vec<Access>,
    /// Pinned memory of the host that its copies read.
    pub(crate) sources: Vec<Source>,
    /// Pinned memory of the host that its copies write.
    pub(crate) results: Vec<HostResult>,
    /// How many replays there were.
    pub(crate) replays: usize,
    /// The events outside of it that its replays record.
    pub(super) records_outside: Vec<EventId>,
    /// Whether it waits for events that are recorded outside of it.
    pub(super) waits_outside: bool,
    /// When its executables were made and destroyed, as places in the trace.
    pub(super) executables: Vec<(ExecId, usize, Option<usize>)>,
    /// The first accesses to blocks from outside, once they were asked for.
    inputs: Option<Rc<[Access]>>,
    /// What `carried_under_temporaries` gives, and the blocks that are only filled, once they were asked for.
    own_contents: Option<Rc<OwnContents>>,
    /// The addresses that it writes and which writes are the last there, once they were asked for.
    written: Option<(Ranges, LastWrites)>,
    /// What it does to memory of pools, once that was asked for.
    in_pools: Option<Rc<InPools>>,
    /// What a replay does to the blocks in use, while these stay the same.
    effects: Option<Rc<[Effect]>>,
}

/// Blocks that a capture allocated and that may hold data of the program.
#[derive(Debug, Default)]
pub(crate) struct OwnContents {
    /// Those of which each replay writes a part, after temporaries that lie there.
    pub(crate) carried: Vec<BlockId>,
    /// Those of which it writes views alone, after temporaries that lie there, with the addresses that these have.
    pub(super) in_part: Vec<(BlockId, Ranges)>,
    /// Those that each replay fills with a number and reads, with the operators that fill them.
    pub(crate) filled: Vec<(BlockId, Vec<usize>)>,
}

/// What a graph does to memory of pools.
#[derive(Debug)]
pub(crate) struct InPools {
    /// The first access to each block.
    pub(super) uses: Vec<Access>,
    /// The addresses that it writes.
    pub(super) written: Ranges,
}

/// What a replay leaves in a block in use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effect {
    pub(crate) block: BlockId,
    /// Whether it is what the block's own nodes write.
    pub(crate) is_own: bool,
}

/// A node reads or writes a block, or may do both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) block: BlockId,
    pub(crate) does: Does,
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

/// What a copy writes in the memory of the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostResult {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// The operator that enqueued the copy.
    pub(crate) operation: Option<usize>,
}

impl Graph {
    /// Whether an executable of it is there at a place of the trace.
    pub(crate) fn is_there(&self, position: usize) -> bool {
        let mut executables = self.executables.iter();
        executables
            .any(|(_, made, gone)| *made < position && gone.is_none_or(|gone| gone > position))
    }

    /// Whether all executables that were made of it are gone.
    pub(super) fn is_gone(&self, position: usize) -> bool {
        !self.executables.is_empty() && !self.is_there(position)
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
        view_of: impl Fn(usize) -> Option<(u64, u64)>,
    ) -> Rc<OwnContents> {
        if self.own_contents.is_none() {
            self.own_contents = Some(Rc::new(OwnContents {
                carried: self.carried_under_temporaries(own, memory),
                in_part: self.written_in_part(own, memory, view_of),
                filled: self.only_filled(own, memory, is_fill),
            }));
        }
        self.own_contents.clone().unwrap_or_default()
    }

    /// The blocks of its own capture that it writes views of and nothing else, though it writes something else over them first; with the
    /// addresses of the views.
    fn written_in_part(
        &self,
        own: usize,
        memory: &Memory,
        view_of: impl Fn(usize) -> Option<(u64, u64)>,
    ) -> Vec<(BlockId, Ranges)> {
        let mut written = Ranges::default();
        let mut covered: FxHashSet<BlockId> = FxHashSet::default();
        let mut views: BTreeMap<BlockId, Option<Ranges>> = BTreeMap::new();
        for access in &self.accesses {
            let block = memory[access.block];
            if block.capture != Some(own) {
                continue;
            }
            if !views.contains_key(&access.block) && written.touches(block.address, block.bytes) {
                covered.insert(access.block);
            }
            let of_block = views
                .entry(access.block)
                .or_insert_with(|| Some(Ranges::default()));
            // Of what a kernel may write, no view is known.
            if access.does.may_write() {
                let view = view_of(access.operation);
                *of_block = of_block.take().zip(view).map(|(mut views, view)| {
                    views.add(view.0, view.1);
                    views
                });
            }
            if access.does.writes() {
                written.add(block.address, block.bytes);
            }
        }
        let views = views
            .into_iter()
            .filter(|(block, _)| covered.contains(block));
        views
            .filter_map(|(block, views)| Some((block, views?)))
            .filter(|(_, views)| views.iter().next().is_some())
            .collect()
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
            if access.does.may_write() {
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
        let (written, last_writes) = self.written.get_or_insert_with(|| {
            let writes = self.accesses.iter().filter(|access| access.does.writes());
            let ranges = writes.map(|access| {
                let block = memory[access.block];
                (block.address, block.bytes)
            });
            (ranges.collect(), LastWrites::of(&self.accesses, memory))
        });
        let there = written.iter();
        let there = there.flat_map(|(address, bytes)| memory.overlapping(address, bytes));
        let mut changed: Vec<BlockId> = there.chain(others.iter().copied()).collect();
        changed.sort_unstable();
        changed.dedup();
        let effects = changed.into_iter().filter_map(|block| {
            let is_own = last_writes.leave_own(block, memory)?;
            Some(Effect { block, is_own })
        });
        effects.collect()
    }

    /// A block was given out or taken back, or counts though it was freed.
    pub(crate) fn memory_changed(&mut self, address: u64, bytes: u64) {
        let written = self.written.as_ref();
        if self.effects.is_some() && written.is_some_and(|(it, _)| it.touches(address, bytes)) {
            self.effects = None;
        }
    }

    /// What it does to memory of pools. To be asked once the capture has ended.
    pub(crate) fn in_pools(&mut self, memory: &Memory) -> Rc<InPools> {
        let in_pools = self.in_pools.take().unwrap_or_else(|| {
            let is_of_pool = |access: &&Access| memory[access.block].capture.is_some();
            let writes = self.accesses.iter().filter(|access| access.does.writes());
            let written = writes.filter(is_of_pool).map(|access| {
                let block = memory[access.block];
                (block.address, block.bytes)
            });
            let written = written.collect();
            let uses = self.first_accesses().filter(is_of_pool).copied().collect();
            Rc::new(InPools { uses, written })
        });
        self.in_pools.insert(in_pools).clone()
    }

    /// The first access to each block, in order: a block that is written first is no input.
    pub(crate) fn first_accesses(&self) -> impl Iterator<Item = &Access> {
        let mut seen = FxHashSet::default();
        self.accesses
            .iter()
            .filter(move |access| seen.insert(access.block))
    }

    /// The blocks of its own capture that a replay finds as the last one left them, since it writes parts of them only, and
    /// that it writes something else over first.
    fn carried_under_temporaries(&self, own: usize, memory: &Memory) -> Vec<BlockId> {
        /// The first operator that uses a block.
        struct First {
            operation: usize,
            /// Whether something else was written there before.
            is_covered: bool,
            /// Whether the operator's own first write leaves the rest of the block, if it writes it.
            leaves_rest: Option<bool>,
        }
        let mut written = Ranges::default();
        let mut blocks: Vec<BlockId> = Vec::new();
        let mut firsts: FxHashMap<BlockId, First> = FxHashMap::default();
        for access in &self.accesses {
            let block = memory[access.block];
            if block.capture != Some(own) {
                continue;
            }
            let first = firsts.entry(access.block).or_insert_with(|| {
                blocks.push(access.block);
                First {
                    operation: access.operation,
                    is_covered: written.touches(block.address, block.bytes),
                    leaves_rest: None,
                }
            });
            if access.does.writes() {
                if first.operation == access.operation {
                    first.leaves_rest.get_or_insert(access.leaves_rest);
                }
                written.add(block.address, block.bytes);
            }
        }
        let is_carried =
            |first: &First| first.is_covered && first.leaves_rest.is_some_and(|leaves| leaves);
        blocks.retain(|block| firsts.get(block).is_some_and(is_carried));
        blocks
    }
}
