//! Memory that a line allocates between any two replays, and that the program keeps without a use.

use std::collections::{BTreeMap, BTreeSet};

use cgsan_trace::Record;
use rustc_hash::FxHashMap;

use super::kind::{Kind, Waste};
use crate::activity::BlockId;
use crate::pools::{Pools, total};

/// Between how many replays a line has to allocate.
const MANY: usize = 16;

/// Blocks that are used for a while have to be used no longer than this part of the replays: else all may be used.
const A_WHILE: usize = 4;

/// How often blocks are used after a while, at least: draws from all that is kept may be of recent ones by chance.
const USES: usize = 4;

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
    let mut lines = lines(pools, &replays);
    add_uses(pools, &replays, &mut lines);
    lines
        .iter()
        .filter_map(|line| waste(pools, replays.len(), line))
        .collect()
}

/// What a line allocated and the program held at the last replay.
#[derive(Default)]
struct Line {
    /// Each block with the number of replays before it.
    kept: Vec<(usize, BlockId)>,
    /// How many replays old a block was at any use, at most.
    oldest: usize,
    /// Between how many different replays a block was used that was a replay old, or more; and before how many replays the last of these
    /// uses stands.
    uses: usize,
    last_use: Option<usize>,
}

/// The lines that allocate between replays, without what an operator made there of which something is released: that is kept for a time.
/// What others made in the same line counts: a line of several operators has temporaries beside what is kept.
fn lines(pools: &Pools<'_, '_>, replays: &[usize]) -> Vec<Line> {
    let mut held = Vec::new();
    let mut releasing = BTreeSet::new();
    for id in pools.activity.memory.ids() {
        let block = &pools.activity.memory[id];
        let after = replays_before(replays, block.allocated.position);
        let Some(end) = replays
            .last()
            .filter(|_| (1..replays.len()).contains(&after))
        else {
            continue;
        };
        // What no operator allocated may be used by what is not followed.
        let operation = block.operation.filter(|_| block.capture.is_none());
        let (Some(operation), Some(line)) = (operation, pools.location_of(block)) else {
            continue;
        };
        let name = pools.activity.operations[operation].name;
        let made = ((line.file, line.line), name);
        if block.is_held_at(*end) {
            held.push((made, (after, id)));
        } else {
            releasing.insert(made);
        }
    }
    held.retain(|(made, _)| !releasing.contains(made));
    let mut lines: BTreeMap<_, Line> = BTreeMap::new();
    for ((line, _), kept) in held {
        lines.entry(line).or_default().kept.push(kept);
    }
    lines.into_values().collect()
}

/// Adds how old the blocks of lines were whenever an operator was given them.
fn add_uses(pools: &Pools<'_, '_>, replays: &[usize], lines: &mut [Line]) {
    let mut blocks: FxHashMap<BlockId, (usize, usize)> = FxHashMap::default();
    for (index, line) in lines.iter().enumerate() {
        let of_line = line.kept.iter().map(|(after, id)| (*id, (index, *after)));
        blocks.extend(of_line);
    }
    for operation in &pools.activity.operations {
        let now = replays_before(replays, operation.position);
        for (block, _) in &operation.touched {
            let Some((line, after)) = blocks.get(block) else {
                continue;
            };
            let age = now.saturating_sub(*after);
            let line = &mut lines[*line];
            line.oldest = line.oldest.max(age);
            if age > 0 && line.last_use != Some(now) {
                line.uses += 1;
                line.last_use = Some(now);
            }
        }
    }
}

fn replays_before(replays: &[usize], position: usize) -> usize {
    replays.partition_point(|it| *it < position)
}

/// The blocks of a line that are older than any that was used, if they are many.
fn waste(pools: &Pools<'_, '_>, replays: usize, line: &Line) -> Option<Waste> {
    let memory = &pools.activity.memory;
    let is_unused = |(after, _): &&(usize, BlockId)| replays - after > line.oldest;
    let kept: Vec<(usize, BlockId)> = line.kept.iter().filter(is_unused).copied().collect();
    let is_used_for_a_while = line.oldest * A_WHILE <= replays && line.uses >= USES;
    let ((first, from), (last, to)) = (kept.first()?, kept.last()?);
    let mut between: Vec<usize> = kept.iter().map(|(after, _)| *after).collect();
    between.dedup();
    let is_steady = between.len() >= MANY && between.len() * 2 > last - first;
    let span = memory[*from].allocated.position..memory[*to].allocated.position;
    let mut captures = pools.history.captures.iter();
    let captures_meanwhile = captures.any(|run| span.contains(&run.began.position));
    let is_kept = is_steady && !captures_meanwhile && (line.uses == 0 || is_used_for_a_while);
    let blocks: Vec<BlockId> = kept.iter().map(|(_, block)| *block).collect();
    is_kept.then(|| Waste {
        estimate: total(blocks.iter().map(|it| memory[*it].bytes)),
        kind: Kind::KeptOn {
            blocks,
            replays: between.len(),
            used_for: line.oldest,
        },
    })
}
