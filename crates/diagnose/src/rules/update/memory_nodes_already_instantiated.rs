//! CG604: a graph that allocates gets a second executable.

use cgsan_finding::Confidence;
use cgsan_model::Reason;

use super::super::{Check, Rule, Verdict};
use crate::subjects::{Afterwards, Failure};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG604",
    check: Check::Failure(check),
};

/// Signal: an instantiation or an update is refused (801) because an executable of the graph, which allocates or frees, exists; and
/// the program ends by it (`u01_exec_update`).
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    if !matches!(
        failure.reason()?,
        Reason::MemoryNodesInUse | Reason::UnsupportedClone
    ) {
        return None;
    }
    matches!(failure.afterwards()?, Afterwards::Ended).then(|| {
        Verdict::new(
            Confidence::Confirmed,
            "a graph that allocates has one executable at a time",
            "a second one, or the clone that it would be made of, is refused here",
        )
        .note("addresses of a graph's allocations are fixed, so two executables would use the same memory")
        .help("destroy the first executable, or capture once more and instantiate that graph")
    })
}
