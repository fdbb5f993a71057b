//! CG102: a copy between the CPU and the GPU from or to memory that is not pinned.

use cgsan_finding::Confidence;
use cgsan_model::{CopyKind, HostMemory};

use super::refused_by_cupy::{Refused, refused};
use super::waited_copy::waited_copy;
use crate::rules::{Check, Rule, Verdict};
use crate::subjects::{Actor, Failure};

pub(crate) const RULE: Rule = Rule {
    id: "CG102",
    check: Check::Failure(check),
};

/// Signal: PyTorch or CuPy refuses the copy, and no call to CUDA was refused. Before 2.11 PyTorch let the copy be captured, and
/// CUDA refused the wait that followed a copy from unpinned memory.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    if refused(failure) == Some(Refused::Copy) {
        return Some(refused_by_cupy());
    }
    let is_refused = failure
        .says(&["Cannot copy between CPU and CUDA tensors during CUDA graph capture"])
        || waits_for_unpinned_source(failure);
    is_refused.then(|| {
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

fn refused_by_cupy() -> Verdict {
    Verdict::new(
        Confidence::Confirmed,
        "data is copied between the CPU and the GPU during a capture",
        "this copies between the CPU and the GPU",
    )
    .note("CuPy refuses such copies, of pinned memory too, while its current stream captures")
    .help("create the data on the GPU, or copy it before the capture into an array that the graph reads")
    .help("to read a result, keep it on the GPU in the capture and copy it after `graph.launch()`")
}

fn waits_for_unpinned_source(failure: &Failure<'_, '_>) -> bool {
    failure.actor() != Actor::Other
        && waited_copy(failure)
            .is_some_and(|(kind, _)| kind == CopyKind::HostToDevice(HostMemory::Pageable))
}
