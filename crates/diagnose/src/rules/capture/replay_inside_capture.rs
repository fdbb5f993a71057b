//! CG123: a graph is replayed while a capture runs.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Code};

use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::{Actor, Failure};

pub(crate) const RULE: Rule = Rule {
    id: "CG123",
    check: Check::Failure(check),
};

/// Signal: `replay()` refuses before it asks CUDA, or the driver refuses to launch an executable graph, or to make one
/// for its first replay.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    let refused_by_pytorch = failure.says(&["Cannot prepare for replay"]);
    let is_replay = match failure.call() {
        Some(Call::GraphLaunch { .. } | Call::GraphUpload { .. }) => true,
        Some(Call::GraphInstantiate { .. }) => failure.inside_torch("cuda/graphs.py", "replay"),
        _ => false,
    };
    let is_refusal = failure.code().is_some_and(Code::is_capture_refusal);
    let refused_by_driver = is_replay && is_refusal && failure.actor() != Actor::Other;
    (refused_by_pytorch || refused_by_driver).then(|| {
        Verdict::new(
            Confidence::Confirmed,
            "a graph is replayed during a capture",
            "this replays a graph while another is being captured",
        )
        .help(says::cg123::OUTSIDE)
        .help(says::cg123::CAPTURE_THE_WORK)
    })
}
