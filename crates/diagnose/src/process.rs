//! The process that a trace is of.

use cgsan_finding::Process;
use cgsan_trace::Trace;

/// The process that a trace is of, in which something was found so often.
pub(crate) fn of(trace: &Trace, count: usize) -> Process {
    let rank = trace.rank();
    Process {
        pid: trace.process().pid,
        command: trace.process().arguments.clone(),
        rank: rank.map(|it| it.rank),
        local_rank: rank.and_then(|it| it.local_rank),
        world_size: rank.and_then(|it| it.world_size),
        started: trace.process().started,
        host: trace.process().host.clone(),
        count,
    }
}
