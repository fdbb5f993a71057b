//! CG107: the capture waits for work that was enqueued before it began.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Code, Stream};

use crate::history::{CaptureRun, Step};
use crate::rules::{Check, Rule, Verdict};
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
        verdict.label(location, "the work it waits for, from before the capture")
    };
    Some(verdict.help(format!(
        "wait for {name} before the capture begins: a graph cannot depend on work outside it"
    )))
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
