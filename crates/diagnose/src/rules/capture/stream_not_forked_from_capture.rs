//! CG105: work on a stream that never became part of the capture.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Code, Stream};

use super::allocation_outside_capture_pool::{current_stream, is_allocation};
use super::wait_on_uncaptured_work::{awaited, work_meanwhile};
use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::{Actor, Failure};

pub(crate) const RULE: Rule = Rule {
    id: "CG105",
    check: Check::Failure(check),
};

/// Signal: an allocation refused (900) while a stream outside the capture was current, a join refused (905) with work
/// that such a stream got meanwhile, or the legacy stream made to wait for the capture (906).
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    allocated(failure)
        .or_else(|| joined(failure))
        .or_else(|| on_default_stream(failure))
}

fn allocated(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    if failure.actor() == Actor::Other || !is_allocation(failure.call()?) {
        return None;
    }
    let (stream, confidence) = current_stream(failure)?;
    if !matches!(stream, Stream::Created(_)) {
        return None;
    }
    let name = failure.history.stream_name(stream);
    let verdict = Verdict::new(
        confidence,
        "a stream is used that is not part of the capture",
        format!("this runs on {name}, which never waited for the capture"),
    )
    .note(
        "PyTorch allocates from the graph's pool only on streams of the capture; elsewhere it asks CUDA for memory, \
         which a capture forbids",
    );
    Some(with_fork_advice(verdict))
}

fn joined(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let capture = failure.capture?;
    let (_, stream) = awaited(failure)?;
    let work = work_meanwhile(failure, capture, stream)?;
    let name = failure.history.stream_name(stream);
    let verdict = Verdict::new(
        Confidence::Confirmed,
        "a stream is joined that was never forked",
        format!("this waits for {name}, which is not part of the capture"),
    )
    .label(
        failure.history.location_of(work),
        format!("{name} got work here that the capture did not record"),
    );
    Some(match stream {
        Stream::Created(_) => with_fork_advice(verdict),
        Stream::Legacy(_) | Stream::PerThread(_) => with_replacement_advice(verdict),
    })
}

fn on_default_stream(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    let implicit = failure.code()? == Code::STREAM_CAPTURE_IMPLICIT;
    let on_legacy = matches!(
        failure.call()?,
        Call::StreamWaitEvent {
            stream: Stream::Legacy(_),
            ..
        } | Call::EventRecord {
            stream: Stream::Legacy(_),
            ..
        } | Call::Work {
            stream: Stream::Legacy(_),
            ..
        } | Call::SynchronousWork { .. }
    );
    (implicit && on_legacy).then(|| {
        with_replacement_advice(Verdict::new(
            Confidence::Likely,
            "the default stream is used next to a capture",
            "this uses the default stream, which cannot be part of a capture",
        ))
    })
}

fn with_replacement_advice(verdict: Verdict) -> Verdict {
    verdict.help(says::cg105::SIDE_STREAM)
}

fn with_fork_advice(verdict: Verdict) -> Verdict {
    verdict
        .help(says::cg105::fork("side_stream"))
        .help(says::cg105::join("side_stream"))
}
