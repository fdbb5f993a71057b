//! Where in a trace eager operators wrote blocks.

use rustc_hash::FxHashMap;

use super::memory::BlockId;

/// For each block that eager operators wrote, the places of their records, ascending.
#[derive(Debug, Default)]
pub(crate) struct Writes(FxHashMap<BlockId, Vec<usize>>);

impl Writes {
    /// An operator, later in the trace than all before, writes a block.
    pub(super) fn add(&mut self, block: BlockId, position: usize) {
        self.0.entry(block).or_default().push(position);
    }

    /// Where a block was written last.
    pub(crate) fn last(&self, block: BlockId) -> Option<usize> {
        self.0.get(&block)?.last().copied()
    }

    /// Each block that was written, and where it was last.
    pub(crate) fn all_last(&self) -> impl Iterator<Item = (BlockId, usize)> {
        let last = |(block, written): (&BlockId, &Vec<usize>)| Some((*block, *written.last()?));
        self.0.iter().filter_map(last)
    }

    /// Whether a block was written between two places of the trace.
    pub(crate) fn are_between(&self, block: BlockId, after: usize, before: usize) -> bool {
        self.0.get(&block).is_some_and(|written| {
            let next = written.partition_point(|it| *it <= after);
            written.get(next).is_some_and(|it| *it < before)
        })
    }
}
