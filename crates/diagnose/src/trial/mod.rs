//! Trying a change: what a program asked of PyTorch's allocator, to be asked again with something changed.
//!
//! A trial is data. Who has a PyTorch at hand runs it (`python/cgsan/agent/trial.py` does), and says how much was reserved.

mod sequence;

pub(crate) use sequence::{Placed, Scope, Sequence, number};

use cgsan_trace::Trace;
use serde::Serialize;

/// What to ask of the allocator: as it was recorded, and with changes, each from a fresh start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trial {
    /// The runs, the recorded one first.
    pub runs: Vec<Run>,
}

/// One run of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Run {
    /// The options of the allocator, as `PYTORCH_ALLOC_CONF` has them.
    pub settings: String,
    /// What is done, in order.
    pub steps: Vec<Step>,
}

/// One thing that is asked of the allocator. Streams, pools, captures and blocks are numbers; stream 0 is the default stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Step {
    /// Allocate a block on a stream.
    Allocate {
        /// The block.
        block: u64,
        /// Its size.
        bytes: u64,
        /// The stream.
        stream: u64,
    },
    /// Free a block, which another stream has used (`record_stream`) or not.
    Free {
        /// The block.
        block: u64,
        /// Whether it has.
        waits: bool,
    },
    /// Begin a capture that allocates from a pool.
    Begin {
        /// The capture.
        capture: u64,
        /// The pool.
        pool: u64,
        /// Its streams; it begins on the first, and forks the others.
        streams: Vec<u64>,
    },
    /// End the capture, with a graph.
    End,
    /// End the capture by a call that it refuses.
    Fail,
    /// Give back the pool of the capture that failed last.
    Release,
    /// Destroy the graph of a capture.
    Destroy {
        /// The capture.
        capture: u64,
    },
    /// `torch.cuda.empty_cache()`.
    EmptyCache,
    /// Say what is reserved.
    Look,
}

/// What was reserved when a run looked, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub struct Reserved {
    /// In all pools.
    pub all: u64,
    /// In private pools.
    pub of_graphs: u64,
}

/// What the runs of a trial saw: for each, what was reserved at each look. `None` if it could not be run.
pub type Outcome = Option<Vec<Vec<Reserved>>>;

/// Who runs trials of what a trace recorded.
pub type Try<'a> = dyn FnMut(&Trace, &Trial) -> Outcome + 'a;
