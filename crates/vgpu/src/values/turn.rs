//! When an operator's values are computed: now, when it is their turn, or whenever its nodes run.

use std::cell::Cell;

use cgsan_model::CaptureId;

use crate::gpu::computation::Computation;
use crate::gpu::tally::Tally;
use crate::gpu::work::Work;
use crate::gpu::{self, schedule};

/// When values are computed, as the agent is told: a number of this, and [`MOVED`] more where no kernel was enqueued and bytes are moved.
const NOTHING: i32 = 0;
/// The caller computes the values, now.
pub const NOW: i32 = 1;
/// What computes them is called once.
const ONCE: i32 = 2;
/// What computes them is called whenever the graph of the capture runs.
const AT_REPLAYS: i32 = 3;
pub const MOVED: i32 = 8;

thread_local! {
    /// The operator that ended last.
    static ENDED: Cell<Option<Tally>> = const { Cell::new(None) };
}

/// When the values of an operator are computed, which has ended with this. It is the one that ended last from now on.
pub fn decided(done: Tally) -> i32 {
    ENDED.set(Some(done));
    match done {
        _ if done.works == 0 => NOTHING,
        _ if done.kernels == 0 => MOVED + when(&done),
        _ => when(&done),
    }
}

fn when(done: &Tally) -> i32 {
    if done.capture.is_some() {
        AT_REPLAYS
    } else if schedule::is_immediate() {
        NOW
    } else if done.waited {
        // Sizes may be needed as soon as the operator returns, and the host waited for work already.
        done.streams()
            .into_iter()
            .for_each(schedule::wait_for_stream);
        NOW
    } else {
        ONCE
    }
}

/// The values of the operator that ended last are computed later; returns the capture that it is called at each
/// replay of, if that is so.
pub fn later(computation: Computation) -> Option<CaptureId> {
    let done = ENDED.take()?;
    let Some(capture) = done.capture else {
        schedule::submit_in_turn(&done.streams(), Work::Values(computation));
        return None;
    };
    let mut gpu = gpu::lock();
    let gpu = &mut *gpu;
    gpu.graphs
        .compute_newest(&gpu.model, capture, done.nodes, computation);
    Some(capture)
}
