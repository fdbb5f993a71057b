//! A finding out of a failure and its rule's words.

use cgsan_model::{CaptureMode, ThreadId};
use cgsan_trace::NativeStackId;

use crate::failure::{Actor, Failure};
use crate::history::{CaptureRun, History, stack};
use crate::rules::Verdict;
use crate::{CaptureInfo, Finding, Label, LabelRole, Location, Process, ThreadInfo, consequences};

/// The finding that a rule's verdict on a failure is.
pub(crate) fn finding(failure: &Failure<'_, '_>, id: &'static str, verdict: Verdict) -> Finding {
    let history = failure.history;
    Finding {
        id,
        confidence: verdict.confidence,
        location: failure.location(),
        call: verdict
            .call
            .clone()
            .or_else(|| Some(failure.call_info(failure.refused()?))),
        thread: failure
            .thread()
            .map(|thread| thread_info(history, thread, failure.position())),
        capture: failure
            .capture
            .map(|capture| capture_info(history, capture)),
        labels: labels(failure, &verdict),
        notes: notes(failure, &verdict),
        title: verdict.title,
        help: verdict.help,
        consequences: consequences::of(failure),
        stack: failure.stack.iter().map(Location::from).collect(),
        native_stack: failure
            .refused()
            .and_then(|step| step.record.native)
            .map(|native| native_stack(history, native))
            .unwrap_or_default(),
        count: failure.count,
        processes: vec![Process::of(history.trace, failure.count)],
    }
}

/// The place of the cause first, then where the capture began, then those that only the rule knows.
fn labels(failure: &Failure<'_, '_>, verdict: &Verdict) -> Vec<Label> {
    let cause = stack::user_location(&failure.stack);
    let began = failure
        .capture
        .and_then(|capture| failure.history.location_of(capture.began))
        .filter(|began| Some(began) != cause.as_ref());
    let places = [
        cause.map(|cause| (cause, verdict.here.as_str())),
        began.map(|began| (began, "the capture began here")),
    ];
    let first = failure.location();
    let mut labels: Vec<Label> = places
        .into_iter()
        .flatten()
        .map(|(location, text)| Label {
            role: if Some(&location) == first.as_ref() {
                LabelRole::Primary
            } else {
                LabelRole::Secondary
            },
            location,
            text: text.to_owned(),
        })
        .collect();
    labels.extend(verdict.labels.iter().cloned());
    labels
}

fn notes(failure: &Failure<'_, '_>, verdict: &Verdict) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(thrown) = failure.thrown() {
        notes.push(format!("PyTorch refused: {}", thrown.summary()));
    }
    notes.extend(verdict.notes.iter().cloned());
    if failure.actor() == Actor::Autograd {
        notes.push(
            "the call was made by a thread of autograd, while the line shown waited for the backward pass"
                .to_owned(),
        );
    }
    for other in &failure.also {
        let place = failure.history.location_of(other.began);
        notes.push(match place {
            Some(place) => {
                let place = stack::short_place(&place);
                format!("the capture that began at {place} failed by it as well")
            }
            None => "another capture failed by it as well".to_owned(),
        });
    }
    notes
}

fn capture_info(history: &History<'_>, capture: &CaptureRun<'_>) -> CaptureInfo {
    let began = history.location_of(capture.began);
    CaptureInfo {
        line: began.as_ref().map(|location| location.line),
        file: began.map(|location| location.file),
        mode: match capture.mode {
            CaptureMode::Global => "global",
            CaptureMode::ThreadLocal => "thread_local",
            CaptureMode::Relaxed => "relaxed",
        },
        stream: history.stream_description(capture.origin),
        thread: thread_info(history, capture.thread(), capture.began.position),
    }
}

fn thread_info(history: &History<'_>, thread: ThreadId, position: usize) -> ThreadInfo {
    let name = history.trace.thread_name_at(thread, position);
    ThreadInfo {
        id: thread.0,
        name: name.map(str::to_owned),
    }
}

fn native_stack(history: &History<'_>, id: NativeStackId) -> Vec<String> {
    let trace = history.trace;
    trace
        .native_stack(id)
        .iter()
        .map(|frame| {
            let module = frame.module.map_or("?", |module| trace.string(module));
            format!("{module}+{:#x}", frame.address)
        })
        .collect()
}
