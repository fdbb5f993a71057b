//! CG126: two captures meet.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Code};

use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG126",
    check: Check::Failure(check),
};

/// Signal: a wait that would merge two captures (902), or the end of a capture on a stream that is not its origin (903,
/// or refused by PyTorch before).
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    if failure.code() == Some(Code::STREAM_CAPTURE_MERGE) {
        return Some(merged(failure));
    }
    let ends_elsewhere = failure.code() == Some(Code::STREAM_CAPTURE_UNMATCHED)
        || failure.says(&["Capture must end on the same stream it began on"]);
    (ends_elsewhere && failure.capture.is_some()).then(|| {
        Verdict::new(
            Confidence::Confirmed,
            says::cg126::OTHER_STREAM,
            "the current stream is not the one that the capture began on",
        )
        .help(says::cg126::SAME_STREAM)
    })
}

fn merged(failure: &Failure<'_, '_>) -> Verdict {
    let verdict = Verdict::new(
        Confidence::Confirmed,
        says::cg126::MERGES,
        "this wait would merge two captures",
    );
    let recorded = match failure.call() {
        Some(Call::StreamWaitEvent { event, .. }) => {
            failure.history.last_record_of(*event, failure.position())
        }
        _ => None,
    };
    let location = recorded.and_then(|(step, _)| failure.history.location_of(step));
    verdict
        .label(
            location,
            "the event was recorded here, in the other capture",
        )
        .help(says::cg126::ONE_GRAPH)
}
