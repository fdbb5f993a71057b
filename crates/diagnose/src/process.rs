//! The process that a trace is of.

use cgsan_finding::Process;
use cgsan_trace::{ProcessInfo, Rank, Trace};

/// The process that a trace is of, in which something was found so often.
pub(crate) fn of(trace: &Trace, count: usize) -> Process {
    known_by(trace.process(), trace.rank(), count)
}

/// The process that says this of itself, with its place in a distributed job.
pub(crate) fn known_by(info: &ProcessInfo, rank: Option<Rank>, count: usize) -> Process {
    Process {
        pid: info.pid,
        command: info.arguments.clone(),
        rank: rank.map(|it| it.rank),
        local_rank: rank.and_then(|it| it.local_rank),
        world_size: rank.and_then(|it| it.world_size),
        started: info.started,
        host: info.host.clone(),
        count,
    }
}
