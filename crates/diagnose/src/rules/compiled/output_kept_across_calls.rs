//! CG211: what a compiled function returned is used after a later call has overwritten it.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict};
use crate::subjects::{Overwritten, Reader};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG211",
    check: Check::Overwritten(check),
};

/// Signal: an operator is given a tensor that a run of a captured compiled function returned, after a later run of the same graph, or
/// of another one in a later step (`torch/_inductor/cudagraph_trees.py`, PyTorch 2.6 to 2.15); or PyTorch itself refuses to.
fn check(overwritten: &Overwritten<'_, '_>) -> Verdict {
    let (confidence, here) = match &overwritten.reader {
        Reader::Operator(operation) => (
            if overwritten.again() {
                Confidence::Confirmed
            } else {
                Confidence::Likely
            },
            format!(
                "`{}` is given a tensor that a later call has overwritten",
                operation.called()
            ),
        ),
        Reader::Refused(_) => (
            Confidence::Confirmed,
            "PyTorch refuses to use a tensor that a later call has overwritten".to_owned(),
        ),
    };
    let later = if overwritten.again() {
        "this call wrote its own output over it"
    } else {
        "this call began a step in which its memory is used again"
    };
    let verdict = Verdict::new(
        confidence,
        "a compiled function's output is used after a later call",
        here,
    );
    let (made, over) = (overwritten.made(), overwritten.later());
    let verdict = if over == made {
        verdict.label(made, "each call here gives out the same memory")
    } else {
        verdict
            .label(made, "the call here returned it")
            .label(over, later)
    };
    verdict
        .note("the graphs that `torch.compile` captures give out the same memory in each step")
        .help(
            "keep a copy of what is used later, made outside of the compiled function: `.clone()`",
        )
}
