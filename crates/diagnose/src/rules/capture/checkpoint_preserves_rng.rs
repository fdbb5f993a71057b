//! CG117: activation checkpointing saves the state of the random number generator during a capture.

use cgsan_finding::Confidence;

use super::rng_state_read_or_written::refuses_rng_state;
use crate::history::stack;
use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG117",
    check: Check::Failure(check),
};

/// Signal: PyTorch refuses access to the generator's state, asked for by its own checkpointing.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    let checkpoints = failure
        .inside()
        .iter()
        .any(|frame| stack::is_torch_file(frame, "utils/checkpoint.py"));
    (checkpoints && refuses_rng_state(failure)).then(|| {
        Verdict::new(
            Confidence::Confirmed,
            says::cg117::TITLE,
            "activation checkpointing reads the generator's state here",
        )
        .help(says::cg117::LEAVE_STATE)
        .note(says::cg117::REFUSED)
    })
}
