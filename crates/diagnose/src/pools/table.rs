//! Who holds what.

use std::collections::{BTreeMap, BTreeSet};

use cgsan_finding::{GraphMemory, Holder, Location, MemoryAt, MemoryUse, PoolAt};
use cgsan_trace::{DeviceMemory, MemoryMoment};

use super::eager_peak::EagerRuns;
use super::{Moment, Pools, most_at_once, timeline, total};
use crate::activity::Block;
use crate::history::stack;
use crate::process;

/// How many lines are told of.
const LINES: usize = 20;

/// What a process held; `None` if it was never asked.
pub(crate) fn table(pools: &Pools<'_, '_>) -> Option<MemoryUse> {
    pools.last()?;
    let captures = 0..pools.history.captures.len();
    let eager_runs = EagerRuns::new(pools);
    Some(MemoryUse {
        process: process::of(pools.history.trace, 1),
        virtual_gpu: pools.history.trace.process().virtual_gpu,
        moments: pools.moments.iter().map(at).collect(),
        graphs: captures
            .map(|capture| of_graph(pools, &eager_runs, capture))
            .collect(),
        holders: holders(pools),
        timeline: timeline::timeline(pools),
    })
}

fn at(moment: &Moment<'_>) -> MemoryAt {
    let sum = |value: fn(&DeviceMemory) -> u64| total(moment.devices.iter().map(value));
    let there = moment
        .pools
        .as_deref()
        .unwrap_or_default()
        .iter()
        .map(|it| it.pool);
    let pools = there.collect::<BTreeSet<_>>().into_iter().map(|pool| {
        let sum = moment.pool(pool);
        PoolAt {
            pool,
            reserved: sum.reserved,
            allocated: sum.allocated,
            pending: sum.pending,
            split: sum.split,
        }
    });
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
        pools: pools.collect(),
    }
}

fn of_graph(
    pools: &Pools<'_, '_>,
    eager_runs: &EagerRuns<'_, '_, '_>,
    capture: usize,
) -> GraphMemory {
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
        eager_peak: eager_runs.peak_of(capture),
        inputs: total(inputs.map(|block| block.bytes)),
        outputs: total(pools.outputs_of(capture).map(|block| block.bytes)),
        executable: pools.executables.taken(capture),
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
        holder.bytes = holder.bytes.saturating_add(block.bytes);
        holder.blocks += 1;
    }
    let mut holders: Vec<Holder> = places.into_values().collect();
    holders.sort_by_key(|it| std::cmp::Reverse(it.bytes));
    holders.truncate(LINES);
    holders
}

impl Pools<'_, '_> {
    /// The line that allocated a block; for what autograd allocated, the line that waited for it.
    pub(crate) fn location_of(&self, block: &Block) -> Option<Location> {
        let stack = self.history.trace.stack(block.allocated.stack?);
        stack::user_location(&stack)
    }

    /// The most that the program held at once of what a capture allocated.
    pub(crate) fn peak_of(&self, capture: usize) -> u64 {
        let end = self.run(capture).ended.map_or(usize::MAX, |it| it.position);
        let mut changes = Vec::new();
        for block in self.blocks_of(capture) {
            let bytes = i128::from(block.bytes);
            changes.push((block.allocated.position, bytes));
            if let Some(freed) = block.freed.filter(|it| it.position < end) {
                changes.push((freed.position, -bytes));
            }
        }
        most_at_once(changes)
    }

    /// What a capture allocated and the program held at its end.
    pub(crate) fn outputs_of(&self, capture: usize) -> impl Iterator<Item = &Block> {
        let end = self.run(capture).ended.map_or(usize::MAX, |it| it.position);
        self.blocks_of(capture).filter(move |it| it.is_held_at(end))
    }
}
