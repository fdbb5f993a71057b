//! Memory that a program could do without: what is wasted, and the change that would save it.
//!
//! Each file finds one kind. What a change saves is tried, with the recorded sequence of allocations, where that can be done;
//! else it is computed. Little is not told: see [`is_worth_telling`].

mod eager_beside;
mod growing;
mod kept_back;
mod kept_on;
mod kind;
mod leaked;
mod own_inputs;
mod own_pools;
mod put_aside;
mod reorder;
mod split_beside;

pub(crate) use kind::{Change, Kind, Waste};

use rustc_hash::FxHashSet;

use kind::Changes;

use crate::activity::BlockId;
use crate::pools::Pools;
use crate::trial::{Reserved, Scope, Sequence, Step, Trial, Try, number};

/// What is worth telling, in bytes.
pub(crate) const MUCH: u64 = 64 << 20;
/// And as a part of what was reserved at most: one in so many.
pub(crate) const PART: u64 = 10;

/// What a change saves, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Saving {
    pub(crate) bytes: u64,
    /// The change that saves this.
    pub(crate) change: Change,
    /// What the plain change saves, where another saves more.
    pub(crate) plain: Option<u64>,
    /// Whether it was tried, and not computed.
    pub(crate) tried: bool,
}

/// All waste of a process that is worth telling, with what changes save.
pub(crate) fn find(pools: &Pools<'_, '_>, attempt: &mut Try<'_>) -> Vec<(Waste, Saving)> {
    let found = own_pools::find(pools)
        .into_iter()
        .chain(own_inputs::find(pools))
        .chain(eager_beside::find(pools))
        .chain(growing::find(pools))
        .chain(split_beside::find(pools))
        .chain(put_aside::find(pools))
        .chain(kept_back::find(pools))
        .chain(kept_on::find(pools))
        .chain(leaked::find(pools));
    let worth_a_try = found.filter(|it| is_worth_telling(it.estimate, pools));
    let worth_a_try: Vec<Waste> = worth_a_try.collect();
    let measured = worth_a_try.into_iter().filter_map(|waste| {
        let saving = waste.tried(pools, attempt).or_else(|| waste.computed())?;
        Some((waste, saving))
    });
    measured
        .filter(|(_, saving)| is_worth_telling(saving.bytes, pools))
        .collect()
}

/// Whether so many bytes are much in themselves and beside what the program has reserved; where memory ran out, one is enough.
fn is_worth_telling(bytes: u64, pools: &Pools<'_, '_>) -> bool {
    let is_much = bytes >= MUCH;
    let is_a_part = bytes > 0 && bytes.saturating_mul(PART) >= pools.peak_reserved();
    if pools.ran_out() {
        is_much || is_a_part
    } else {
        is_much && is_a_part
    }
}

/// Some blocks are left out.
fn without(pools: &Pools<'_, '_>, blocks: &[BlockId]) -> Option<Changes> {
    let sequence = Sequence::new(pools, Scope::All)?;
    let left_out: FxHashSet<u64> = blocks.iter().map(|it| number(*it)).collect();
    let steps = sequence.steps.iter().filter(|placed| match placed.step {
        Step::Allocate { block, .. } | Step::Free { block, .. } => !left_out.contains(&block),
        _ => true,
    });
    Some(Changes {
        changed: vec![(Change::Plain, steps.cloned().collect())],
        sequence,
        at_end: false,
    })
}

impl Waste {
    /// What it saves by the sizes of blocks, where these tell: not where it depends on how they would lie.
    fn computed(&self) -> Option<Saving> {
        let is_exact = !matches!(self.kind, Kind::Growing { .. } | Kind::EagerBeside { .. });
        is_exact.then_some(Saving {
            bytes: self.estimate,
            change: Change::Plain,
            plain: None,
            tried: false,
        })
    }

    /// What to try against it.
    fn changes(&self, pools: &Pools<'_, '_>) -> Option<Changes> {
        match &self.kind {
            Kind::OwnPools { captures, .. } => own_pools::changes(pools, captures),
            Kind::OwnInputs { blocks } => without(pools, &blocks[1..]),
            Kind::KeptOn { blocks, .. } => without(pools, blocks),
            Kind::EagerBeside {
                capture, blocks, ..
            } => eager_beside::changes(pools, *capture, blocks),
            Kind::Growing { captures, .. } => growing::changes(pools, captures),
            Kind::PutAside {
                capture, blocks, ..
            } => put_aside::changes(pools, *capture, blocks),
            Kind::KeptBack { capture, blocks } => kept_back::changes(pools, *capture, blocks),
            Kind::Leaked { .. } => leaked::changes(pools),
            // Which tensors would have to be made earlier is the program's to say.
            Kind::SplitBeside { .. } => None,
        }
    }

    /// What the change saves when it is tried; `None` if that cannot be done, or the recorded sequence does not reserve what
    /// the program did.
    fn tried(&self, pools: &Pools<'_, '_>, attempt: &mut Try<'_>) -> Option<Saving> {
        let changes = self.changes(pools)?;
        let sequence = &changes.sequence;
        let recorded = sequence.run(sequence.steps.clone());
        let others = changes.changed.iter();
        let others = others.map(|(_, steps)| sequence.run(steps.clone()));
        let runs = std::iter::once(recorded).chain(others).collect();
        let outcome = attempt(pools.history.trace, &Trial { runs })?;
        let value = |reserved: &Reserved| match sequence.scope {
            Scope::Graphs => reserved.of_graphs,
            Scope::All => reserved.all,
        };
        let (first, others) = outcome.split_first()?;
        let is_reproduced = first.len() == sequence.recorded.len()
            && first
                .iter()
                .map(value)
                .eq(sequence.recorded.iter().copied());
        if !is_reproduced {
            return None;
        }
        let result = |looks: &[Reserved]| {
            if changes.at_end {
                looks.last().map(value)
            } else {
                looks.iter().map(value).max()
            }
        };
        let before = result(first)?;
        let mut savings = changes
            .changed
            .iter()
            .zip(others)
            .filter_map(|((change, _), looks)| {
                Some((*change, before.saturating_sub(result(looks)?)))
            });
        let (change, plain) = savings.next()?;
        let better = savings.filter(|(_, more)| *more > plain.saturating_add(plain / 20));
        Some(match better.max_by_key(|(_, more)| *more) {
            Some((change, bytes)) => Saving {
                bytes,
                change,
                plain: Some(plain),
                tried: true,
            },
            None => Saving {
                bytes: plain,
                change,
                plain: None,
                tried: true,
            },
        })
    }
}
