//! The table `events`: one row for each event that was recorded one by one.

use cgsan_diagnose::Seen;
use cgsan_model::{Call, NodeKind, ThreadId};
use cgsan_trace::{AgentEvent, Entry, FrameId, Record, Trace};
use rustc_hash::FxHashMap;

use crate::cells::{
    Cell, Clock, LINE, OWNER, Owner, integer, line, maybe, number, text, time, truth,
};
use crate::column::{Column, Failed};
use crate::lines::Lines;
use crate::rows::Groups;

pub(crate) fn columns() -> Vec<Column> {
    let own = [
        integer(
            "event",
            "its number in the process; events that are no rows have numbers too",
        ),
        time(
            "time",
            "when; to the second, exact among the moments of one process",
        ),
        integer(
            "duration_ns",
            "how long an operator ran on the host, in nanoseconds",
        ),
        integer("thread", "the thread, as `gettid` gives it"),
        text("thread_name", "its name"),
        text(
            "kind",
            "`call` to CUDA, `operator` of PyTorch, `exception` (C++), `python exception`, `allocation`, `free`, `missing` \
             (the virtual GPU does not have the function), `note`",
        ),
        text(
            "function",
            "the function of the driver, the operator, or the type of the exception",
        ),
        text(
            "runtime_function",
            "the runtime function that the call came through",
        ),
        text(
            "library_function",
            "the library function that it came through",
        ),
        integer("code", "what the call returned"),
        text("result", "the name of that code in the driver API"),
        truth("refused", "whether a capture refused the call (900 to 908)"),
        text("stream", "the stream of the call"),
        integer(
            "capture",
            "the capture that recorded or refused the call; of a replay, the capture that made the graph",
        ),
        integer("bytes", "of an allocation, a copy or a fill"),
        text("text", "the message of an exception or a note"),
    ];
    OWNER.into_iter().chain(own).chain(LINE).collect()
}

/// Adds the events of a process, and gives their number.
pub(crate) fn write(
    groups: &mut Groups<'_>,
    owner: &Owner<'_>,
    trace: &Trace,
    seen: &Seen<'_, '_>,
    lines: &mut Lines<'_>,
) -> Result<usize, Failed> {
    let clock = Clock::of(trace);
    let ends = ends_of_operators(trace);
    let owner = owner.cells();
    let mut streams = FxHashMap::default();
    let mut written = 0;
    for (index, entry) in trace.entries().iter().enumerate() {
        let Some(event) = event(trace, entry) else {
            continue;
        };
        let stream = event.call.and_then(|call| seen.stream_of(call));
        let stream = stream.map(|stream| {
            let name = streams.entry(stream);
            &**name.or_insert_with(|| seen.stream_name(stream))
        });
        let duration = ends
            .get(&index)
            .map(|end| end.saturating_sub(entry.time_ns));
        let own = [
            number(index),
            clock.time(entry.time_ns),
            maybe(duration, number),
            number(entry.thread.0),
            maybe(trace.thread_name_at(entry.thread, index), Cell::Text),
            Cell::Text(event.kind),
            maybe(event.function, Cell::Text),
            maybe(event.call.and_then(|it| it.runtime), |id| {
                Cell::Text(trace.string(id))
            }),
            maybe(event.call.and_then(|it| it.library), |id| {
                Cell::Text(trace.string(id))
            }),
            maybe(event.call, |it| number(it.result.0)),
            maybe(
                event.call.and_then(|it| it.result.driver_name()),
                Cell::Text,
            ),
            maybe(event.call, |it| Cell::Truth(it.result.is_capture_refusal())),
            maybe(stream, Cell::Text),
            maybe(seen.capture_at(index), |capture| number(capture + 1)),
            maybe(event.bytes, number),
            maybe(event.text, Cell::Text),
        ];
        groups.row(&owner, own.into_iter().chain(line(lines.at(event.stack))))?;
        written += 1;
    }
    Ok(written)
}

/// What a row says of an event beside when, where and by whom.
#[derive(Default)]
struct Event<'t> {
    kind: &'static str,
    function: Option<&'t str>,
    call: Option<&'t cgsan_trace::CallRecord>,
    bytes: Option<u64>,
    text: Option<&'t str>,
    stack: Option<FrameId>,
}

/// What an entry is as a row; `None` if it is none.
fn event<'t>(trace: &'t Trace, entry: &'t Entry) -> Option<Event<'t>> {
    Some(match &entry.record {
        Record::Call(call) => Event {
            kind: "call",
            function: Some(trace.string(call.function)),
            call: Some(call),
            bytes: bytes(&call.call),
            stack: call.stack,
            ..Event::default()
        },
        Record::OperatorBegin(operator) | Record::Operator { operator, .. } => Event {
            kind: "operator",
            function: Some(trace.string(operator.name)),
            stack: operator.stack,
            ..Event::default()
        },
        Record::Exception {
            type_name,
            message,
            stack,
        } => Event {
            kind: "exception",
            function: Some(trace.string(*type_name)),
            text: Some(message),
            stack: *stack,
            ..Event::default()
        },
        Record::Agent {
            event: AgentEvent::Exception {
                type_name, message, ..
            },
            stack,
        } => Event {
            kind: "python exception",
            function: Some(type_name),
            text: Some(message),
            stack: *stack,
            ..Event::default()
        },
        Record::BlockAllocated(block) => Event {
            kind: "allocation",
            bytes: Some(block.bytes),
            stack: block.stack,
            ..Event::default()
        },
        Record::BlockFreed(block) => Event {
            kind: "free",
            bytes: Some(block.bytes),
            stack: block.stack,
            ..Event::default()
        },
        Record::Missing { function, stack } => Event {
            kind: "missing",
            function: Some(trace.string(*function)),
            stack: *stack,
            ..Event::default()
        },
        Record::Note { text } => Event {
            kind: "note",
            text: Some(text),
            ..Event::default()
        },
        _ => return None,
    })
}

/// How many bytes a call moves, fills or allocates.
pub(crate) fn bytes(call: &Call) -> Option<u64> {
    let (Call::Work { node, .. } | Call::SynchronousWork { node, .. }) = call else {
        return None;
    };
    match node {
        NodeKind::Memcpy { bytes, .. }
        | NodeKind::Memset { bytes, .. }
        | NodeKind::MemAlloc { bytes, .. } => Some(*bytes),
        _ => None,
    }
}

/// When each operator ended, by the entry that it began with.
fn ends_of_operators(trace: &Trace) -> FxHashMap<usize, u64> {
    let mut open: FxHashMap<ThreadId, Vec<usize>> = FxHashMap::default();
    let mut ends = FxHashMap::default();
    for (index, entry) in trace.entries().iter().enumerate() {
        match &entry.record {
            Record::OperatorBegin(_) => open.entry(entry.thread).or_default().push(index),
            Record::OperatorEnd { .. } => {
                if let Some(began) = open.get_mut(&entry.thread).and_then(Vec::pop) {
                    ends.insert(began, entry.time_ns);
                }
            }
            _ => {}
        }
    }
    ends
}
