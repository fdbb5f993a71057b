//! The memory that outlives a call: parameters, states, static inputs.

use rustc_hash::FxHashSet;

use super::Activity;
use super::memory::BlockId;
use super::region::Call;

/// The blocks that a call touches and that were there before it.
#[derive(Clone, Debug, Default)]
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

    fn add(&mut self, more: &Lasting) {
        self.blocks.extend(&more.blocks);
        self.writes |= more.writes;
    }

    /// Whether two calls each change a state of their own and share nothing, as the steps of two optimizers do.
    fn is_apart_from(&self, other: &Lasting) -> bool {
        self.writes && other.writes && self.blocks.is_disjoint(&other.blocks)
    }
}

/// The states that calls work on, by number.
#[derive(Debug)]
pub(super) struct States(Vec<Lasting>);

impl States {
    /// The state of what was captured.
    pub(super) const CAPTURED: usize = 0;

    /// Knows the state of what was captured alone.
    pub(super) fn new(captured: impl Iterator<Item = Lasting>) -> States {
        let mut states = States(vec![Lasting::default()]);
        for lasting in captured {
            states.0[Self::CAPTURED].add(&lasting);
        }
        states
    }

    /// The state that a call works on: the first that it is not apart from, or a new one.
    pub(super) fn of(&mut self, lasting: &Lasting) -> usize {
        let known = self.0.iter().position(|it| !it.is_apart_from(lasting));
        if let Some(state) = known {
            // What the capture does not touch is no part of its state, and leads to no other.
            if state != Self::CAPTURED {
                self.0[state].add(lasting);
            }
            return state;
        }
        self.0.push(lasting.clone());
        self.0.len() - 1
    }
}
