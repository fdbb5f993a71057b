//! CG104: the capturing thread allocates or frees pinned memory.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Restricted};

use super::host_sync_in_capture::reads_through_pinned_memory;
use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::{Actor, Failure};

pub(crate) const RULE: Rule = Rule {
    id: "CG104",
    check: Check::Failure(check),
};

/// Signal: a call about pinned memory by the capturing thread, or by autograd on its behalf, unless an operator made it
/// that reads a value.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    if reads_through_pinned_memory(failure) {
        return None;
    }
    if failure.actor() == Actor::Other || !is_pinned_memory_call(failure.call()?) {
        return None;
    }
    let action = match failure.call()? {
        Call::Restricted(Restricted::HostFree | Restricted::HostUnregister) => "freed",
        _ => "allocated",
    };
    Some(
        Verdict::new(
            Confidence::Confirmed,
            format!("pinned memory is {action} during a capture"),
            format!("pinned memory is {action} here"),
        )
        .help(says::cg104::PIN_BEFORE)
        .help(says::cg104::RELAXED),
    )
}

/// Whether a call allocates, frees, pins or unpins host memory.
pub(super) fn is_pinned_memory_call(call: &Call) -> bool {
    matches!(
        call,
        Call::Restricted(
            Restricted::HostAlloc
                | Restricted::HostFree
                | Restricted::HostRegister
                | Restricted::HostUnregister
        )
    )
}
