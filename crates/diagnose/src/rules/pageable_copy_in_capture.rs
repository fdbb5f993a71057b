//! CG102: a copy between the CPU and the GPU from or to memory that is not pinned.

use super::{Rule, Verdict};
use crate::Confidence;
use crate::failure::Failure;

pub(super) const RULE: Rule = Rule { id: "CG102", check };

/// Signal: PyTorch refuses the copy, and no call to CUDA was refused. Before PyTorch did so, the copy was captured.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    let refused =
        failure.says(&["Cannot copy between CPU and CUDA tensors during CUDA graph capture"]);
    refused.then(|| {
        Verdict::new(
            Confidence::Confirmed,
            "unpinned memory is copied during a capture",
            "this copies between the CPU and the GPU",
        )
        .note("a replay would copy from or to the same host addresses, which PyTorch may have reused by then")
        .help("create the data on the GPU, or copy it before the capture into a tensor that the graph reads")
        .help("to read a result, keep it on the GPU in the capture and copy it after `replay()`")
    })
}
