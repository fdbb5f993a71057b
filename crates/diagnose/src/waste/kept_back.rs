//! Memory from before a capture that was freed in it: neither the capture nor the driver gets it.

use std::collections::BTreeMap;

use super::kind::{Change, Changes, Kind, Waste};
use crate::activity::BlockId;
use crate::pools::{EAGER, Pools, total};
use crate::trial::{Placed, Scope, Sequence, Step, number};

pub(super) fn find(pools: &Pools<'_, '_>) -> Vec<Waste> {
    let mut freed: BTreeMap<usize, Vec<BlockId>> = BTreeMap::new();
    for id in pools.activity.memory.ids() {
        if let Some(capture) = freed_in(pools, id) {
            freed.entry(capture).or_default().push(id);
        }
    }
    let wastes = freed
        .into_iter()
        .map(|(capture, blocks)| of_capture(pools, capture, blocks));
    wastes.flatten().collect()
}

fn of_capture(pools: &Pools<'_, '_>, capture: usize, mut blocks: Vec<BlockId>) -> Option<Waste> {
    if pools.run(capture).ended_badly() {
        return None;
    }
    let graph = &pools.activity.graphs[capture];
    blocks.retain(|id| graph.accesses.iter().all(|it| it.block != *id));
    let memory = &pools.activity.memory;
    blocks.sort_by_key(|id| std::cmp::Reverse(memory[*id].bytes));
    let freed = total(blocks.iter().map(|it| memory[*it].bytes));
    let estimate = freed.min(pools.peak_of(capture));
    (estimate > 0).then_some(Waste {
        estimate,
        kind: Kind::KeptBack { capture, blocks },
    })
}

/// The capture whose thread freed a block of the eager pool during it that was there before.
fn freed_in(pools: &Pools<'_, '_>, id: BlockId) -> Option<usize> {
    let block = &pools.activity.memory[id];
    let freed = block.freed.filter(|_| block.capture.is_none())?;
    let captures = &pools.history.captures;
    let began = captures.partition_point(|it| it.began.position < freed.position);
    let capture = began.checked_sub(1)?;
    let run = &captures[capture];
    let is_freed_in = run.spans(freed.position)
        && freed.thread == run.thread()
        && block.allocated.position < run.began.position;
    (is_freed_in && pools.pool_of(block).is_none_or(|it| it == EAGER)).then_some(capture)
}

/// They are freed before the capture, and the cache is emptied.
pub(super) fn changes(
    pools: &Pools<'_, '_>,
    capture: usize,
    blocks: &[BlockId],
) -> Option<Changes> {
    let sequence = Sequence::new(pools, Scope::All)?;
    let before = pools.before(capture)?.position;
    let mut steps = sequence.steps.clone();
    for placed in &mut steps {
        if let Step::Free { block, .. } = placed.step
            && blocks.iter().any(|it| number(*it) == block)
        {
            placed.position = before;
        }
    }
    // With `capture_begin()` nothing else empties it.
    let step = Step::EmptyCache;
    steps.push(Placed {
        position: before,
        step,
    });
    steps.sort_by_key(|it| (it.position, !matches!(it.step, Step::Free { .. })));
    Some(Changes {
        sequence,
        changed: vec![(Change::Plain, steps)],
        at_end: false,
    })
}
