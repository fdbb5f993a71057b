//! What lies in blocks.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::activity::memory::BlockId;

/// What lies in each block that lives, and in each that a graph reads.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) of: FxHashMap<BlockId, Content>,
    /// The operators that wrote blocks eagerly, until a replay of the block's own graph.
    pub(super) written_since: FxHashMap<BlockId, usize>,
    /// The blocks that captured work touches and that another capture allocated, or none.
    pub(super) used: FxHashSet<BlockId>,
    /// Freed blocks that graphs read: their memory still counts.
    pub(super) inputs: Vec<BlockId>,
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
}

impl Contents {
    /// Operators and blocks were counted, and not recorded one by one.
    pub(super) fn gap(&mut self) {
        self.written_since.clear();
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
    }
}
