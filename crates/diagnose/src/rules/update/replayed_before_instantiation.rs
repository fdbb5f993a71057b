//! CG607: a graph is launched, or its executable is asked for, before there is one.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Reason};

use super::super::rule::succeeds_later;
use super::super::{Check, Rule, Verdict, says};
use crate::subjects::Failure;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG607",
    check: Check::Failure(check),
};

/// What PyTorch says: part of its text (2.6 to 2.15), and what is wrong at the line.
const REFUSALS: &[(&str, &str)] = &[
    (
        "CUDAGraph::replay without a preceding successful capture",
        "this object holds no graph",
    ),
    // From 2.14 on, a replay instantiates first.
    (
        "capture_end() must have been called before calling instantiate",
        "this object holds no graph",
    ),
    (
        "CUDAGraph::replay before the graph was instantiated",
        "this graph has no executable yet",
    ),
    (
        "cannot access the raw cudaGraphExec_t instance until",
        "this graph has no executable yet",
    ),
    (
        "cannot access the raw cudaGraph_t instance until",
        "this object holds no graph yet",
    ),
];

/// Signal: PyTorch refuses by name, and no capture failed before; or a launch is refused since its handle names no executable, and the
/// thread launches none afterwards.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    if failure.thrown().is_some() {
        refused_by_pytorch(failure)
    } else {
        refused_by_cuda(failure)
    }
}

fn refused_by_pytorch(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.thrown()?.reported?;
    let (_, here) = REFUSALS.iter().find(|(text, _)| failure.says(&[text]))?;
    let mut captures = failure.history.captures.iter();
    if captures.any(|run| run.began.position < failure.position() && run.ended_badly()) {
        return None;
    }
    Some(
        verdict(here)
            .note("`reset()` gives the graph of an object back, and `keep_graph=True` leaves the instantiation to the program")
            .help(says::cg607::CAPTURE_FIRST),
    )
}

fn refused_by_cuda(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let is_launch = matches!(failure.call()?, Call::GraphLaunch { .. });
    let is_handled = succeeds_later(failure, |call| matches!(call, Call::GraphLaunch { .. }));
    (is_launch && !is_handled && failure.reason()? == Reason::UnknownGraph).then(|| {
        verdict("this launch is refused: its handle names no executable graph")
            .help("launch what `cudaGraphInstantiate` gave, as long as it is not destroyed")
    })
}

fn verdict(here: &str) -> Verdict {
    Verdict::new(
        Confidence::Confirmed,
        "a graph is used before there is an executable of it",
        here,
    )
}
