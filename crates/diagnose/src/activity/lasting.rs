//! The memory that outlives a call: parameters, states, static inputs.

use rustc_hash::FxHashSet;

use super::Activity;
use super::memory::BlockId;
use super::region::Call;

/// The blocks that a call touches and that were there before it.
#[derive(Debug, Default)]
pub(super) struct Lasting {
    blocks: FxHashSet<BlockId>,
    /// Whether it changes one of them.
    writes: bool,
}

impl Lasting {
    /// What a call touches, its inner operators included.
    pub(super) fn of(activity: &Activity<'_>, call: &Call) -> Lasting {
        let operation = |index: &usize| &activity.operations[*index];
        let (Some(first), Some(last)) = (call.operations.first(), call.operations.last()) else {
            return Lasting::default();
        };
        let (begin, end) = (operation(first).position, operation(last).end);
        let all = &activity.operations;
        let inside = all.partition_point(|it| it.position < begin)
            ..all.partition_point(|it| it.position <= end);
        let mut lasting = Lasting::default();
        for (block, writes) in all[inside]
            .iter()
            .filter(|it| it.thread == operation(first).thread)
            .flat_map(|it| it.touched.iter())
        {
            if activity.memory[*block].allocated.position < begin {
                lasting.blocks.insert(*block);
                lasting.writes |= *writes;
            }
        }
        lasting
    }

    /// Whether two calls each change a state of their own and share nothing, as the steps of two optimizers do: that these
    /// differ says nothing of either.
    pub(super) fn is_apart_from(&self, other: &Lasting) -> bool {
        self.writes && other.writes && self.blocks.is_disjoint(&other.blocks)
    }
}
