//! Blocks that a capture freed and that it could not use again: another stream had used them.

use cgsan_model::{Call, Stream};
use cgsan_trace::{Argument, MemoryMoment};
use rustc_hash::FxHashSet;

use super::kind::{Change, Changes, Kind, Waste};
use crate::activity::{Block, BlockId};
use crate::history::stack;
use crate::pools::{Moment, Pools, most_at_once};
use crate::trial::{Scope, Sequence, Step, number};

pub(super) fn find(pools: &Pools<'_, '_>) -> Vec<Waste> {
    let ends = pools.moments.iter();
    let ends = ends.filter(|it| it.kind == MemoryMoment::CaptureEnds && !it.pending.is_empty());
    ends.flat_map(|moment| of_capture(pools, moment)).collect()
}

fn of_capture(pools: &Pools<'_, '_>, moment: &Moment<'_>) -> Vec<Waste> {
    let Some(capture) = moment.capture else {
        return Vec::new();
    };
    let mut of_calls: Vec<(Option<usize>, Vec<BlockId>)> = Vec::new();
    for block in put_aside(pools, moment, capture) {
        let recorded = record_stream(pools, &pools.activity.memory[block]);
        if recorded.is_none() && !is_of_autograd(pools, block) {
            continue;
        }
        // The calls of one line are one.
        let line = |call: Option<usize>| call.map(|it| pools.activity.operations[it].stack);
        match of_calls
            .iter_mut()
            .find(|(call, _)| line(*call) == line(recorded))
        {
            Some((_, blocks)) => blocks.push(block),
            None => of_calls.push((recorded, vec![block])),
        }
    }
    let wastes = of_calls.into_iter().map(|(recorded, blocks)| Waste {
        estimate: more_at_peak(pools, capture, &blocks),
        kind: Kind::PutAside {
            capture,
            blocks,
            recorded,
        },
    });
    wastes.collect()
}

/// What the capture needs more at its peak since these blocks were put aside.
fn more_at_peak(pools: &Pools<'_, '_>, capture: usize, blocks: &[BlockId]) -> u64 {
    let memory = &pools.activity.memory;
    let put_aside: FxHashSet<usize> = blocks
        .iter()
        .map(|it| memory[*it].allocated.position)
        .collect();
    let mut changes = Vec::new();
    for block in pools.blocks_of(capture) {
        let bytes = i128::from(block.bytes);
        changes.push((block.allocated.position, bytes));
        if !put_aside.contains(&block.allocated.position)
            && let Some(freed) = block.freed
        {
            changes.push((freed.position, -bytes));
        }
    }
    most_at_once(changes).saturating_sub(pools.peak_of(capture))
}

/// The blocks of a capture that wait at its end.
fn put_aside(pools: &Pools<'_, '_>, moment: &Moment<'_>, capture: usize) -> Vec<BlockId> {
    let memory = &pools.activity.memory;
    let began = pools.run(capture).began.position;
    let mut found: Vec<BlockId> = memory
        .allocated_since(began)
        .filter(|id| {
            let block = memory[*id];
            let is_waiting = || {
                moment
                    .pending
                    .iter()
                    .any(|(address, _)| *address == block.address)
            };
            block.capture == Some(capture)
                && block.freed.is_some_and(|it| it.position < moment.position)
                && is_waiting()
        })
        .collect();
    found.reverse();
    found
}

/// The call of `record_stream` for a block, if the program made one.
fn record_stream(pools: &Pools<'_, '_>, block: &Block) -> Option<usize> {
    let freed = block.freed.map_or(usize::MAX, |it| it.position);
    let operations = &pools.activity.operations;
    let first = operations.partition_point(|it| it.position < block.allocated.position);
    let mut while_held =
        (first..operations.len()).take_while(|it| operations[*it].position < freed);
    while_held.find(|index| {
        let operation = &operations[*index];
        let given = operation.arguments.first();
        let is_given = matches!(given, Some(Argument::Tensor(it)) if it.address == block.address);
        operation.name == "record_stream" && is_given
    })
}

/// Operators of process groups (`c10d`): they give tensors to streams of their own.
const COLLECTIVES: &[&str] = &[
    "allreduce",
    "allgather",
    "reduce",
    "gather",
    "scatter",
    "broadcast",
    "alltoall",
];

/// Whether autograd gave a block to another stream: it was freed, or allocated, inside a backward pass, and went to no collective.
fn is_of_autograd(pools: &Pools<'_, '_>, id: BlockId) -> bool {
    let block = &pools.activity.memory[id];
    let events = [Some(block.allocated), block.freed];
    let is_in_backward = events.into_iter().flatten().any(|event| {
        let frames = event.stack.map(|it| pools.history.trace.stack(it));
        let frames = frames.unwrap_or_default();
        pools.history.is_of_autograd(event.thread, event.position)
            || frames
                .iter()
                .any(|it| stack::is_torch_file(it, "autograd/"))
    });
    let freed = block.freed.map_or(usize::MAX, |it| it.position);
    let operations = &pools.activity.operations;
    let first = operations.partition_point(|it| it.position < block.allocated.position);
    let mut while_held = operations[first..]
        .iter()
        .take_while(|it| it.position < freed);
    let is_collective = |name: &str| {
        let name = name.trim_start_matches('_');
        COLLECTIVES.iter().any(|it| name.starts_with(it))
    };
    is_in_backward
        && !while_held.any(|it| {
            is_collective(it.name) && it.touched.iter().any(|(touched, _)| *touched == id)
        })
}

/// Each block is free once the stream that it belongs to has waited for the others.
pub(super) fn changes(
    pools: &Pools<'_, '_>,
    capture: usize,
    blocks: &[BlockId],
) -> Option<Changes> {
    let sequence = Sequence::new(pools, Scope::Graphs)?;
    let mut steps = sequence.steps.clone();
    for id in blocks {
        let freed = free_once_joined(pools, capture, *id);
        for placed in &mut steps {
            if let Step::Free { block, waits } = &mut placed.step
                && *block == number(*id)
            {
                *waits = false;
                placed.position = placed.position.max(freed);
            }
        }
    }
    steps.sort_by_key(|it| it.position);
    Some(Changes {
        sequence,
        changed: vec![(Change::Plain, steps)],
        at_end: false,
    })
}

/// Where the capture's first stream waits for others after the last use of a block on one of them.
fn free_once_joined(pools: &Pools<'_, '_>, capture: usize, id: BlockId) -> usize {
    let run = pools.run(capture);
    let block = pools.activity.memory[id];
    let allocated = block.operation.map(|it| &pools.activity.operations[it]);
    let own: Stream = allocated.and_then(|it| it.stream).unwrap_or(run.origin);
    let operations = &pools.activity.operations;
    let first = operations.partition_point(|it| it.position < block.allocated.position);
    let freed = block.freed.map_or(usize::MAX, |it| it.position);
    let used = operations[first..]
        .iter()
        .take_while(|it| it.position < freed)
        .filter(|it| it.stream.is_some_and(|stream| stream != own))
        .filter(|it| it.touched.iter().any(|(touched, _)| *touched == id))
        .map(|it| it.position)
        .last();
    let (Some(used), Some(ended)) = (used, run.ended) else {
        return 0;
    };
    let mut waits = pools.history.between(used, ended.position).filter(
        |step| matches!(step.record.call, Call::StreamWaitEvent { stream, .. } if stream == own),
    );
    waits
        .by_ref()
        .last()
        .map_or(ended.position, |it| it.position)
}
