//! Blocks of PyTorch's allocator through their lives.

use std::collections::BTreeMap;

use cgsan_model::ThreadId;
use cgsan_trace::FrameId;

use super::ranges::overlap;

/// A block, from being given out to being taken back: an index into [`Memory::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct BlockId(usize);

impl BlockId {
    /// Its place among [`Memory::blocks`].
    pub(crate) fn index(self) -> usize {
        self.0
    }
}

/// What the allocator gave out once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) allocated: Event,
    pub(crate) freed: Option<Event>,
    /// The capture during which it was given out, if by its thread or from its pool.
    pub(crate) capture: Option<usize>,
    /// The innermost operator that it was given out in.
    pub(crate) operation: Option<usize>,
}

/// Something that happened to a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) position: usize,
    pub(crate) thread: ThreadId,
    pub(crate) stack: Option<FrameId>,
}

/// All blocks, and those in use.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) blocks: Vec<Block>,
    /// Blocks in use by their first byte; they do not overlap.
    live: BTreeMap<u64, BlockId>,
}

impl Block {
    /// Whether the program holds it at a place of the trace.
    pub(crate) fn is_held_at(&self, position: usize) -> bool {
        self.allocated.position < position
            && self.freed.is_none_or(|freed| freed.position > position)
    }

    /// Whether it shares a byte with a range.
    pub(crate) fn overlaps(&self, address: u64, bytes: u64) -> bool {
        overlap((self.address, self.bytes), (address, bytes))
    }
}

impl Memory {
    /// The blocks that a capture allocated, in this order.
    pub(crate) fn of_capture(
        &self,
        capture: usize,
    ) -> impl DoubleEndedIterator<Item = (BlockId, &Block)> {
        let blocks = self.blocks.iter().enumerate();
        blocks
            .filter(move |(_, block)| block.capture == Some(capture))
            .map(|(index, block)| (BlockId(index), block))
    }

    /// A block is given out. What is in use there was freed while nobody watched.
    pub(crate) fn allocate(&mut self, block: Block) -> BlockId {
        let stale: Vec<BlockId> = self.overlapping(block.address, block.bytes).collect();
        for id in stale {
            self.end(id, block.allocated);
        }
        let id = BlockId(self.blocks.len());
        self.live.insert(block.address, id);
        self.blocks.push(block);
        id
    }

    /// The block in use that begins there is taken back.
    pub(crate) fn free(&mut self, address: u64, event: Event) -> Option<BlockId> {
        let id = *self.live.get(&address)?;
        self.end(id, event);
        Some(id)
    }

    fn end(&mut self, id: BlockId, event: Event) {
        let block = &mut self.blocks[id.0];
        block.freed = Some(event);
        self.live.remove(&block.address);
    }

    /// All blocks, in the order in which they were given out.
    pub(crate) fn ids(&self) -> impl Iterator<Item = BlockId> {
        (0..self.blocks.len()).map(BlockId)
    }

    /// The blocks that were given out after a place of the trace, latest first.
    pub(crate) fn allocated_since(&self, position: usize) -> impl Iterator<Item = BlockId> {
        let blocks = self.blocks.iter().enumerate().rev();
        blocks
            .take_while(move |(_, block)| block.allocated.position > position)
            .map(|(index, _)| BlockId(index))
    }

    /// The block in use that holds an address.
    pub(crate) fn at(&self, address: u64) -> Option<BlockId> {
        let (_, id) = self.live.range(..=address).next_back()?;
        self[*id].overlaps(address, 1).then_some(*id)
    }

    /// The blocks in use that share a byte with a range.
    pub(crate) fn overlapping(&self, address: u64, bytes: u64) -> impl Iterator<Item = BlockId> {
        let before = self.at(address).map(|id| self[id].address);
        let start = before.unwrap_or(address);
        let end = address.saturating_add(bytes).max(start);
        self.live.range(start..end).map(|(_, id)| *id)
    }
}

impl std::ops::Index<BlockId> for Memory {
    type Output = Block;

    fn index(&self, id: BlockId) -> &Block {
        &self.blocks[id.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(position: usize) -> Event {
        Event {
            position,
            thread: ThreadId(1),
            stack: None,
        }
    }

    fn block(address: u64, bytes: u64, position: usize) -> Block {
        Block {
            address,
            bytes,
            allocated: event(position),
            freed: None,
            capture: None,
            operation: None,
        }
    }

    #[test]
    fn an_address_is_of_the_block_that_holds_it_now() {
        let mut memory = Memory::default();
        let first = memory.allocate(block(100, 50, 0));
        assert_eq!(memory.at(149), Some(first));
        assert_eq!(memory.at(150), None);
        assert_eq!(memory.free(100, event(1)), Some(first));
        let second = memory.allocate(block(100, 20, 2));
        assert_eq!(memory.at(110), Some(second));
        assert_eq!(memory.at(130), None);
        assert_eq!(memory[first].freed.map(|it| it.position), Some(1));
    }

    #[test]
    fn a_block_whose_end_was_not_seen_ends_where_another_begins() {
        let mut memory = Memory::default();
        let first = memory.allocate(block(100, 50, 0));
        let second = memory.allocate(block(120, 8, 5));
        assert_eq!(memory[first].freed.map(|it| it.position), Some(5));
        let there: Vec<BlockId> = memory.overlapping(0, 1000).collect();
        assert_eq!(there, [second]);
    }
}
