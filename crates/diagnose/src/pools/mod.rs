//! The pools of PyTorch's allocator over time, by its own account, with the blocks that the trace has of each.
//!
//! | file | what |
//! |---|---|
//! | `moments` | what the allocator held, whenever it was asked |
//! | `table` | who holds what, as `--memory` shows it |
//! | `timeline` | what each pool held, step by step, as `--memory-timeline` draws it |
//! | `eager_peak` | what the operators of a capture held when they ran eagerly |
//! | `executables` | the executable graphs of captures: where they ended, and what they took from the driver |

mod eager_peak;
mod executables;
mod moments;
mod table;
mod timeline;

pub(crate) use moments::Moment;
pub(crate) use table::table;

use std::collections::BTreeMap;

use cgsan_trace::{MemoryMoment, Segment};
use rustc_hash::FxHashMap;

use executables::Executables;

use crate::activity::{Activity, Block, BlockId};
use crate::history::{CaptureRun, History};

/// The sum of sizes; a trace may say anything.
pub(crate) fn total(sizes: impl IntoIterator<Item = u64>) -> u64 {
    sizes.into_iter().fold(0, u64::saturating_add)
}

/// The most that is held at once, from changes of it with their places.
pub(crate) fn most_at_once(mut changes: Vec<(usize, i128)>) -> u64 {
    changes.sort_unstable();
    let mut held = 0_i128;
    let sums = changes.iter().map(|(_, change)| {
        held = held.saturating_add(*change);
        held
    });
    u64::try_from(sums.max().unwrap_or_default()).unwrap_or_default()
}

/// A pool as PyTorch names it, on a device.
pub(crate) type PoolId = (u64, u64);

/// That of eager work.
pub(crate) const EAGER: PoolId = (0, 0);

/// The pools of a process.
pub(crate) struct Pools<'h, 't> {
    pub(crate) history: &'h History<'t>,
    pub(crate) activity: &'h Activity<'t>,
    /// What the allocator held, whenever it was asked, in the order of the trace.
    pub(crate) moments: Vec<Moment<'t>>,
    /// The pool of each capture, by its index among [`History::captures`].
    of_captures: FxHashMap<usize, PoolId>,
    executables: Executables,
    /// The blocks that each capture allocated.
    blocks: FxHashMap<usize, Vec<BlockId>>,
}

impl<'h, 't> Pools<'h, 't> {
    pub(crate) fn new(history: &'h History<'t>, activity: &'h Activity<'t>) -> Pools<'h, 't> {
        let mut pools = Pools {
            history,
            activity,
            moments: moments::of(history),
            of_captures: FxHashMap::default(),
            executables: Executables::new(history),
            blocks: FxHashMap::default(),
        };
        for id in activity.memory.ids() {
            if let Some(capture) = activity.memory[id].capture {
                pools.blocks.entry(capture).or_default().push(id);
            }
        }
        pools.of_captures = pools.find_of_captures();
        pools
    }

    /// The segment that held a block.
    pub(crate) fn segment_of(&self, block: &Block) -> Option<&Segment> {
        self.activity.segments.of(block)
    }

    /// The pool of a block; `None` if the allocator was not asked while its segment was there.
    pub(crate) fn pool_of(&self, block: &Block) -> Option<PoolId> {
        self.segment_of(block).map(|it| it.pool)
    }

    /// What a capture allocated, in order.
    pub(crate) fn blocks_of(&self, capture: usize) -> impl Iterator<Item = &Block> {
        let blocks = self.blocks.get(&capture).into_iter().flatten();
        blocks.map(|id| &self.activity.memory[*id])
    }

    /// The pool that a capture allocated from.
    pub(crate) fn of_capture(&self, capture: usize) -> Option<PoolId> {
        self.of_captures.get(&capture).copied()
    }

    /// Whether the graph of a capture that ended well is there at a position.
    pub(crate) fn is_alive(&self, capture: usize, position: usize) -> bool {
        let run = &self.history.captures[capture];
        let is_captured = run
            .ended
            .is_some_and(|ended| !ended.failed() && ended.position <= position);
        is_captured && self.destroyed(capture).is_none_or(|gone| gone > position)
    }

    /// Where the graph of a capture was destroyed.
    pub(crate) fn destroyed(&self, capture: usize) -> Option<usize> {
        self.executables.destroyed(capture)
    }

    /// The last moment.
    pub(crate) fn last(&self) -> Option<&Moment<'t>> {
        self.moments.last()
    }

    /// The moment at the end of the last capture that ended well, and the place where that one ended.
    pub(crate) fn last_capture(&self) -> Option<(&Moment<'t>, usize)> {
        self.moments.iter().rev().find_map(|moment| {
            let is_end = moment.kind == MemoryMoment::CaptureEnds && moment.pools.is_some();
            let run = self.run(moment.capture.filter(|_| is_end)?);
            let ended = run.ended.filter(|it| !it.failed())?;
            Some((moment, ended.position))
        })
    }

    /// The moment before a capture.
    pub(crate) fn before(&self, capture: usize) -> Option<&Moment<'t>> {
        self.moments
            .iter()
            .rev()
            .find(|it| it.kind == MemoryMoment::BeforeCapture && it.capture == Some(capture))
    }

    /// Whether memory ran out.
    pub(crate) fn ran_out(&self) -> bool {
        self.moments
            .iter()
            .any(|it| it.devices.iter().any(|it| it.ooms > 0))
    }

    /// The most that was reserved on all devices, as far as the allocator was asked.
    pub(crate) fn peak_reserved(&self) -> u64 {
        let moments = self.moments.iter();
        let peaks = moments.map(|it| total(it.devices.iter().map(|it| it.reserved_peak)));
        peaks.max().unwrap_or_default()
    }

    /// As the capture was told of, or as most of what it allocated.
    fn find_of_captures(&self) -> FxHashMap<usize, PoolId> {
        let mut found = self.history.pools_of_captures();
        let mut bytes: BTreeMap<(usize, PoolId), u64> = BTreeMap::new();
        for block in &self.activity.memory.blocks {
            if let Some(capture) = block.capture.filter(|it| !found.contains_key(it))
                && let Some(pool) = self.pool_of(block).filter(|pool| *pool != EAGER)
            {
                let sum = bytes.entry((capture, pool)).or_default();
                *sum = sum.saturating_add(block.bytes);
            }
        }
        let mut most: BTreeMap<usize, (u64, PoolId)> = BTreeMap::new();
        for ((capture, pool), bytes) in bytes {
            let known = most.entry(capture).or_default();
            *known = (*known).max((bytes, pool));
        }
        found.extend(most.into_iter().map(|(capture, (_, pool))| (capture, pool)));
        found
    }

    pub(crate) fn run(&self, capture: usize) -> &'h CaptureRun<'t> {
        &self.history.captures[capture]
    }
}
