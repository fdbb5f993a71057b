//! A finding out of a subject's evidence and a rule's words.

use cgsan_finding::{Basis, CaptureInfo, Finding, Label, LabelRole, Observed, ThreadInfo};
use cgsan_model::ThreadId;
use cgsan_trace::NativeStackId;

use crate::evidence::Evidence;
use crate::graphs;
use crate::history::{CaptureRun, History, stack};
use crate::process;
use crate::rules::Verdict;
use crate::subjects::Subject;

/// The finding that a rule's verdict on a subject is.
pub(crate) fn finding(
    subject: &Subject<'_, '_>,
    id: &'static str,
    mut verdict: Verdict,
) -> Finding {
    let mut evidence = subject.evidence();
    if let Some(stack) = verdict.stack.take() {
        evidence.stack = stack;
    }
    let history = evidence.history;
    let observed = Observed {
        call: verdict.call.take().or_else(|| evidence.call()),
        thread: evidence
            .thread
            .map(|thread| thread_info(history, thread, evidence.position)),
        capture: evidence
            .capture
            .map(|capture| capture_info(history, capture)),
        consequences: std::mem::take(&mut evidence.consequences),
        stack: evidence.stack.iter().map(stack::location).collect(),
        native_stack: evidence
            .refused
            .and_then(|refusal| refusal.step.record.native)
            .map(|native| native_stack(history, native))
            .unwrap_or_default(),
        standing: Vec::new(),
        of_replays: !matches!(subject, Subject::Failure(_)),
        count: evidence.count,
        processes: vec![process::of(history.trace, evidence.count)],
    };
    Finding {
        id,
        confidence: verdict.confidence,
        location: evidence.location(),
        labels: labels(&evidence, &verdict),
        notes: notes(&evidence, verdict.notes),
        title: verdict.title,
        help: verdict.help,
        basis: Basis::Run(Box::new(observed)),
    }
}

/// The place of the event first, then where the program called the package that it is in, then where the capture began,
/// then those that only the rule knows.
fn labels(evidence: &Evidence<'_, '_>, verdict: &Verdict) -> Vec<Label> {
    let cause = stack::user_location(&evidence.stack);
    let called = stack::own_frame(&evidence.stack)
        .map(stack::location)
        .filter(|called| Some(called) != cause.as_ref());
    let began = evidence
        .capture
        .and_then(|capture| evidence.history.location_of(capture.began))
        .filter(|began| Some(began) != cause.as_ref() && Some(began) != called.as_ref());
    let places = [
        cause.map(|cause| (cause, verdict.here.as_str())),
        called.map(|called| (called, "it is reached from here")),
        began.map(|began| (began, "the capture began here")),
    ];
    let first = evidence.location();
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

/// What PyTorch said, what the rule says, and what holds whichever rule it is.
fn notes(evidence: &Evidence<'_, '_>, of_rule: Vec<String>) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(thrown) = evidence.thrown {
        let package = match thrown.stack.first() {
            Some(frame) if stack::is_of_cupy(frame) => "CuPy",
            _ => "PyTorch",
        };
        notes.push(format!("{package} refused: {}", thrown.summary()));
    }
    notes.extend(of_rule);
    notes.extend(evidence.notes.iter().cloned());
    for other in &evidence.also {
        let place = evidence.history.location_of(other.began);
        notes.push(match place {
            Some(place) => {
                let place = place.short();
                format!("the capture that began at {place} failed because of it, too")
            }
            None => "another capture failed because of it, too".to_owned(),
        });
    }
    notes
}

fn capture_info(history: &History<'_>, capture: &CaptureRun<'_>) -> CaptureInfo {
    let began = history.location_of(capture.began);
    CaptureInfo {
        line: began.as_ref().map(|location| location.line),
        file: began.map(|location| location.file_name()),
        mode: graphs::mode(capture.mode),
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
