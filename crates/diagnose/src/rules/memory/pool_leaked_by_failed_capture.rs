//! CG309: a failed capture leaves its memory pool behind.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict};
use crate::subjects::{Pool, size};
use crate::waste::Kind;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG309",
    check: Check::Pool(check),
};

/// Signal: the program went on after a capture that ended without a graph, and the pool has free memory reserved when the
/// allocator was asked last.
fn check(pool: &Pool<'_, '_>) -> Option<Verdict> {
    let Kind::Leaked { .. } = pool.waste.kind else {
        return None;
    };
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "a failed capture leaves its memory pool behind",
            "this capture failed, and its pool stays reserved",
        )
        .note(format!(
            "{} of its pool are reserved and free; from here on `empty_cache()` gives back no other memory either",
            size(pool.waste.estimate)
        ))
        .note(pool.saves("closing and releasing the pool"))
        .help("repair what made the capture fail, or end the process after a failed one")
        .help("or, with a pool of `graph_pool_handle()`: `torch._C._cuda_endAllocateToPool(device, pool)` and `torch._C._cuda_releasePool(device, pool)`"),
    )
}
