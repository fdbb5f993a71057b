//! CG218: `.grad` is the buffer that the graph writes its gradients to.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, called};
use crate::activity::{BlockId, Harm};
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG218",
    check: Check::Replay(check),
};

/// Signal: autograd adds a new gradient to `.grad`, and both are the same memory of a graph; or replays write gradients of
/// several batches there before one is used, or where the program means them to be added.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    match replay.harm() {
        Harm::GradientAliased { block, .. } => Some(aliased(replay, block)),
        Harm::GradientReplaced { block } => Some(replaced(replay, block)),
        _ => None,
    }
}

fn aliased(replay: &Replay<'_, '_>, block: BlockId) -> Verdict {
    Verdict::new(
            Confidence::Confirmed,
            "a gradient is overwritten by the next backward pass",
            "this replay overwrites the gradient that it is to be added to",
        )
        .label(
            replay.made(block),
            "the graph writes its gradient into memory allocated here",
        )
        .note("`.grad` became the graph's own buffer, so the sum is twice the last gradient instead of the sum of all")
        .help(format!(
            "clone {} after the first backward pass, or let `.grad` have memory of its own before it: zeros, with `zero_grad(set_to_none=False)`",
            called(replay.name_of(&replay.block(block)), "the gradient")
        ))
}

fn replaced(replay: &Replay<'_, '_>, block: BlockId) -> Verdict {
    Verdict::new(
        Confidence::Likely,
        "a gradient is replaced by that of the next batch",
        "this replay writes over the gradient of the batch before, and adds nothing",
    )
    .label(replay.made(block), "the capture allocated the gradient's memory here")
    .note("`.grad` was `None` at the capture, so that the graph writes each gradient anew where an eager backward pass adds")
    .help("let `.grad` have memory of its own before the capture: zeros, with `zero_grad(set_to_none=False)` before each sum")
}
