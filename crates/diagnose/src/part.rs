//! A part of what a process did, judged by itself: one test of many, say.
//!
//! What other parts captured, ran and allocated says nothing of this one, and would take ever longer to go through. So a trace is
//! narrowed to the part, and to what lasts from before: streams, events, the blocks that are in use, and the captures whose
//! executable graphs are there.

use std::ops::Range;

use cgsan_model::{Call, Code, EventId, ExecId, GraphId, Stream, ThreadId};
use cgsan_trace::{AgentEvent, CallRecord, Record, Trace};
use rustc_hash::FxHashMap;

/// A part of what a process did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// The last one of this name, from [`AgentEvent::PartBegins`] to the next part; or all, if no part has a name.
    Named(&'a str),
    /// What no report has told yet: from the last [`AgentEvent::PartsTold`] on.
    Untold,
}

/// Narrows a trace to a part. Whether it has the part; if not, it stays as it is.
pub fn narrow(trace: &mut Trace, part: Part<'_>) -> bool {
    let Some(bounds) = bounds(trace, part) else {
        return false;
    };
    if bounds == (0..trace.entries().len()) {
        return true;
    }
    let lasting = lasting(trace, bounds.start).kept;
    trace.narrow(bounds.start, |index| {
        lasting.get(index).copied().unwrap_or(index < bounds.end)
    });
    true
}

fn bounds(trace: &Trace, part: Part<'_>) -> Option<Range<usize>> {
    let end = trace.entries().len();
    let told = |event: &AgentEvent| matches!(event, AgentEvent::PartsTold);
    let Part::Named(wanted) = part else {
        let last = trace.agent_events().rfind(|(_, event)| told(event));
        return Some(last.map_or(0, |(index, _)| index + 1)..end);
    };
    let begins = |event: &AgentEvent| matches!(event, AgentEvent::PartBegins { .. });
    if !trace.agent_events().any(|(_, event)| begins(event)) {
        return Some(0..end);
    }
    let is_wanted =
        |event: &AgentEvent| matches!(event, AgentEvent::PartBegins { name } if name == wanted);
    let (begin, _) = trace.agent_events().rfind(|(_, event)| is_wanted(event))?;
    let next = trace
        .agent_events()
        .find(|(index, event)| *index > begin && (told(event) || begins(event)));
    Some(begin..next.map_or(end, |(index, _)| index))
}

/// What of a trace's beginning lasts, entry by entry.
pub(crate) struct Lasts {
    /// Whether it lasts.
    pub(crate) kept: Vec<bool>,
    /// Whether it lies in a capture that lasts.
    pub(crate) is_in_capture: Vec<bool>,
}

/// What lasts of the entries before this one.
pub(crate) fn lasting(trace: &Trace, begin: usize) -> Lasts {
    Lasting::before(trace, begin).lasts(trace, begin)
}

/// What lasts of the entries before a part.
#[derive(Default)]
struct Lasting {
    /// The entries of each capture.
    captures: Vec<Range<usize>>,
    /// The captures that run, by origin stream.
    running: FxHashMap<Stream, usize>,
    /// The capture that a graph is of.
    graphs: FxHashMap<GraphId, usize>,
    /// The capture that an executable graph is of.
    executables: FxHashMap<ExecId, usize>,
    /// The last capture that a thread ended.
    ended: FxHashMap<ThreadId, usize>,
    /// Which capture an entry outside of all captures is about.
    about: FxHashMap<usize, usize>,
    /// Where the events that are there were created, and last recorded.
    created: FxHashMap<EventId, usize>,
    recorded: FxHashMap<EventId, usize>,
    /// Where the blocks that are in use were allocated.
    blocks: FxHashMap<u64, usize>,
    /// Where the others were allocated and freed.
    freed: Vec<(usize, usize)>,
}

impl Lasting {
    fn before(trace: &Trace, begin: usize) -> Lasting {
        let mut lasting = Lasting::default();
        for (index, entry) in trace.entries()[..begin].iter().enumerate() {
            match &entry.record {
                Record::Call(call) => lasting.call(index, entry.thread, call),
                Record::BlockAllocated(block) => {
                    lasting.blocks.insert(block.address, index);
                }
                Record::BlockFreed(block) => {
                    let allocated = lasting.blocks.remove(&block.address);
                    lasting.freed.extend(allocated.map(|it| (it, index)));
                }
                Record::Agent {
                    event: AgentEvent::GraphCaptured { .. },
                    ..
                } => {
                    let capture = lasting.ended.get(&entry.thread);
                    lasting.about.extend(capture.map(|it| (index, *it)));
                }
                _ => {}
            }
        }
        for capture in lasting.running.values() {
            lasting.captures[*capture].end = begin;
        }
        lasting
    }

    fn call(&mut self, index: usize, thread: ThreadId, record: &CallRecord) {
        let is_well = record.result.is_success();
        match record.call {
            Call::StreamBeginCapture { stream, .. }
            | Call::StreamBeginCaptureToGraph { stream, .. }
                if is_well =>
            {
                self.running.insert(stream, self.captures.len());
                self.captures.push(index..index);
            }
            Call::StreamEndCapture { stream, graph } if is_well || is_lost(record.result) => {
                let Some(capture) = self.running.remove(&stream) else {
                    return;
                };
                self.captures[capture].end = index + 1;
                self.ended.insert(thread, capture);
                if is_well {
                    self.graphs.insert(graph, capture);
                }
            }
            Call::GraphInstantiate { graph, exec, .. } if is_well => {
                if let Some(capture) = self.graphs.get(&graph) {
                    self.executables.insert(exec, *capture);
                    self.about.insert(index, *capture);
                }
            }
            Call::GraphDestroy { graph } => {
                let capture = self.graphs.remove(&graph);
                self.about.extend(capture.map(|it| (index, it)));
            }
            Call::GraphExecDestroy { exec } => {
                let capture = self.executables.remove(&exec);
                self.about.extend(capture.map(|it| (index, it)));
            }
            Call::EventCreate { event, .. } => {
                self.created.insert(event, index);
            }
            Call::EventRecord { event, .. } => {
                self.recorded.insert(event, index);
            }
            Call::EventDestroy { event } => {
                self.created.remove(&event);
                self.recorded.remove(&event);
            }
            _ => {}
        }
    }

    /// Which of the entries last.
    fn lasts(&self, trace: &Trace, begin: usize) -> Lasts {
        let mut lives = vec![false; self.captures.len()];
        for capture in self.executables.values().chain(self.running.values()) {
            lives[*capture] = true;
        }
        let entries = &trace.entries()[..begin];
        let mut kept: Vec<bool> = entries.iter().map(|it| stays(&it.record)).collect();
        for (index, capture) in &self.about {
            kept[*index] = lives[*capture];
        }
        // Captures may run at the same time: those that last have the last word.
        for is_kept in [false, true] {
            let of_it = self
                .captures
                .iter()
                .zip(&lives)
                .filter(|it| *it.1 == is_kept);
            for index in of_it.flat_map(|(entries, _)| entries.clone()) {
                kept[index] = is_kept;
            }
        }
        let events = self.created.values().chain(self.recorded.values());
        for index in events.chain(self.blocks.values()) {
            kept[*index] = true;
        }
        for (allocated, freed) in &self.freed {
            let is_of_capture = kept[*allocated] || kept[*freed];
            kept[*allocated] = is_of_capture;
            kept[*freed] = is_of_capture;
        }
        keep_allocating_operators(trace, &mut kept);
        let mut is_in_capture = vec![false; begin];
        for (entries, _) in self.captures.iter().zip(&lives).filter(|it| *it.1) {
            is_in_capture[entries.clone()].fill(true);
        }
        Lasts {
            kept,
            is_in_capture,
        }
    }
}

/// Whether a capture is over that a call could not end well.
fn is_lost(result: Code) -> bool {
    result == Code::STREAM_CAPTURE_INVALIDATED || result == Code::STREAM_CAPTURE_UNJOINED
}

/// Whether a record outside of captures says something that holds from there on.
fn stays(record: &Record) -> bool {
    match record {
        Record::Call(record) => matches!(
            record.call,
            Call::StreamCreate { .. }
                | Call::StreamDestroy { .. }
                | Call::ThreadExchangeCaptureMode { .. }
                | Call::GraphCreate { .. }
                | Call::GraphAddNode { .. }
                | Call::GraphAddDependencies { .. }
                | Call::GraphRemoveDependencies { .. }
                | Call::GraphDestroyNode { .. }
                | Call::GraphClone { .. }
                | Call::GraphBody { .. }
                | Call::CaptureBody { .. }
                | Call::GraphDestroy { .. }
                | Call::GraphInstantiate { .. }
                | Call::GraphExecUpdate { .. }
                | Call::GraphExecDestroy { .. }
        ),
        Record::Agent { event, .. } => matches!(
            event,
            AgentEvent::Rank(_) | AgentEvent::GroupCreated { .. } | AgentEvent::Memory { .. }
        ),
        Record::Watched { .. }
        | Record::Addresses(_)
        | Record::Ordered { .. }
        | Record::Missing { .. }
        | Record::ComputedValueRead { .. }
        | Record::KernelNotComputed { .. }
        | Record::Note { .. }
        | Record::Fork { .. } => true,
        _ => false,
    }
}

/// Keeps the operators in which a block was allocated that is kept: they say what it is.
fn keep_allocating_operators(trace: &Trace, kept: &mut [bool]) {
    let mut open: FxHashMap<ThreadId, Vec<(usize, bool)>> = FxHashMap::default();
    for index in 0..kept.len() {
        let entry = &trace.entries()[index];
        match entry.record {
            Record::OperatorBegin(_) => {
                open.entry(entry.thread).or_default().push((index, false));
            }
            Record::BlockAllocated(_) if kept[index] => {
                let around = open.get_mut(&entry.thread).into_iter().flatten();
                around.for_each(|(_, allocates)| *allocates = true);
            }
            Record::OperatorEnd { .. } => {
                let last = open.get_mut(&entry.thread).and_then(Vec::pop);
                if let Some((begin, true)) = last {
                    kept[begin] = true;
                    kept[index] = true;
                }
            }
            _ => {}
        }
    }
}
