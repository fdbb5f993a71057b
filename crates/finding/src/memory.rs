//! Who holds memory: what PyTorch's allocator said, with the lines of the program.

use serde::Serialize;

use crate::{Location, MemoryTimeline, Process};

/// What the allocator of a process held. All sizes are in bytes; sums are over the devices of the process.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryUse {
    /// The process.
    pub process: Process,
    /// Whether the virtual GPU served it, on which executable graphs take no memory.
    pub virtual_gpu: bool,
    /// What was held when, in order.
    pub moments: Vec<MemoryAt>,
    /// The graphs that were captured, and captures that failed.
    pub graphs: Vec<GraphMemory>,
    /// The lines whose blocks the program held when the most was reserved, largest first.
    pub holders: Vec<Holder>,
    /// What each pool held over time.
    #[serde(skip)]
    pub timeline: MemoryTimeline,
}

/// What the allocator held at a moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryAt {
    /// `before_capture`, `capture_ends`, `replay` (with other memory reserved than before) or `program_ends`.
    pub moment: &'static str,
    /// The number of the capture that it comes before or at the end of, as in [`GraphMemory`].
    pub graph: Option<usize>,
    /// What the allocator has from the driver: `reserved_bytes` of `torch.cuda.memory_stats()`.
    pub reserved: u64,
    /// What the program holds: `allocated_bytes`.
    pub allocated: u64,
    /// What it freed and another stream may still use: the rest of `active_bytes`.
    pub pending: u64,
    /// Free parts of segments: `inactive_split_bytes`.
    pub split: u64,
    /// The most that was ever reserved until then.
    pub reserved_peak: u64,
    /// The same by pool; empty if there were too many blocks to go through.
    pub pools: Vec<PoolAt>,
}

/// What a pool held at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PoolAt {
    /// Its id as PyTorch names it; `[0, 0]` for that of eager work.
    pub pool: (u64, u64),
    /// What it has from the driver.
    pub reserved: u64,
    /// What the program holds of it.
    pub allocated: u64,
    /// What it freed and another stream may still use.
    pub pending: u64,
    /// Free parts of segments.
    pub split: u64,
}

/// The memory of a graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GraphMemory {
    /// Its number: captures count from 1.
    pub graph: usize,
    /// Where its capture began.
    pub location: Option<Location>,
    /// The pool that it allocates from, if that is known.
    pub pool: Option<(u64, u64)>,
    /// Whether the capture ended well.
    pub captured: bool,
    /// The most that it held of what it allocated.
    pub peak: u64,
    /// The same of the last eager run of the same operators before it; `None` if no such run is known.
    pub eager_peak: Option<u64>,
    /// What it uses from outside of its capture: static inputs, weights.
    pub inputs: u64,
    /// What it allocated and the program still held at the end of the capture.
    pub outputs: u64,
    /// What its executable graph took from the driver; `None` if that was not measured.
    pub executable: Option<u64>,
    /// How many replays there were.
    pub replays: u64,
}

/// A line whose blocks the program held.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Holder {
    /// The line; `None` for blocks of which none is known.
    pub location: Option<Location>,
    /// The pool; `None` if it is not known.
    pub pool: Option<(u64, u64)>,
    /// The size of the blocks.
    pub bytes: u64,
    /// How many there were.
    pub blocks: u64,
}
