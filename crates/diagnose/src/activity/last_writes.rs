//! Which of a graph's writes to some addresses is the last.
//!
//! Blocks of a graph lie over each other, since what one frees another is given. So addresses are cut wherever a block that is
//! written begins or ends: all bytes between two cuts are in the same blocks. Of each such piece the two blocks are kept that are
//! written last, one for those who ask for writes to other blocks than the last one's; and in a tree, of pieces side by side, the
//! two of all of them. So a question takes as many steps as the number of blocks has digits, however they lie.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::graph::Access;
use super::memory::{BlockId, Memory};

/// The last writes of a graph to all blocks that it writes.
#[derive(Debug, Default)]
pub(super) struct LastWrites {
    /// Where a block begins or ends, ascending.
    cuts: Vec<u64>,
    /// The pieces between cuts in the second half, and before them what lies above two others.
    tree: Vec<Latest>,
    /// The last write to each block that left nothing of it, as a place among the accesses; or what may have been one.
    whole: FxHashMap<BlockId, usize>,
}

/// The last write to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Write {
    /// Its place among the accesses.
    place: usize,
    block: BlockId,
}

/// The last write to some addresses, and the last to another block than that one's.
#[derive(Clone, Copy, Debug, Default)]
struct Latest {
    last: Option<Write>,
    other: Option<Write>,
}

impl Latest {
    /// The latest of both.
    fn and(self, more: Latest) -> Latest {
        let (later, earlier) = if self.last < more.last {
            (more, self)
        } else {
            (self, more)
        };
        let other = if earlier.last == later.last {
            earlier.other
        } else {
            earlier.last
        };
        Latest {
            last: later.last,
            other: later.other.max(other),
        }
    }
}

impl LastWrites {
    /// Those of a graph, given by its accesses in order.
    pub(super) fn of(accesses: &[Access], memory: &Memory) -> LastWrites {
        let mut last: FxHashMap<BlockId, usize> = FxHashMap::default();
        let mut whole = FxHashMap::default();
        for (place, access) in accesses.iter().enumerate() {
            if access.does.writes() {
                last.insert(access.block, place);
            }
            if access.does.may_write() && !access.leaves_rest {
                whole.insert(access.block, place);
            }
        }
        let mut ends: Vec<(u64, bool, Write)> = Vec::with_capacity(2 * last.len());
        for (block, place) in last {
            let write = Write { place, block };
            let block = memory[block];
            ends.push((block.address, true, write));
            ends.push((block.address.saturating_add(block.bytes), false, write));
        }
        ends.sort_unstable();
        let mut cuts: Vec<u64> = ends.iter().map(|(address, ..)| *address).collect();
        cuts.dedup();
        let pieces = cuts.len().saturating_sub(1);
        let mut tree = vec![Latest::default(); 2 * pieces];
        let mut there = BTreeSet::new();
        let mut ends = ends.into_iter().peekable();
        for (piece, latest) in tree[pieces..].iter_mut().enumerate() {
            while let Some((_, begins, write)) = ends.next_if(|(at, ..)| *at == cuts[piece]) {
                if begins {
                    there.insert(write);
                } else {
                    there.remove(&write);
                }
            }
            let mut latest_first = there.iter().rev().copied();
            *latest = Latest {
                last: latest_first.next(),
                other: latest_first.next(),
            };
        }
        for above in (1..pieces).rev() {
            tree[above] = tree[2 * above].and(tree[2 * above + 1]);
        }
        LastWrites { cuts, tree, whole }
    }

    /// Whether what such a graph leaves in a block is what its writes to this very block put there; `None` if it leaves it as it is.
    pub(super) fn leave_own(&self, id: BlockId, memory: &Memory) -> Option<bool> {
        let block = memory[id];
        let latest = self.latest(block.address, block.bytes);
        let is_own = |write: &Write| write.block == id;
        let other = match latest.last {
            Some(last) if is_own(&last) => latest.other,
            last => last,
        };
        let other = other.map(|it| it.place);
        let own = self.whole.get(&id).copied();
        (own.is_some() || other.is_some()).then_some(own > other)
    }

    /// The latest to so many bytes.
    fn latest(&self, address: u64, bytes: u64) -> Latest {
        let end = address.saturating_add(bytes);
        let pieces = self.tree.len() / 2;
        let first = self.cuts.partition_point(|cut| *cut <= address);
        let mut first = first.saturating_sub(1) + pieces;
        let mut behind = self.cuts.partition_point(|cut| *cut < end).min(pieces) + pieces;
        let mut latest = Latest::default();
        while first < behind {
            if !first.is_multiple_of(2) {
                latest = latest.and(self.tree[first]);
                first += 1;
            }
            if !behind.is_multiple_of(2) {
                behind -= 1;
                latest = latest.and(self.tree[behind]);
            }
            first /= 2;
            behind /= 2;
        }
        latest
    }
}

#[cfg(test)]
mod tests {
    use cgsan_model::ThreadId;
    use proptest::prelude::*;

    use super::*;
    use crate::activity::memory::{Block, Event};
    use crate::activity::operation::Does;

    /// Blocks one after the other: an address, bytes, and writes that leave the rest or do not.
    type Written = Vec<(u64, u64, Vec<bool>)>;

    /// All blocks, each freed before the next one is given out, and their writes in an order that mixes them.
    fn recorded(written: &Written, mixed: &[usize]) -> (Memory, Vec<BlockId>, Vec<Access>) {
        let mut memory = Memory::default();
        let mut ids = Vec::new();
        let mut accesses = Vec::new();
        for (position, (address, bytes, writes)) in written.iter().enumerate() {
            let event = Event {
                position,
                thread: ThreadId(1),
                stack: None,
            };
            let id = memory.allocate(Block {
                address: *address,
                bytes: *bytes,
                allocated: event,
                freed: None,
                capture: None,
                operation: None,
            });
            ids.push(id);
            memory.free(*address, event);
            accesses.extend(writes.iter().map(|leaves_rest| Access {
                block: id,
                does: Does::Writes,
                leaves_rest: *leaves_rest,
                operation: 0,
            }));
        }
        for (at, with) in mixed.iter().enumerate() {
            if at < accesses.len() {
                let with = with % accesses.len();
                accesses.swap(at, with);
            }
        }
        (memory, ids, accesses)
    }

    /// The definition: the last write to the block's addresses has the last word, but one to a part of the block itself has none.
    fn defined(memory: &Memory, accesses: &[Access], id: BlockId) -> Option<bool> {
        let touched = |access: &&Access| {
            let other = memory[access.block];
            memory[id].overlaps(other.address, other.bytes)
                && !(access.block == id && access.leaves_rest)
        };
        let last = accesses.iter().rfind(touched);
        last.map(|access| access.block == id)
    }

    proptest! {
        #[test]
        fn the_last_write_to_a_blocks_addresses_has_the_last_word(
            written in proptest::collection::vec(
                (0_u64..60, 1_u64..20, proptest::collection::vec(any::<bool>(), 0..3)),
                0..14,
            ),
            mixed in proptest::collection::vec(0_usize..100, 0..30),
        ) {
            let (memory, ids, accesses) = recorded(&written, &mixed);
            let last_writes = LastWrites::of(&accesses, &memory);
            for id in ids {
                prop_assert_eq!(
                    last_writes.leave_own(id, &memory),
                    defined(&memory, &accesses, id)
                );
            }
        }
    }
}
