//! CG605: a graph is launched again before what it allocated is freed.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Reason};

use super::super::{Check, Rule, Verdict};
use crate::subjects::Failure;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG605",
    check: Check::Failure(check),
};

/// Signal: a launch is refused (1) while memory that the last launch allocated is not freed (CUDA programming guide, graph memory
/// nodes; `mem` recordings).
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let is_launch = matches!(failure.call()?, Call::GraphLaunch { .. });
    (is_launch && failure.reason()? == Reason::UnfreedAllocation).then(|| {
        Verdict::new(
            Confidence::Confirmed,
            "a graph is launched before its memory was freed",
            "this launch is refused, and does nothing",
        )
        .note("the graph allocates memory that outlives its launch, and the launch before has it still")
        .help(
            "free the memory between two launches, capture its `cudaFreeAsync`, or instantiate with \
             `cudaGraphInstantiateFlagAutoFreeOnLaunch`",
        )
    })
}
