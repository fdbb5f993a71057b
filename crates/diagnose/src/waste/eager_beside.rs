//! Eager work that takes new memory while the pool of a graph has as much to spare.

use super::kind::{Change, Changes, Kind, Waste};
use crate::activity::BlockId;
use crate::pools::{EAGER, Pools, most_at_once};
use crate::trial::{Placed, Scope, Sequence, Step, number};

/// How many blocks are moved into the pool at most, for a trial.
const BLOCKS: usize = 500;
/// Smaller blocks are not looked at: they take a small part of a segment.
const SMALL: u64 = 1 << 20;

pub(super) fn find(pools: &Pools<'_, '_>) -> Option<Waste> {
    let (moment, position) = pools.last_capture()?;
    let captures = 0..pools.history.captures.len();
    let alive = captures.filter(|it| {
        pools.is_alive(*it, position) && !pools.history.is_of_inductor(pools.run(*it))
    });
    let (capture, pool) = alive
        .filter_map(|it| Some((it, pools.of_capture(it)?)))
        .max_by_key(|(it, pool)| (moment.free(*pool), std::cmp::Reverse(*it)))?;
    let free = moment.free(pool);
    let later = pools
        .moments
        .iter()
        .filter(|it| it.position > position && it.pools.is_some());
    // As long as the graph is there.
    let later = later.filter(|it| pools.is_alive(capture, it.position));
    let grown = later.map(|it| it.pool(EAGER).reserved).max()?;
    let grown = grown.saturating_sub(moment.pool(EAGER).reserved);
    let blocks = beside(pools, position, moment.pool(pool).largest);
    let estimate = grown.min(free).min(most_held(pools, &blocks));
    (estimate > 0).then_some(Waste {
        estimate,
        kind: Kind::EagerBeside {
            capture,
            blocks,
            free,
        },
    })
}

/// The blocks that eager work was given after a position and that would fit into a free one of this size, the largest first.
fn beside(pools: &Pools<'_, '_>, position: usize, largest: u64) -> Vec<BlockId> {
    let memory = &pools.activity.memory;
    let mut blocks: Vec<BlockId> = memory
        .allocated_since(position)
        .filter(|id| {
            let block = &memory[*id];
            block.capture.is_none()
                && (SMALL..=largest).contains(&block.bytes)
                && pools.pool_of(block).is_none_or(|it| it == EAGER)
        })
        .collect();
    blocks.sort_by_key(|it| (std::cmp::Reverse(memory[*it].bytes), *it));
    blocks
}

/// The most that was held of these blocks at once.
fn most_held(pools: &Pools<'_, '_>, blocks: &[BlockId]) -> u64 {
    let mut changes = Vec::new();
    for id in blocks {
        let block = &pools.activity.memory[*id];
        let bytes = i128::from(block.bytes);
        changes.push((block.allocated.position, bytes));
        changes.extend(block.freed.map(|it| (it.position, -bytes)));
    }
    most_at_once(changes)
}

/// They are allocated by captures into the pool.
pub(super) fn changes(
    pools: &Pools<'_, '_>,
    capture: usize,
    blocks: &[BlockId],
) -> Option<Changes> {
    let sequence = Sequence::new(pools, Scope::All)?;
    if blocks.len() > BLOCKS {
        return None;
    }
    let begin = sequence.steps.iter().find_map(|placed| match &placed.step {
        Step::Begin {
            capture: number,
            pool,
            streams,
        } if *number == capture as u64 => Some((*pool, streams.clone())),
        _ => None,
    });
    let (pool, streams) = begin?;
    let mut next = pools.history.captures.len() as u64;
    let mut steps = Vec::new();
    for placed in &sequence.steps {
        let position = placed.position;
        match placed.step {
            Step::Allocate { block, bytes, .. } if blocks.iter().any(|it| number(*it) == block) => {
                let begin = Step::Begin {
                    capture: next,
                    pool,
                    streams: streams.clone(),
                };
                next += 1;
                let stream = streams.first().copied().unwrap_or_default();
                let allocate = Step::Allocate {
                    block,
                    bytes,
                    stream,
                };
                let moved = [begin, allocate, Step::End];
                steps.extend(moved.map(|step| Placed { position, step }));
            }
            _ => steps.push(placed.clone()),
        }
    }
    Some(Changes {
        sequence,
        changed: vec![(Change::Plain, steps)],
        at_end: false,
    })
}
