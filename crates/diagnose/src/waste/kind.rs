//! What may be wasted, and how a program could do without it.

use crate::activity::BlockId;
use crate::trial::{Placed, Sequence};

/// Memory that is wasted in one way.
pub(crate) struct Waste {
    pub(crate) kind: Kind,
    /// What could be saved at most, by the sizes of blocks.
    pub(crate) estimate: u64,
}

/// A way to waste memory. Captures are indices into [`History::captures`](crate::history::History::captures).
#[derive(Debug)]
pub(crate) enum Kind {
    /// Graphs that never run at once have pools of their own.
    OwnPools {
        /// The captures, pool by pool.
        captures: Vec<usize>,
        /// The first one that could have used the pool of another.
        at: usize,
        /// How many pools there are.
        pools: usize,
    },
    /// Graphs that run in turn have static inputs of their own.
    OwnInputs {
        /// The inputs, the largest first.
        blocks: Vec<BlockId>,
    },
    /// Eager work took more memory while a pool had as much to spare.
    EagerBeside {
        /// The capture whose pool it is.
        capture: usize,
        /// What eager work allocated, the largest first.
        blocks: Vec<BlockId>,
        /// The free bytes of the pool.
        free: u64,
    },
    /// Captures that share a pool need ever larger blocks.
    Growing {
        /// The captures, in their order.
        captures: Vec<usize>,
        /// The first that found nothing large enough.
        at: usize,
        /// The free bytes of the pool in the end.
        free: u64,
    },
    /// A capture reserved memory beside free parts of segments that eager work has split.
    SplitBeside {
        capture: usize,
        /// The bytes of those parts.
        free: u64,
        /// What the capture's pool has reserved.
        reserved: u64,
    },
    /// Blocks that were freed in a capture were put aside until its end, since another stream had used them.
    PutAside {
        capture: usize,
        blocks: Vec<BlockId>,
        /// The call of `record_stream`; `None` if autograd made it.
        recorded: Option<usize>,
    },
    /// Memory from before a capture was freed in it, and not given back.
    KeptBack {
        capture: usize,
        /// The largest first.
        blocks: Vec<BlockId>,
    },
    /// A line allocates between replays, and the program keeps it longer than it uses it.
    KeptOn {
        /// In the order of their allocation.
        blocks: Vec<BlockId>,
        /// Between how many replays.
        replays: usize,
        /// For how many replays it uses what the line allocates; 0 if only before the next one.
        used_for: usize,
    },
    /// The pool of a failed capture stays.
    Leaked { capture: usize },
}

/// A change to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The one that the kind of waste suggests.
    Plain,
    /// The same, with the captures in another order: the largest first.
    LargestFirst,
}

/// What to try.
pub(super) struct Changes {
    pub(super) sequence: Sequence,
    pub(super) changed: Vec<(Change, Vec<Placed>)>,
    /// Whether what stays in the end counts, and not the most.
    pub(super) at_end: bool,
}
