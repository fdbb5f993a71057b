//! Who holds what.

use std::collections::BTreeMap;

use cgsan_finding::{GraphMemory, Holder, MemoryAt, MemoryUse, PoolAt};
use cgsan_trace::MemoryMoment;

use super::{Moment, PoolId, Pools};
use crate::history::stack;
use crate::process;

/// How many lines are told of.
const LINES: usize = 20;

/// What a process held; `None` if it was never asked.
pub(crate) fn table(pools: &Pools<'_, '_>) -> Option<MemoryUse> {
    pools.last()?;
    let captures = 0..pools.history.captures.len();
    Some(MemoryUse {
        process: process::of(pools.history.trace, 1),
        moments: pools.moments.iter().map(at).collect(),
        graphs: captures.map(|capture| of_graph(pools, capture)).collect(),
        holders: holders(pools),
    })
}

fn at(moment: &Moment<'_>) -> MemoryAt {
    let sum = |value: fn(&cgsan_trace::DeviceMemory) -> u64| moment.devices.iter().map(value).sum();
    let mut pools: BTreeMap<PoolId, PoolAt> = BTreeMap::new();
    for it in moment.pools.unwrap_or_default() {
        let sum = pools.entry(it.pool).or_insert(PoolAt {
            pool: it.pool,
            reserved: 0,
            allocated: 0,
            pending: 0,
            split: 0,
        });
        sum.reserved += it.reserved;
        sum.allocated += it.allocated;
        sum.pending += it.pending;
        sum.split += it.split;
    }
    MemoryAt {
        moment: match moment.kind {
            MemoryMoment::BeforeCapture => "before_capture",
            MemoryMoment::CaptureEnds => "capture_ends",
            MemoryMoment::Replay => "replay",
            MemoryMoment::ProgramEnds => "program_ends",
        },
        graph: moment.capture.map(|capture| capture + 1),
        reserved: moment.reserved(),
        allocated: sum(|it| it.allocated),
        pending: sum(|it| it.active.saturating_sub(it.allocated)),
        split: sum(|it| it.split),
        reserved_peak: sum(|it| it.reserved_peak),
        pools: pools.into_values().collect(),
    }
}

fn of_graph(pools: &Pools<'_, '_>, capture: usize) -> GraphMemory {
    let run = pools.run(capture);
    let graph = &pools.activity.graphs[capture];
    let memory = &pools.activity.memory;
    let inputs = graph.first_accesses().map(|access| memory[access.block]);
    let inputs = inputs.filter(|block| block.capture != Some(capture));
    GraphMemory {
        graph: capture + 1,
        location: pools.history.location_of(run.began),
        pool: pools.of_capture(capture),
        captured: run.ended.is_some_and(|ended| !ended.failed()),
        peak: pools.peak_of(capture),
        inputs: inputs.map(|block| block.bytes).sum(),
        outputs: pools.outputs_of(capture).map(|block| block.bytes).sum(),
        replays: graph.replays as u64,
    }
}

/// Of the moment at which the most was reserved.
fn holders(pools: &Pools<'_, '_>) -> Vec<Holder> {
    let mut moments = pools.moments.iter().rev();
    let Some(most) = moments.by_ref().max_by_key(|it| it.reserved()) else {
        return Vec::new();
    };
    let mut places: BTreeMap<_, Holder> = BTreeMap::new();
    for block in &pools.activity.memory.blocks {
        if !block.is_held_at(most.position) {
            continue;
        }
        let pool = pools.pool_of(block);
        let location = pools.location_of(block);
        let key = (location.as_ref().map(|it| (it.file.clone(), it.line)), pool);
        let holder = places.entry(key).or_insert(Holder {
            location,
            pool,
            bytes: 0,
            blocks: 0,
        });
        holder.bytes += block.bytes;
        holder.blocks += 1;
    }
    let mut holders: Vec<Holder> = places.into_values().collect();
    holders.sort_by_key(|it| std::cmp::Reverse(it.bytes));
    holders.truncate(LINES);
    holders
}

impl Pools<'_, '_> {
    /// The line that allocated a block; for what autograd allocated, the line that waited for it.
    pub(crate) fn location_of(
        &self,
        block: &crate::activity::Block,
    ) -> Option<cgsan_finding::Location> {
        let stack = self.history.trace.stack(block.allocated.stack?);
        stack::user_location(&stack)
    }

    /// The most that the program held at once of what a capture allocated.
    pub(crate) fn peak_of(&self, capture: usize) -> u64 {
        let end = self.run(capture).ended.map_or(usize::MAX, |it| it.position);
        let mut changes = Vec::new();
        for block in &self.activity.memory.blocks {
            if block.capture == Some(capture) {
                changes.push((block.allocated.position, block.bytes.cast_signed()));
                if let Some(freed) = block.freed.filter(|it| it.position < end) {
                    changes.push((freed.position, -block.bytes.cast_signed()));
                }
            }
        }
        changes.sort_unstable();
        let mut held = 0;
        let sums = changes.iter().map(|(_, change)| {
            held += change;
            held
        });
        sums.max().unwrap_or_default().cast_unsigned()
    }

    /// What a capture allocated and the program held at its end.
    pub(crate) fn outputs_of(
        &self,
        capture: usize,
    ) -> impl Iterator<Item = &crate::activity::Block> {
        let end = self.run(capture).ended.map_or(usize::MAX, |it| it.position);
        let blocks = self.activity.memory.blocks.iter();
        blocks.filter(move |it| it.capture == Some(capture) && it.is_held_at(end))
    }
}
