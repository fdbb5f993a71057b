//! Where the model contradicts the driver, which is a defect of cgsan: the shortest program that shows it.

use std::cell::Cell;

use cgsan_model::{Call, Code, EventId, ExecId, GraphId, Model, Stream, ThreadId};
use cgsan_trace::{Entry, Record, Trace};

use crate::history::{History, Step, is_contradiction, step, stream_of};

/// How many calls the search makes to the model, about a second's worth.
const BUDGET: usize = 5_000_000;

/// How many calls a note shows.
const SHOWN: usize = 40;

/// The shortest part of a trace in which the model contradicts the driver, as places among its entries: every call of it
/// gets the answer from the model that it gets in the whole. `None` if the model contradicts nothing, as far as the trace has
/// all calls.
pub fn contradiction(trace: &Trace) -> Option<Vec<usize>> {
    let mut model = Model::new();
    let mut before: Vec<(Step<'_>, Code)> = Vec::new();
    let looked_away = |entry: &Entry| entry.record == Record::Watched { on: false };
    let complete = trace.entries().iter().position(looked_away);
    for step in step::steps(trace, 0..complete.unwrap_or(trace.entries().len())) {
        if trace.is_aside(step.record) {
            continue;
        }
        let answer = model.call(step.thread, &step.record.call).code;
        before.push((step, answer));
        if is_contradiction(answer, step.record.result) {
            let shortest = shortest(&before);
            return Some(shortest.iter().map(|(step, _)| step.position).collect());
        }
    }
    None
}

/// Leaves out what the last call's answer does not depend on.
///
/// Only the model can be asked again: the driver's answers are those of the whole program. So what may have moved the driver
/// stays: calls with an object of the last call, and the beginnings of the captures that ran when it was made.
fn shortest<'t>(calls: &[(Step<'t>, Code)]) -> Vec<(Step<'t>, Code)> {
    let left = Cell::new(BUDGET);
    let objects = calls.last().map(|(last, _)| objects(&last.record.call));
    let objects = objects.unwrap_or_default();
    let running = running(calls);
    let may_go = |(step, _): &(Step<'_>, Code)| {
        let own = self::objects(&step.record.call);
        !running.contains(&step.position) && own.iter().all(|object| !objects.contains(object))
    };
    let shows = |part: &[(Step<'_>, Code)]| {
        let Some(rest) = left.get().checked_sub(part.len()) else {
            left.set(0);
            return false;
        };
        left.set(rest);
        let mut model = Model::new();
        part.iter()
            .all(|(step, answer)| model.call(step.thread, &step.record.call).code == *answer)
    };
    cgsan_model::shortest(calls, may_go, shows)
}

/// Where the captures began that had not ended at the last call, as the driver has it.
fn running(calls: &[(Step<'_>, Code)]) -> Vec<usize> {
    let mut running: Vec<(Option<Stream>, usize)> = Vec::new();
    let Some((_, before)) = calls.split_last() else {
        return Vec::new();
    };
    for (step, _) in before {
        let stream = stream_of(&step.record.call);
        match step.record.call {
            ref it if it.begins_capture() && !step.failed() => {
                running.push((stream, step.position));
            }
            Call::StreamEndCapture { .. } => running.retain(|(origin, _)| *origin != stream),
            _ => {}
        }
    }
    running.into_iter().map(|(_, position)| position).collect()
}

/// What a call works with besides streams.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Object {
    Event(EventId),
    Graph(GraphId),
    Exec(ExecId),
    Address(u64),
}

fn objects(call: &Call) -> Vec<Object> {
    match *call {
        Call::EventCreate { event, .. }
        | Call::EventDestroy { event }
        | Call::EventRecord { event, .. }
        | Call::EventQuery { event }
        | Call::EventSynchronize { event }
        | Call::StreamWaitEvent { event, .. } => vec![Object::Event(event)],
        Call::EventElapsedTime { start, end } => vec![Object::Event(start), Object::Event(end)],
        Call::StreamEndCapture { graph, .. }
        | Call::StreamBeginCaptureToGraph { graph, .. }
        | Call::GraphCreate { graph }
        | Call::GraphDestroy { graph } => vec![Object::Graph(graph)],
        Call::GraphInstantiate { graph, exec, .. } | Call::GraphExecUpdate { exec, graph } => {
            vec![Object::Graph(graph), Object::Exec(exec)]
        }
        Call::GraphExecDestroy { exec }
        | Call::GraphLaunch { exec, .. }
        | Call::GraphUpload { exec, .. } => vec![Object::Exec(exec)],
        Call::FreeAllocated { address } => vec![Object::Address(address)],
        _ => Vec::new(),
    }
}

/// The program at these places of a trace, one line per call, and what the driver and the model answered to the last.
pub(crate) fn describe(history: &History<'_>, places: &[usize]) -> String {
    let trace = history.trace;
    let calls = places.iter().filter_map(|place| step::at(trace, *place));
    let calls: Vec<Step<'_>> = calls.collect();
    let mut model = Model::new();
    let mut answer = Code::SUCCESS;
    for step in &calls {
        answer = model.call(step.thread, &step.record.call).code;
    }
    let mut threads: Vec<ThreadId> = Vec::new();
    for step in &calls {
        if !threads.contains(&step.thread) {
            threads.push(step.thread);
        }
    }
    let left_out = calls.len().saturating_sub(SHOWN);
    let mut lines: Vec<String> = (left_out > 0)
        .then(|| format!("({left_out} calls more, which a kept trace has)"))
        .into_iter()
        .chain(calls[left_out..].iter().map(|step| line(step, &threads)))
        .collect();
    lines.push(format!("the model answers {answer:?}"));
    lines.join("\n")
}

/// A call as a line; threads are numbered in the order of their first calls.
fn line(step: &Step<'_>, threads: &[ThreadId]) -> String {
    let thread = threads.iter().position(|it| *it == step.thread);
    let thread = thread.map_or(0, |index| index + 1);
    let record = step.record;
    format!("thread {thread}: {:?} = {:?}", record.call, record.result)
}
