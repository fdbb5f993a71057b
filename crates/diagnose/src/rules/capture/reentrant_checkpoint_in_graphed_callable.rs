//! CG118: `make_graphed_callables` of a module that uses reentrant checkpointing.

use cgsan_finding::Confidence;

use crate::history::stack;
use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG118",
    check: Check::Failure(check),
};

/// Signal: reentrant checkpointing refuses its backward, which `make_graphed_callables` runs with `torch.autograd.grad`;
/// it does so already while warming up, before any capture.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let refused = failure.says(&["use_reentrant=True"])
        || failure.says(&["Checkpointing is not compatible with .grad()"]);
    let in_graphing = failure
        .stack
        .iter()
        .any(|frame| stack::is_torch_function(frame, "cuda/graphs.py", "make_graphed_callables"));
    (refused && in_graphing).then(|| {
        Verdict::new(
            Confidence::Confirmed,
            says::cg118::TITLE,
            "the callable given here uses `checkpoint(…, use_reentrant=True)`",
        )
        .note(says::cg118::REFUSED)
        .help(says::cg118::NOT_REENTRANT)
    })
}
