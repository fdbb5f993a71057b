//! Which moments a thread spent on what.
//!
//! An event is recorded when its call has returned. So the time since the event before it, of the same thread, counts for what the call
//! waits for; before calls that do not wait, it is the thread's own work.

use cgsan_model::{Call, ExecId};
use cgsan_trace::{Entry, FrameId, Record, Trace};

/// What a thread may spend its time on. The first is its own work.
pub const FOR: [&str; 5] = ["host", "gpu", "copy", "collective", "launch"];

const HOST: usize = 0;
const GPU: usize = 1;
const COPY: usize = 2;
const COLLECTIVE: usize = 3;
const LAUNCH: usize = 4;

/// The beginning of the names of PyTorch's operators on process groups.
const OF_GROUPS: &str = "c10d::";

/// What the time up to an event was spent on.
pub(super) struct Spent {
    on: usize,
    nanoseconds: u64,
    stack: Option<FrameId>,
}

/// A thread on its way from event to event.
#[derive(Default)]
pub(super) struct Waiting {
    last_ns: Option<u64>,
    /// The operators that it is in: whether each is a collective, and its stack.
    open: Vec<(bool, Option<FrameId>)>,
}

impl Waiting {
    /// Goes on to an event.
    pub(super) fn next(&mut self, trace: &Trace, entry: &Entry) -> Spent {
        let since = self.last_ns.replace(entry.time_ns);
        let collective = self.open.iter().find(|(is_collective, _)| *is_collective);
        let (on, stack) = match collective {
            Some((_, stack)) => (COLLECTIVE, *stack),
            None => (spent_on(entry), stack_of(entry)),
        };
        match &entry.record {
            Record::OperatorBegin(operator) => {
                self.open
                    .push((is_collective(trace, entry), operator.stack));
            }
            Record::OperatorEnd { .. } => {
                self.open.pop();
            }
            _ => {}
        }
        Spent {
            on,
            nanoseconds: since.map_or(0, |since| entry.time_ns.saturating_sub(since)),
            stack,
        }
    }
}

fn spent_on(entry: &Entry) -> usize {
    let Record::Call(call) = &entry.record else {
        return HOST;
    };
    match call.call {
        Call::StreamSynchronize { .. }
        | Call::EventSynchronize { .. }
        | Call::DeviceSynchronize { .. } => GPU,
        Call::SynchronousWork { .. } => COPY,
        Call::GraphLaunch { .. } => LAUNCH,
        _ => HOST,
    }
}

/// The executable graph that an entry launches.
pub(super) fn launched(entry: &Entry) -> Option<ExecId> {
    match &entry.record {
        Record::Call(call) if call.result.is_success() => match call.call {
            Call::GraphLaunch { exec, .. } => Some(exec),
            _ => None,
        },
        _ => None,
    }
}

/// Whether an entry is a replay.
pub(super) fn is_replay(entry: &Entry) -> bool {
    launched(entry).is_some()
}

/// Whether an entry is the call of a collective.
pub(super) fn is_collective(trace: &Trace, entry: &Entry) -> bool {
    match &entry.record {
        Record::OperatorBegin(operator) | Record::Operator { operator, .. } => {
            trace.string(operator.name).starts_with(OF_GROUPS)
        }
        _ => false,
    }
}

/// The stack of a call or an operator.
pub(super) fn stack_of(entry: &Entry) -> Option<FrameId> {
    match &entry.record {
        Record::Call(call) => call.stack,
        Record::OperatorBegin(operator) | Record::Operator { operator, .. } => operator.stack,
        _ => None,
    }
}

/// What the time of a step was spent on.
#[derive(Default)]
pub(super) struct Waited {
    /// By what it was, in the order of [`FOR`].
    pub(super) nanoseconds: [u64; FOR.len()],
    /// The longest single wait.
    pub(super) longest_ns: u64,
    /// Where that was.
    pub(super) stack: Option<FrameId>,
}

impl Waited {
    /// Adds what was spent up to an event.
    pub(super) fn add(&mut self, spent: &Spent) {
        self.nanoseconds[spent.on] = self.nanoseconds[spent.on].saturating_add(spent.nanoseconds);
        if spent.on != HOST && spent.nanoseconds > self.longest_ns {
            self.longest_ns = spent.nanoseconds;
            self.stack = spent.stack;
        }
    }

    /// What most of it was spent on; the earlier of two that are the same.
    pub(super) fn most(&self) -> &'static str {
        let all = self.nanoseconds.iter().zip(FOR).rev();
        all.max_by_key(|(spent, _)| **spent)
            .map_or("host", |(_, what)| what)
    }
}
