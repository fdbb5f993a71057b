//! CG113: the first collective of a process group happens inside a capture.

use cgsan_finding::Confidence;

use crate::rules::{Check, Rule, Verdict};
use crate::subjects::{Actor, Failure};

pub(crate) const RULE: Rule = Rule {
    id: "CG113",
    check: Check::Failure(check),
};

/// Signal: the refused call was made inside NCCL as it sets up a communicator.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    let library = failure.library()?;
    let creates = CREATING
        .iter()
        .any(|function| library.starts_with(function));
    if !creates || failure.actor() == Actor::Other {
        return None;
    }
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "NCCL sets up its communicator during a capture",
            "this is the first collective of its process group",
        )
        .note(format!(
            "`{library}` allocates memory, which a capture forbids"
        ))
        .help("run one collective of the same process group before the capture, e.g. `dist.barrier()`")
        .help("or pass `device_id=` to `init_process_group`, which sets the communicator up at once"),
    )
}

const CREATING: [&str; 3] = ["ncclCommInit", "ncclCommSplit", "ncclGroupEnd"];
