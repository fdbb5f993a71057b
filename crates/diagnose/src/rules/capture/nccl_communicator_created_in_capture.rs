//! CG113: the first collective of a process group happens inside a capture.

use cgsan_finding::Confidence;

use crate::rules::{Check, Rule, Verdict, says};
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
            says::cg113::TITLE,
            "NCCL sets up the communicator of the group here",
        )
        .note(format!(
            "`{library}` allocates memory, which a capture forbids"
        ))
        .help(says::cg113::RUN_ONE)
        .help(says::cg113::DEVICE_ID),
    )
}

const CREATING: [&str; 3] = ["ncclCommInit", "ncclCommSplit", "ncclGroupEnd"];
