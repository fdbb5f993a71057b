//! CG112: another thread allocates pinned memory while a capture in global mode runs.

use cgsan_finding::Confidence;

use super::pinned_allocation_in_capture::is_pinned_memory_call;
use crate::history::stack;
use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::{Actor, Failure};

pub(crate) const RULE: Rule = Rule {
    id: "CG112",
    check: Check::Failure(check),
};

/// Signal: allocation or freeing of pinned memory, by a thread that does not capture.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    if failure.actor() != Actor::Other || !is_pinned_memory_call(failure.call()?) {
        return None;
    }
    let by_loader = failure
        .stack
        .iter()
        .any(|frame| stack::is_torch_file(frame, "utils/data/_utils/pin_memory.py"));
    let (title, here) = if by_loader {
        (
            "a DataLoader pinned memory during a capture",
            "the DataLoader's pin-memory thread ran this",
        )
    } else {
        (
            "another thread pinned memory during a capture",
            "another thread ran this",
        )
    };
    let verdict = Verdict::new(Confidence::Confirmed, title, here)
        .note(says::cg111::GLOBAL_MODE)
        .help(says::cg111::THREAD_LOCAL);
    Some(if by_loader {
        verdict.help(says::cg112::BEFORE_LOOP)
    } else {
        verdict
    })
}
