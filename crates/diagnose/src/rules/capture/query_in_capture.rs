//! CG110: the capturing thread asks whether a stream or an event has finished.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Code};

use crate::rules::{Check, Rule, Verdict, says};
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
        says::cg110::title(what),
        format!("this asks whether {what} has finished"),
    );
    Some(
        verdict
            .help(says::cg110::MOVE_OUT)
            .help(says::cg110::RELAXED),
    )
}
