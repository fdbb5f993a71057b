//! Memory that a line allocates between any two replays, and that the program keeps without a use.

use std::collections::{BTreeMap, BTreeSet};

use cgsan_trace::Record;
use rustc_hash::FxHashMap;

use super::{Kind, Waste};
use crate::activity::BlockId;
use crate::pools::{Pools, total};

/// Between how many replays a line has to allocate.
const MANY: usize = 16;

pub(super) fn find(pools: &Pools<'_, '_>) -> Vec<Waste> {
    let replays: Vec<usize> = pools
        .activity
        .replays
        .iter()
        .map(|it| it.position)
        .collect();
    // Where operators were counted only, nobody knows what they used.
    let mut entries = pools.history.trace.entries().iter();
    let is_counted = entries.any(|it| matches!(it.record, Record::Counted(_)));
    if replays.len() < MANY || is_counted {
        return Vec::new();
    }
    let mut lines: BTreeMap<_, Vec<(usize, BlockId)>> = BTreeMap::new();
    // Lines of which something is used or released: what is kept there is kept for a time.
    let mut others = BTreeSet::new();
    let last_uses = last_uses(pools);
    for id in pools.activity.memory.ids() {
        let block = &pools.activity.memory[id];
        let after = replays.partition_point(|it| *it < block.allocated.position);
        let (Some(next), Some(end)) = (replays.get(after), replays.last()) else {
            continue;
        };
        // What no operator allocated may be used by what is not followed.
        let is_eager = block.capture.is_none() && block.operation.is_some();
        let Some(line) = pools
            .location_of(block)
            .filter(|_| after > 0 && is_eager)
            .map(|line| (line.file, line.line))
        else {
            continue;
        };
        let is_used = last_uses.get(&id).is_some_and(|last| last > next);
        if is_used || !block.is_held_at(*end) {
            others.insert(line);
        } else {
            lines.entry(line).or_default().push((after, id));
        }
    }
    lines.retain(|line, _| !others.contains(line));
    lines
        .into_values()
        .filter_map(|kept| waste(pools, &kept))
        .collect()
}

/// What a line allocated, each block with the number of replays before it.
fn waste(pools: &Pools<'_, '_>, kept: &[(usize, BlockId)]) -> Option<Waste> {
    let memory = &pools.activity.memory;
    let ((first, from), (last, to)) = (kept.first()?, kept.last()?);
    let mut between: Vec<usize> = kept.iter().map(|(after, _)| *after).collect();
    between.dedup();
    let is_steady = between.len() >= MANY && between.len() * 2 > last - first;
    let span = memory[*from].allocated.position..memory[*to].allocated.position;
    let mut captures = pools.history.captures.iter();
    let captures_meanwhile = captures.any(|run| span.contains(&run.began.position));
    let blocks: Vec<BlockId> = kept.iter().map(|(_, block)| *block).collect();
    (is_steady && !captures_meanwhile).then(|| Waste {
        estimate: total(blocks.iter().map(|it| memory[*it].bytes)),
        kind: Kind::KeptOn {
            blocks,
            replays: between.len(),
        },
    })
}

/// Where each block was last given to an operator.
fn last_uses(pools: &Pools<'_, '_>) -> FxHashMap<BlockId, usize> {
    let operations = pools.activity.operations.iter();
    let uses = operations.flat_map(|operation| {
        let touched = operation.touched.iter();
        touched.map(|(block, _)| (*block, operation.position))
    });
    uses.collect()
}
