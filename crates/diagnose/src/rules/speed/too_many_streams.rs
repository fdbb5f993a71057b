//! CG506: more branches than the device has queues.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict};
use crate::subjects::Slow;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG506",
    check: Check::Slow(check),
};

/// Signal: a graph that was captured on more streams than the process has connections to the device, and as many nodes that do not
/// wait for each other.
fn check(slow: &Slow<'_, '_>) -> Option<Verdict> {
    let branches = slow.branches()?;
    let is_wide = branches.streams > CONNECTIONS && branches.width > CONNECTIONS;
    is_wide.then(|| {
        Verdict::new(
            Confidence::Likely,
            format!("{} streams in one graph", branches.streams),
            "the capture begins here",
        )
        .note(format!(
            "{} of its nodes could run at once, and no more branches do than the process has connections to the device: \
             {CONNECTIONS} unless `CUDA_DEVICE_MAX_CONNECTIONS` says otherwise",
            branches.width
        ))
        .help("let chains of work share a few streams, or set `CUDA_DEVICE_MAX_CONNECTIONS` before the first use of CUDA")
    })
}

/// The default of `CUDA_DEVICE_MAX_CONNECTIONS` (CUDA programming guide, environment variables).
const CONNECTIONS: usize = 8;
