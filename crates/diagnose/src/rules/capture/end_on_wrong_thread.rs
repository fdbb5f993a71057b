//! CG125: a capture is ended by another thread than the one that began it.

use cgsan_finding::Confidence;
use cgsan_model::Code;

use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG125",
    check: Check::Failure(check),
};

/// Signal: the end of the capture is refused for its thread (908).
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    if failure.code()? != Code::STREAM_CAPTURE_WRONG_THREAD {
        return None;
    }
    Some(
        Verdict::new(
            Confidence::Confirmed,
            says::cg125::TITLE,
            "this thread did not begin the capture",
        )
        .help(says::cg125::SAME_THREAD)
        .help(says::cg125::RELAXED),
    )
}
