//! CG127: an event that was recorded in a capture is asked about.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Code, EventId, Reason};

use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG127",
    check: Check::Failure(check),
};

/// Signal: a use of an event whose last record became part of a graph, refused with 907 or as an invalid argument (1).
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let (events, action): (&[EventId], _) = match failure.call()? {
        Call::EventQuery { event } => (&[*event], "queried"),
        Call::EventSynchronize { event } | Call::StreamWaitEvent { event, .. } => {
            (&[*event], "waited for")
        }
        Call::EventElapsedTime { start, end } => (&[*start, *end], "read as a timer"),
        _ => return None,
    };
    let captured = failure.reason() == Some(Reason::EventOfPastCapture)
        && failure.code()? == Code::INVALID_VALUE;
    if !captured && failure.code()? != Code::CAPTURED_EVENT {
        return None;
    }
    let mut verdict = Verdict::new(
        Confidence::Confirmed,
        format!("an event recorded in a capture is {action}"),
        "the event never happened outside the graph",
    );
    for event in events {
        let recorded = failure.history.last_record_of(*event, failure.position());
        if let Some((step, _)) = recorded.filter(|(step, _)| failure.history.is_captured(*step)) {
            let location = failure.history.location_of(step);
            verdict = verdict.label(location, "the event was recorded here, during the capture");
        }
    }
    Some(
        verdict
            .note(says::cg127::PART_OF_GRAPH)
            .help(says::cg127::RECORD_OUTSIDE)
            .help(says::cg127::EXTERNAL),
    )
}
