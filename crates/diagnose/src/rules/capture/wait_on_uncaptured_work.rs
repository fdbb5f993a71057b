//! CG107: the capture waits for work that was enqueued before it began.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Code, Stream};

use crate::history::{CaptureRun, Step};
use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG107",
    check: Check::Failure(check),
};

/// Signal: a wait refused for isolation (905), and the stream of the event got no work since the capture began.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let capture = failure.capture?;
    let (recorded, stream) = awaited(failure)?;
    if recorded.position > capture.began.position
        && work_meanwhile(failure, capture, stream).is_some()
    {
        return None;
    }
    let history = failure.history;
    let name = history.stream_name(stream);
    let verdict = Verdict::new(
        Confidence::Confirmed,
        "the capture waits for work from before it",
        format!("this waits for {name}, which is not part of the capture"),
    );
    let verdict = if recorded.position < capture.began.position {
        verdict.label(
            history.location_of(recorded),
            "the event was recorded here, before the capture",
        )
    } else {
        let work = last_work(failure, stream, capture.began.position);
        let location = work.and_then(|work| history.location_of(work));
        let location = location.filter(|it| failure.location().as_ref() != Some(it));
        verdict.label(location, "the work it waits for, from before the capture")
    };
    if is_copy_between_devices(failure, capture, stream) {
        return Some(
            verdict
                .note("a copy between two devices makes the current stream of each wait for the other")
                .help(
                    "move copies between devices out of the captured region, before it begins or after `replay()`, and capture \
                     a graph on each device",
                ),
        );
    }
    Some(verdict.help(says::cg107::wait_before(name)))
}

/// The operators of the program that copy.
const COPYING: [&str; 3] = ["aten::copy_", "aten::to", "aten::_to_copy"];

/// Whether the wait is one that a copy makes for the other device.
fn is_copy_between_devices(
    failure: &Failure<'_, '_>,
    capture: &CaptureRun<'_>,
    awaited: Stream,
) -> bool {
    let history = failure.history;
    let devices = (
        history.device_of(capture.origin),
        history.device_of(awaited),
    );
    let called = failure.thread().and_then(|thread| {
        history.called_operator(thread, capture.began.position, failure.position())
    });
    matches!(devices, (Some(one), Some(other)) if one != other)
        && called.is_some_and(|it| COPYING.contains(&history.trace.string(it.name)))
}

/// The record of the event, and its stream, that a wait refused for isolation is about.
pub(super) fn awaited<'t>(failure: &Failure<'_, 't>) -> Option<(Step<'t>, Stream)> {
    if failure.code()? != Code::STREAM_CAPTURE_ISOLATION {
        return None;
    }
    let Call::StreamWaitEvent { event, .. } = failure.call()? else {
        return None;
    };
    failure.history.last_record_of(*event, failure.position())
}

/// The last work on a stream since the capture began, which did not become part of it.
pub(super) fn work_meanwhile<'t>(
    failure: &Failure<'_, 't>,
    capture: &CaptureRun<'t>,
    stream: Stream,
) -> Option<Step<'t>> {
    last_work(failure, stream, failure.position())
        .filter(|work| work.position > capture.began.position)
        .filter(|work| !failure.history.is_captured(*work))
}

fn last_work<'t>(failure: &Failure<'_, 't>, stream: Stream, before: usize) -> Option<Step<'t>> {
    failure
        .history
        .before(before)
        .find(|step| match step.record.call {
            Call::Work { stream: on, .. } | Call::GraphLaunch { stream: on, .. } => {
                on == stream && step.record.result.is_success()
            }
            _ => false,
        })
}
