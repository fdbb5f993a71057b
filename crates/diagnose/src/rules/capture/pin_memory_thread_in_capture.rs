//! CG112: another thread allocates pinned memory while a capture in global mode runs.

use cgsan_finding::Confidence;

use super::pinned_allocation_in_capture::is_pinned_memory_call;
use crate::history::stack;
use crate::rules::{Check, Rule, Verdict};
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
    let verdict = if by_loader {
        Verdict::new(
            Confidence::Confirmed,
            "a DataLoader pinned memory during a capture",
            "the DataLoader's pin-memory thread ran this",
        )
        .help("capture before the loop over the DataLoader starts its threads")
    } else {
        Verdict::new(
            Confidence::Confirmed,
            "another thread pinned memory during a capture",
            "another thread ran this",
        )
    };
    Some(
        verdict
            .help("capture with `capture_error_mode=\"thread_local\"`: other threads may then allocate")
            .note("a capture in `global` mode forbids allocation to every thread of the process"),
    )
}
