//! CG218: `.grad` is the buffer that the graph writes its gradients to.

use super::super::{Check, Rule, Verdict};
use crate::Confidence;
use crate::activity::Harm;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG218",
    check: Check::Replay(check),
};

/// Signal: autograd adds a new gradient to `.grad`, and both are the same memory of a graph.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::GradientAliased { block, .. } = replay.harm() else {
        return None;
    };
    let block = replay.block(block);
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "a gradient is overwritten by the next backward pass",
            "this replay overwrites the gradient that it is to be added to",
        )
        .label(
            replay.location(block.allocated.stack),
            "the graph writes its gradient into memory allocated here",
        )
        .note("`.grad` became the graph's own buffer, so the sum is twice the last gradient instead of the sum of all")
        .help("clone the gradient after the first backward pass, or let `.grad` have memory of its own before it: zeros, with `zero_grad(set_to_none=False)`"),
    )
}
