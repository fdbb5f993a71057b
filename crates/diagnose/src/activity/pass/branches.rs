//! Memory that two branches of the graph use without an edge between them: a tensor, or a block of the capture's pool.
//!
//! The allocator gives a block out again once the program has released it, on the stream that it was allocated on. What another
//! branch still does with it, it knows of by `record_stream()` alone.

use std::collections::BTreeMap;

use cgsan_model::Stream;
use rustc_hash::FxHashMap;

use super::Pass;
use crate::activity::Does;
use crate::activity::harm::Harm;
use crate::activity::memory::{BlockId, Memory};
use crate::activity::order::{Order, Ticket};

/// What is known of the captures that run.
#[derive(Debug, Default)]
pub(super) struct Branches {
    /// The last work of the operators that are open.
    works: FxHashMap<usize, Ticket>,
    captures: FxHashMap<usize, Blocks>,
}

/// The blocks of one capture.
#[derive(Debug, Default)]
struct Blocks {
    /// Which block was given out last at each address: where it ends, and it.
    latest: BTreeMap<u64, (u64, BlockId)>,
    /// The blocks that lay before where one lies now.
    before: FxHashMap<BlockId, Vec<BlockId>>,
    uses: FxHashMap<BlockId, Vec<Use>>,
    /// The last uses of tensors, those from before the capture included.
    tensors: FxHashMap<BlockId, Vec<TensorUse>>,
}

/// The last work of a stream that reads a part of a block, or writes it.
#[derive(Clone, Debug)]
struct TensorUse {
    part: Part,
    last: Use,
}

/// What of a block a tensor is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Whole,
    /// A view: where it begins, in elements, and its sizes. Strides are not recorded, so that two views may or may not share elements.
    View(u64, Vec<u64>),
}

/// Parts of one block that are remembered.
const PARTS: usize = 32;

/// Work of an operator on a block.
#[derive(Clone, Copy, Debug)]
struct Use {
    operation: usize,
    work: Ticket,
    writes: bool,
}

impl Branches {
    /// A capture has ended, well or not.
    pub(super) fn ended(&mut self, capture: usize) {
        self.captures.remove(&capture);
    }

    /// A capture gives out a block of its pool.
    pub(super) fn allocated(&mut self, capture: usize, id: BlockId, memory: &Memory) {
        let blocks = self.captures.entry(capture).or_default();
        let block = memory[id];
        blocks.gives_out(id, block.address, block.address.saturating_add(block.bytes));
    }

    /// An operator enqueues work that is captured.
    pub(super) fn enqueued(&mut self, operation: usize, stream: Stream, order: &mut Order) {
        self.works.insert(operation, order.enqueued(stream));
    }

    /// An operator has ended that touched blocks of the capture's pool, and read or wrote these parts of blocks: what it does while others
    /// may still be at work there.
    fn used(
        &mut self,
        capture: usize,
        operation: usize,
        touched: &[(BlockId, bool)],
        parts: Vec<(BlockId, Part, bool)>,
        order: &Order,
    ) -> Vec<Harm> {
        let Some(work) = self.works.remove(&operation) else {
            return Vec::new();
        };
        let used = |writes| Use {
            operation,
            work,
            writes,
        };
        let blocks = self.captures.entry(capture).or_default();
        let mut found = Vec::new();
        for (block, writes) in touched {
            found.extend(blocks.block_used(*block, used(*writes), order));
        }
        for (block, part, writes) in parts {
            found.extend(blocks.tensor_used(block, part, used(writes), order));
        }
        found
    }
}

impl Use {
    /// Whether it is not known to be over when other work on the same memory begins, and one of both writes.
    fn may_run_beside(&self, later: Use, order: &Order) -> bool {
        (self.writes || later.writes) && !order.is_before(self.work, later.work.stream())
    }
}

impl Part {
    /// Whether two parts of a block certainly have elements in common.
    fn shares_elements(&self, other: &Part) -> bool {
        self == other || *self == Part::Whole || *other == Part::Whole
    }
}

impl Blocks {
    /// A block is used: for each that lay there before, the last use of that which may run beside it.
    fn block_used(&mut self, block: BlockId, last: Use, order: &Order) -> Vec<Harm> {
        let before = self.before.get(&block).map_or(&[][..], Vec::as_slice);
        let harm = |earlier: &BlockId| {
            let mut uses = self.uses.get(earlier)?.iter().rev();
            let other = uses.find(|it| it.may_run_beside(last, order))?;
            Some(Harm::SharedAcrossBranches {
                block: *earlier,
                other: other.operation,
                operation: last.operation,
            })
        };
        let found = before.iter().filter_map(harm).collect();
        self.uses.entry(block).or_default().push(last);
        found
    }

    /// A part of a block is used: a use of the same elements by another stream that may run beside it.
    fn tensor_used(
        &mut self,
        block: BlockId,
        part: Part,
        last: Use,
        order: &Order,
    ) -> Option<Harm> {
        let uses = self.tensors.entry(block).or_default();
        let is_other =
            |it: &&TensorUse| it.part.shares_elements(&part) && it.last.may_run_beside(last, order);
        let found = uses
            .iter()
            .find(is_other)
            .map(|other| Harm::UnorderedInBranches {
                block,
                other: other.last.operation,
                operation: last.operation,
            });
        // Of a stream's uses of one kind, the last is after all others.
        let kind = |it: Use| (it.work.stream(), it.writes);
        uses.retain(|it| kind(it.last) != kind(last) || it.part != part);
        if uses.len() < PARTS {
            uses.push(TensorUse { part, last });
        }
        found
    }

    /// A block is given out from one address to another.
    fn gives_out(&mut self, id: BlockId, start: u64, end: u64) {
        let first = self.latest.range(..=start).next_back();
        let first = first.map_or(start, |(address, _)| *address);
        let overlapped: Vec<_> = self
            .latest
            .range(first..end)
            .map(|(address, (last, block))| (*address, *last, *block))
            .filter(|(_, last, _)| *last > start)
            .collect();
        let mut before = Vec::new();
        for (address, last, block) in overlapped {
            self.latest.remove(&address);
            if address < start {
                self.latest.insert(address, (start, block));
            }
            if last > end {
                self.latest.insert(end, (last, block));
            }
            // Of one that nothing was done with, those before it count.
            if self.uses.contains_key(&block) {
                before.push(block);
            } else {
                before.extend(self.before.get(&block).into_iter().flatten());
            }
        }
        self.latest.insert(start, (end, id));
        if !before.is_empty() {
            self.before.insert(id, before);
        }
    }
}

impl Pass<'_, '_> {
    /// A captured operator has ended.
    pub(super) fn used_in_branches(
        &mut self,
        graph: usize,
        index: usize,
        touched: &[(BlockId, bool)],
    ) {
        let memory = &self.activity.memory;
        let own = touched
            .iter()
            .filter(|(block, _)| memory[*block].capture == Some(graph));
        let own: Vec<(BlockId, bool)> = own.copied().collect();
        let order = &self.replays.order;
        let certain = self.activity.operations[index].touches();
        let parts = certain
            .iter()
            .filter(|it| it.does != Does::Uses)
            .filter_map(|touch| {
                let block = memory.at(touch.tensor.address)?;
                let part = if touch.tensor.is_whole_storage() {
                    Part::Whole
                } else {
                    Part::View(touch.tensor.offset, touch.tensor.sizes.clone())
                };
                Some((block, part, touch.does.writes()))
            });
        let parts = parts.collect();
        let found = self.branches.used(graph, index, &own, parts, order);
        for harm in found {
            self.found(graph, None, harm);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activity::memory::{Block, Event};
    use cgsan_model::ThreadId;

    /// Blocks with these ranges, given out one after the other, each used unless it is in `unused`.
    fn before(ranges: &[(u64, u64)], unused: &[usize]) -> Vec<Vec<usize>> {
        let mut memory = Memory::default();
        let mut branches = Branches::default();
        let mut order = Order::default();
        let event = Event {
            position: 0,
            thread: ThreadId(1),
            stack: None,
        };
        let mut ids = Vec::new();
        for (index, (address, bytes)) in ranges.iter().enumerate() {
            let id = memory.allocate(Block {
                address: *address,
                bytes: *bytes,
                allocated: event,
                freed: None,
                capture: Some(0),
                operation: None,
            });
            branches.allocated(0, id, &memory);
            if !unused.contains(&index) {
                branches.enqueued(index, Stream::Created(1), &mut order);
                branches.used(0, index, &[(id, true)], Vec::new(), &order);
            }
            ids.push(id);
        }
        let blocks = &branches.captures[&0];
        let place = |id: &BlockId| ids.iter().position(|it| it == id).unwrap();
        let before = |id| {
            let mut before: Vec<usize> = blocks
                .before
                .get(id)
                .into_iter()
                .flatten()
                .map(place)
                .collect();
            before.sort_unstable();
            before
        };
        ids.iter().map(before).collect()
    }

    #[test]
    fn a_block_lies_where_all_lay_that_it_shares_bytes_with() {
        let ranges = [(0, 100), (100, 100), (50, 100), (0, 40), (150, 50)];
        assert_eq!(
            before(&ranges, &[]),
            [vec![], vec![], vec![0, 1], vec![0], vec![1]]
        );
    }

    #[test]
    fn one_that_nothing_was_done_with_hides_none() {
        assert_eq!(
            before(&[(0, 8), (0, 8), (0, 4)], &[1]),
            [vec![], vec![0], vec![0]]
        );
    }
}
