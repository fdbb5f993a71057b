//! A finding out of a failure and its rule's words.

use cgsan_model::{CaptureMode, Code, ThreadId};
use cgsan_trace::NativeStackId;

use crate::failure::{Actor, Failure};
use crate::history::{CaptureRun, History, stack};
use crate::rules::Verdict;
use crate::{CallInfo, CaptureInfo, Finding, Label, LabelRole, ThreadInfo, consequences};

/// The finding that a rule's verdict on a failure is.
pub(crate) fn finding(failure: &Failure<'_, '_>, id: &'static str, verdict: Verdict) -> Finding {
    let history = failure.history;
    let location = failure.location();
    let mut labels = Vec::new();
    if let Some(location) = &location {
        labels.push(Label {
            location: location.clone(),
            text: verdict.here,
            role: LabelRole::Primary,
        });
    }
    if let Some(capture) = failure.capture
        && let Some(began) = history.location_of(capture.began)
        && Some(&began) != location.as_ref()
    {
        labels.push(Label {
            location: began,
            text: "the capture began here".to_owned(),
            role: LabelRole::Secondary,
        });
    }
    labels.extend(verdict.labels);

    let mut notes = verdict.notes;
    if failure.actor() == Actor::Autograd {
        notes.push(
            "the call was made by a thread of autograd, while the line shown waited for the backward pass".to_owned(),
        );
    }
    for other in &failure.also {
        notes.push(match history.location_of(other.began) {
            Some(place) => {
                let place = stack::short_place(&place);
                format!("the capture that began at {place} failed by it as well")
            }
            None => "another capture failed by it as well".to_owned(),
        });
    }

    Finding {
        id,
        title: verdict.title,
        confidence: verdict.confidence,
        location,
        call: call(failure),
        thread: failure
            .thread()
            .map(|thread| thread_info(history, thread, failure.position())),
        capture: failure
            .capture
            .map(|capture| capture_info(history, capture)),
        labels,
        notes,
        help: verdict.help,
        consequences: consequences::of(failure),
        stack: failure.stack.iter().map(stack::location).collect(),
        native_stack: failure
            .refused()
            .and_then(|step| step.record.native)
            .map(|native| native_stack(history, native))
            .unwrap_or_default(),
    }
}

fn call(failure: &Failure<'_, '_>) -> Option<CallInfo> {
    let step = failure.refused()?;
    let text = |id| failure.history.trace.string(id).to_owned();
    Some(CallInfo {
        function: text(step.record.function),
        runtime_function: step.record.runtime.map(text),
        library_function: step.record.library.map(text),
        code: step.record.result.0,
        name: code_name(step.record.result),
        reason: failure.reason().map(|reason| reason.to_string()),
    })
}

/// The code's name in the driver API; a code without one gives its number.
pub(crate) fn code_name(code: Code) -> String {
    code.driver_name()
        .map_or_else(|| format!("CUDA error {}", code.0), str::to_owned)
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
