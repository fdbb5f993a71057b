//! CG509: a graph is captured, and its work goes on running eagerly.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use crate::subjects::Unused;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG509",
    check: Check::Unused(check),
};

/// Signal: no replay of the graph until the end, and after its capture its operators run eagerly again and again, from the same lines
/// and on its tensors. `torch.cuda.make_graphed_callables` replays only in the mode of the capture (`torch/cuda/graphs.py`, 2.11).
fn check(unused: &Unused<'_, '_>) -> Option<Verdict> {
    (unused.times() >= CALLS).then(|| {
        Verdict::new(
            Confidence::Likely,
            "a graph was captured, and its work still runs eagerly",
            "the captured operators run eagerly here",
        )
        .note(format!(
            "they ran eagerly {} times after the capture, and the graph was never replayed",
            unused.times()
        ))
        .help(says::cg509::CALL)
        .help(says::cg509::MODE)
    })
}

/// Fewer eager calls may be a comparison, or the last ones of a program that ended early.
const CALLS: usize = 3;
