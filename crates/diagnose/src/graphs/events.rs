//! What happened while captures ran: forks, waits, refusals and exceptions, in order.

use cgsan_finding::{CaptureEvent, EventKind};
use cgsan_model::{Call, EventId, Stream};
use cgsan_trace::{FrameId, Record};
use rustc_hash::FxHashMap;

use super::named::Named;
use crate::evidence::code_name;
use crate::history::stack::own_location;
use crate::history::{CaptureRun, History, Step, Thrown, stream_of};

/// Something that happened while a capture ran.
pub(super) struct Happened<'t> {
    kind: EventKind,
    after_nodes: usize,
    stream: Option<Stream>,
    waits_for: Option<Stream>,
    text: String,
    place: Place<'t>,
}

enum Place<'t> {
    Stack(Option<FrameId>),
    Thrown(&'t Thrown<'t>),
}

impl Happened<'_> {
    /// With streams and lines by their places in lists.
    pub(super) fn named(&self, named: &mut Named<'_, '_>) -> CaptureEvent {
        CaptureEvent {
            kind: self.kind,
            after_nodes: self.after_nodes,
            stream: self.stream.map(|it| named.stream(it)),
            waits_for: self.waits_for.map(|it| named.stream(it)),
            text: self.text.clone(),
            place: match self.place {
                Place::Stack(stack) => stack.and_then(|stack| named.place_at(stack)),
                Place::Thrown(thrown) => {
                    own_location(&thrown.stack).map(|place| named.place(place))
                }
            },
        }
    }
}

/// What happened, by the indices of the captures.
pub(super) fn of_captures<'h>(history: &'h History<'_>) -> FxHashMap<usize, Vec<Happened<'h>>> {
    let mut found: FxHashMap<usize, Vec<(usize, Happened<'h>)>> = FxHashMap::default();
    for (capture, step, waits_for) in waits(history) {
        let run = &history.captures[capture];
        found
            .entry(capture)
            .or_default()
            .push((step.position, wait(history, run, step, waits_for)));
    }
    for (capture, run) in history.captures.iter().enumerate() {
        let events = found.entry(capture).or_default();
        let text = format!("the capture begins, mode `{}`", super::mode(run.mode));
        events.push((
            run.began.position,
            of_step(run, EventKind::Begin, run.began, text),
        ));
        for refusal in &run.refusals {
            let text = answered(history, refusal.step);
            events.push((
                refusal.step.position,
                of_step(run, EventKind::Refused, refusal.step, text),
            ));
        }
        if let Some(ended) = run.ended {
            let text = if ended.failed() {
                answered(history, ended)
            } else {
                "the capture ends".to_owned()
            };
            let is_told = run
                .refusals
                .iter()
                .any(|it| it.step.position == ended.position);
            if !is_told {
                events.push((ended.position, of_step(run, EventKind::End, ended, text)));
            }
        }
    }
    for thrown in &history.thrown {
        for (capture, run) in history.captures.iter().enumerate() {
            if run.thread() == thrown.thread && run.spans(thrown.position) {
                let exception = Happened {
                    kind: EventKind::Exception,
                    after_nodes: nodes_before(run, thrown.position),
                    stream: None,
                    waits_for: None,
                    text: thrown.summary(),
                    place: Place::Thrown(thrown),
                };
                let events = found.entry(capture).or_default();
                events.push((thrown.position, exception));
            }
        }
    }
    found
        .into_iter()
        .map(|(capture, mut events)| {
            events.sort_by_key(|(position, _)| *position);
            (
                capture,
                events.into_iter().map(|(_, event)| event).collect(),
            )
        })
        .collect()
}

/// The successful waits of streams for events that captures recorded, with the streams that the events were recorded on.
fn waits<'t>(history: &History<'t>) -> Vec<(usize, Step<'t>, Stream)> {
    let mut recorded: FxHashMap<EventId, Stream> = FxHashMap::default();
    let mut waits = Vec::new();
    let by_id: FxHashMap<_, usize> = history
        .captures
        .iter()
        .enumerate()
        .filter_map(|(capture, run)| Some((run.id?, capture)))
        .collect();
    for (position, entry) in history.trace.entries().iter().enumerate() {
        let Record::Call(record) = &entry.record else {
            continue;
        };
        let step = Step {
            position,
            thread: entry.thread,
            record,
        };
        if step.failed() {
            continue;
        }
        match record.call {
            Call::EventRecord { event, stream, .. } => {
                recorded.insert(event, stream);
            }
            Call::StreamWaitEvent { event, stream, .. } => {
                let capture = history.capture_of(step).and_then(|id| by_id.get(&id));
                let other = recorded.get(&event).filter(|other| **other != stream);
                if let (Some(capture), Some(other)) = (capture, other) {
                    waits.push((*capture, step, *other));
                }
            }
            _ => {}
        }
    }
    waits
}

fn wait<'t>(
    history: &History<'t>,
    run: &CaptureRun<'t>,
    step: Step<'t>,
    waits_for: Stream,
) -> Happened<'t> {
    let forks = run.forks.iter();
    let is_fork = forks
        .map(|it| it.waited.position)
        .any(|it| it == step.position);
    let waiting = stream_of(&step.record.call);
    let (kind, what) = if is_fork {
        (EventKind::Fork, "becomes part of the capture: it waits for")
    } else if waiting == Some(run.origin) {
        (EventKind::Join, "waits for")
    } else {
        (EventKind::Wait, "waits for")
    };
    let name = |stream| history.stream_name(stream);
    let whose = waiting.map(name).unwrap_or_default();
    let text = format!("{whose} {what} {}", name(waits_for));
    Happened {
        waits_for: Some(waits_for),
        ..of_step(run, kind, step, text)
    }
}

fn of_step<'t>(
    run: &CaptureRun<'_>,
    kind: EventKind,
    step: Step<'t>,
    text: String,
) -> Happened<'t> {
    Happened {
        kind,
        after_nodes: nodes_before(run, step.position),
        stream: stream_of(&step.record.call),
        waits_for: None,
        text,
        place: Place::Stack(step.record.stack),
    }
}

/// A call and what came back.
fn answered(history: &History<'_>, step: Step<'_>) -> String {
    let code = step.record.result;
    let function = history.trace.string(step.record.function);
    format!("`{function}` returned {} ({})", code.0, code_name(code))
}

fn nodes_before(run: &CaptureRun<'_>, position: usize) -> usize {
    run.nodes_at.partition_point(|at| *at < position)
}
