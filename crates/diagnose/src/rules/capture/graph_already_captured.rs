//! CG130: a capture is begun into an object that holds a graph.

use cgsan_finding::Confidence;

use crate::rules::{Check, Rule, Verdict};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG130",
    check: Check::Failure(check),
};

/// Signal: PyTorch refuses before it asks CUDA.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let refused = failure.says(&["already owns a captured graph"])
        && failure.inside_torch("cuda/graphs.py", "capture_begin");
    if !refused {
        return None;
    }
    let verdict = Verdict::new(
        Confidence::Confirmed,
        "a second capture is begun into one graph object",
        "this captures into a `CUDAGraph` that holds a graph",
    );
    Some(
        earlier_capture(failure, verdict)
            .help("make a new `torch.cuda.CUDAGraph()` for each capture, and keep the objects apart")
            .help("or release the old graph first: `graph.reset()`, when nothing uses its outputs any more"),
    )
}

/// Which object holds which graph is not recorded: where all captures began at one line, it was that one.
fn earlier_capture(failure: &Failure<'_, '_>, verdict: Verdict) -> Verdict {
    let history = failure.history;
    let ended = history.captures.iter().filter(|run| {
        run.ended
            .is_some_and(|ended| ended.position < failure.position())
    });
    let mut began: Vec<_> = ended.map(|run| history.location_of(run.began)).collect();
    began.dedup();
    match began.as_slice() {
        [Some(only)] if Some(only) == failure.location().as_ref() => {
            verdict.note("the same line captured before")
        }
        [Some(only)] => verdict.label(
            Some(only.clone()),
            "the graph that it holds was captured here",
        ),
        _ => verdict,
    }
}
