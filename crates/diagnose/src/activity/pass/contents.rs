//! What lies in blocks.

use cgsan_trace::FrameId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::activity::memory::BlockId;
use crate::activity::ranges::Ranges;

/// What lies in each block that lives, and in each that a graph reads.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) of: FxHashMap<BlockId, Content>,
    /// The operators that wrote blocks eagerly, until a replay of the block's own graph.
    pub(super) written_since: FxHashMap<BlockId, usize>,
    /// The blocks that captured work touches and that another capture allocated, or none.
    pub(super) used: FxHashSet<BlockId>,
    /// Blocks that the program has written, and of which a replay then wrote views only, after its temporaries.
    pub(super) lost: FxHashMap<BlockId, Lost>,
    /// Freed blocks that graphs read: their memory still counts.
    pub(super) inputs: Vec<BlockId>,
}

/// What a replay left of a block.
#[derive(Debug)]
pub(super) struct Lost {
    /// The replay.
    pub(super) by: usize,
    /// The views that it wrote anew; the rest is what a temporary was.
    pub(super) views: Ranges,
}

/// What lies in a block, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// What the block's own writers wrote.
    Own,
    /// What a replay wrote that has nothing to do with the block.
    Foreign {
        /// The replay.
        by: usize,
    },
    /// Nothing: its memory was unmapped, and nobody has written what may be mapped there since.
    Unmapped {
        /// Where it was unmapped.
        gone: Option<FrameId>,
        /// Where other memory was mapped there.
        back: Option<FrameId>,
    },
    /// Nothing yet: it was made without an operator that would have written it.
    Unwritten,
}

impl Contents {
    /// Operators and blocks were counted, and not recorded one by one.
    pub(super) fn gap(&mut self) {
        self.written_since.clear();
        self.lost.clear();
        for content in self.of.values_mut() {
            *content = Content::Own;
        }
    }

    /// A block was freed.
    pub(super) fn freed(&mut self, block: BlockId) {
        if self.used.contains(&block) {
            self.inputs.push(block);
        } else {
            self.of.remove(&block);
        }
        self.lost.remove(&block);
    }
}
