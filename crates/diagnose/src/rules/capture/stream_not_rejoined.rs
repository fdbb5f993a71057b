//! CG106: a stream was forked from the capture and not joined back.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Code, Stream};

use crate::history::{CaptureRun, Fork, Step};
use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG106",
    check: Check::Failure(check),
};

/// Signal: the end of the capture is refused as unjoined (904).
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let capture = failure.capture?;
    if failure.code()? != Code::STREAM_CAPTURE_UNJOINED {
        return None;
    }
    let title = match capture.unjoined.len() {
        0 | 1 => "a forked stream is not joined back".to_owned(),
        count => format!("{count} forked streams are not joined back"),
    };
    let mut verdict = Verdict::new(
        Confidence::Confirmed,
        title,
        "the capture ends while forked work has no path back to its origin stream",
    );
    for stream in &capture.unjoined {
        verdict = explain(failure, capture, *stream, verdict);
    }
    Some(verdict)
}

/// Where an unjoined stream was forked, what it did last, and how to join it.
fn explain(
    failure: &Failure<'_, '_>,
    capture: &CaptureRun<'_>,
    stream: Stream,
    mut verdict: Verdict,
) -> Verdict {
    let history = failure.history;
    let name = history.stream_name(stream);
    let mut place = String::new();
    if let Some(fork) = capture.forks.iter().find(|fork| fork.stream == stream) {
        let parent = parent_of(fork)
            .filter(|parent| *parent != capture.origin)
            .map(|parent| format!(" from {}", history.stream_name(parent)))
            .unwrap_or_default();
        let location = history.location_of(fork.waited);
        if let Some(location) = &location {
            place = format!(" (forked at {})", location.short());
        }
        verdict = verdict.label(location, format!("{name} was forked here{parent}"));
    }
    if let Some(work) = last_work(failure, capture, stream) {
        let text = format!("the last work on {name}: nothing waits for it");
        verdict = verdict.label(history.location_of(work), text);
    }
    verdict.help(says::cg106::join(format!("{name}{place}"), "side_stream"))
}

/// The stream whose event a forked stream waited for.
fn parent_of(fork: &Fork<'_>) -> Option<Stream> {
    match fork.recorded?.record.call {
        Call::EventRecord { stream, .. } => Some(stream),
        _ => None,
    }
}

/// The last work that a capture recorded on a stream.
fn last_work<'t>(
    failure: &Failure<'_, 't>,
    capture: &CaptureRun<'t>,
    stream: Stream,
) -> Option<Step<'t>> {
    let history = failure.history;
    let end = capture.ended?.position;
    let mut calls = history.between(capture.began.position, end);
    calls.find(|step| {
        let on_stream = match step.record.call {
            Call::Work { stream: on, .. } | Call::GraphLaunch { stream: on, .. } => on == stream,
            _ => false,
        };
        on_stream && history.is_captured(*step)
    })
}
