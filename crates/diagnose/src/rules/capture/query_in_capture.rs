//! CG110: the capturing thread asks whether a stream or an event has finished.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Code};

use crate::rules::{Check, Rule, Verdict};
use crate::subjects::{Actor, Failure};

pub(crate) const RULE: Rule = Rule {
    id: "CG110",
    check: Check::Failure(check),
};

/// Signal: a query by the capturing thread, or by autograd on its behalf, refused as such; a query of a captured event
/// fails in another way.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    let what = match failure.call()? {
        Call::StreamQuery { .. } => "a stream",
        Call::EventQuery { .. } => "an event",
        _ => return None,
    };
    let refused_as_query = failure.code()? == Code::STREAM_CAPTURE_UNSUPPORTED;
    if failure.actor() == Actor::Other || !refused_as_query {
        return None;
    }
    let verdict = Verdict::new(
        Confidence::Confirmed,
        format!("{what} is queried during a capture"),
        format!("this asks whether {what} has finished"),
    );
    Some(
        verdict
            .help("move the query out of the captured region")
            .help(
                "if the query must stay, capture with `capture_error_mode=\"relaxed\"`: it permits queries of streams \
                 and events that are not part of the capture",
            ),
    )
}
