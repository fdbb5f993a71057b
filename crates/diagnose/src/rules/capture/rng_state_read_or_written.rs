//! CG116: the state of a random number generator is read or written during a capture.

use cgsan_finding::Confidence;

use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG116",
    check: Check::Failure(check),
};

/// Signal: PyTorch's generator refuses, and no call to CUDA was refused.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    refuses_rng_state(failure).then(|| {
        Verdict::new(
            Confidence::Confirmed,
            "the RNG state is accessed during a capture",
            "this reads or writes the state of a CUDA generator",
        )
        .help(says::cg116::OUTSIDE)
        .help(says::cg116::GRAPHSAFE)
    })
}

/// Whether PyTorch's generator refused access to its state because of a capture.
pub(super) fn refuses_rng_state(failure: &Failure<'_, '_>) -> bool {
    failure.says(&[
        // PyTorch 2.6 to 2.9.
        "Cannot call CUDAGeneratorImpl::",
        "Please ensure to utilize the CUDAGeneratorImpl::set_state_index method",
        // Since PyTorch 2.10.
        "CUDAGeneratorImpl::set_current_seed can be called during stream capture only",
    ])
}
