//! Traces of cgsan as timelines: what the host asked for. They have no times of devices.

use std::collections::BTreeMap;

use cgsan_model::{Call, ExecId};
use cgsan_trace::{CallRecord, Entry, Record, Trace};

use crate::{Builder, CallKind, Place, Source, Span, Timeline};

/// What a trace says of launches, replays and waits.
pub fn timeline(trace: &Trace) -> Timeline {
    let mut to = Builder::new(Source::Cgsan);
    let process = u64::from(trace.process().pid);
    let mut graphs = BTreeMap::new();
    let mut capturing = 0u32;
    for (number, entry) in trace.entries().iter().enumerate() {
        let Record::Call(call) = &entry.record else {
            continue;
        };
        if !call.result.is_success() {
            continue;
        }
        match call.call {
            ref it if it.begins_capture() => capturing += 1,
            Call::StreamEndCapture { .. } => capturing = capturing.saturating_sub(1),
            // What is captured is not launched.
            _ if capturing == 0 => {
                let correlation = u32::try_from(number + 1).unwrap_or(0);
                add(
                    trace,
                    entry,
                    call,
                    (process, correlation),
                    &mut graphs,
                    &mut to,
                );
            }
            _ => {}
        }
    }
    to.finish()
}

/// Adds a call that launches or waits, with its line.
fn add(
    trace: &Trace,
    entry: &Entry,
    call: &CallRecord,
    (process, correlation): (u64, u32),
    graphs: &mut BTreeMap<ExecId, u32>,
    to: &mut Builder,
) {
    let function = trace.string(call.runtime.unwrap_or(call.function));
    let Some(kind) = CallKind::of(function) else {
        return;
    };
    let name = to.name(function.as_bytes());
    let thread = u64::from(entry.thread.0);
    // A trace has the moment at which a call returned.
    let span = Span::new(entry.time_ns, 0);
    to.call(span, name, kind, (process, thread), correlation);
    if let Call::GraphLaunch { exec, .. } = call.call {
        let next = u32::try_from(graphs.len() + 1).unwrap_or(u32::MAX);
        to.graph(correlation, *graphs.entry(exec).or_insert(next));
    }
    if let Some(line) = line(trace, call) {
        let name = to.name(line.as_bytes());
        let thread = to.thread(process, thread);
        to.frame(Span::new(entry.time_ns, 1), name, thread);
    }
}

/// The innermost line of the program that made a call, as profilers write one.
fn line(trace: &Trace, call: &CallRecord) -> Option<String> {
    let stack = trace.stack(call.stack?).into_iter();
    let mut lines = stack.map(|it| format!("{}({}): {}", it.file, it.line, it.function));
    lines.find(|it| Place::of(it).is_some_and(|place| !place.is_of_library()))
}
