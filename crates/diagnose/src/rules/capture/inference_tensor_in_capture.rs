//! CG132: a tensor that was made in inference mode is written, or saved for a backward pass, outside of it.

use cgsan_finding::Confidence;

use crate::history::stack;
use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG132",
    check: Check::Failure(check),
};

const WRITTEN: &str = "Inplace update to inference tensor outside InferenceMode";
const SAVED: &str = "Inference tensors cannot be saved for backward";

/// Signal: PyTorch's own words (2.6 to 2.15), in a capture, below `torch/cuda/graphs.py`, or in a program that has captured.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.thrown()?.reported?;
    let is_saved = failure.says(&[SAVED]);
    if !is_saved && !failure.says(&[WRITTEN]) {
        return None;
    }
    let captured = failure.history.captures.iter();
    let has_graph = captured
        .filter_map(|run| run.ended)
        .any(|ended| ended.position < failure.position() && !ended.failed());
    let inside = failure.inside();
    let mut inside = inside.iter();
    let below_graphs = inside.any(|frame| stack::is_torch_file(frame, "cuda/graphs.py"));
    let is_of_a_graph = failure.capture.is_some() || below_graphs;
    if !is_of_a_graph && (is_saved || !has_graph) {
        return None;
    }
    let here = match (is_saved, below_graphs) {
        (true, _) => "a tensor made in inference mode is saved here for a backward pass",
        (false, true) => "PyTorch writes its random state here, which was made in inference mode",
        (false, false) => "a tensor made in inference mode is written here, outside of it",
    };
    let verdict = Verdict::new(
        Confidence::Confirmed,
        "a tensor of inference mode is used outside of it",
        here,
    );
    Some(match (is_saved, below_graphs) {
        (false, true) => verdict
            .note("the first capture that draws random numbers makes the tensors of seed and offset, in the mode that it runs in")
            .help("capture and replay in the same mode: both inside of `torch.inference_mode()`, or neither"),
        _ => verdict.help(
            says::cg132::MAKE_OUTSIDE,
        ),
    })
}
