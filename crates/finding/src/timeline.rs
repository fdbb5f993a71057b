//! How much memory each pool held over time, step by step.

use crate::Location;

/// What the pools of a process held over time, to be drawn. It is not part of the JSON report: a run has as many steps as
/// its allocator gave out and took back blocks.
///
/// A step is something that happened: a block was given out or taken back, a capture began or ended, or the allocator was
/// asked what it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryTimeline {
    /// The pools, as PyTorch names them: that of eager work (`(0, 0)`) first, then in the order of their first steps.
    pub pools: Vec<(u64, u64)>,
    /// When each step was, in nanoseconds since the recording began; ascending.
    pub steps: Vec<u64>,
    /// What pools held from a step on, in the order of the steps.
    pub changes: Vec<PoolChange>,
    /// The captures, in the order in which they began.
    pub captures: Vec<CaptureSpan>,
    /// The most that the program held at once of what is in `changes`.
    pub most_held: Option<MostHeld>,
    /// The most that the allocator ever had reserved, by its own account, in bytes. It may lie between two looks at it.
    pub reserved_peak: u64,
}

/// What a pool holds from a step on, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolChange {
    /// The step: an index into [`MemoryTimeline::steps`].
    pub step: usize,
    /// The pool: an index into [`MemoryTimeline::pools`].
    pub pool: usize,
    /// What it has from the driver. Between two looks at the allocator, this is what it had at the last one, or as much as
    /// the program came to hold since then, if that is more.
    pub reserved: u64,
    /// What the program holds of that.
    pub held: u64,
}

/// A capture, from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptureSpan {
    /// Its number, from 1, as in [`GraphMemory`](crate::GraphMemory).
    pub graph: usize,
    /// The step at which it began.
    pub begins: usize,
    /// The step at which it ended, the last one if its end was not seen.
    pub ends: usize,
}

/// When the program held the most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MostHeld {
    /// The step.
    pub step: usize,
    /// How much, in bytes.
    pub bytes: u64,
    /// The line that allocated the last block of it.
    pub location: Option<Location>,
}
