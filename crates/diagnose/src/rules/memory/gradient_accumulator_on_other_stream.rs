//! CG307: gradients pile up in the capture, one an accumulation step.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict};
use crate::subjects::{Pool, count, size};
use crate::waste::Kind;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG307",
    check: Check::Pool(check),
};

/// Signal: at the end of a capture, blocks of a backward pass wait for another stream, and nothing called `record_stream` on
/// them but autograd.
fn check(pool: &Pool<'_, '_>) -> Option<Verdict> {
    let Kind::PutAside {
        blocks,
        recorded: None,
        ..
    } = &pool.waste.kind
    else {
        return None;
    };
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "gradients pile up in the capture",
            "autograd hands gradients of this backward pass to another stream",
        )
        .note(format!(
            "{} in {} were freed during the capture and put aside until its end: the AccumulateGrad node has the stream \
             on which it was made, and autograd calls `record_stream` for it",
            size(pool.bytes(blocks)),
            count(blocks)
        ))
        .note(pool.saves("a node of the capture's own stream"))
        .help("drop what refers to the autograd graph of the warm-up (losses, outputs, hooks on its nodes) before the capture")
        .help("or capture on the stream of the warm-up: `torch.cuda.graph(graph, stream=side)`"),
    )
}
