//! CG102: a copy between the CPU and the GPU from or to memory that is not pinned.

use cgsan_finding::Confidence;
use cgsan_model::{CopyKind, HostMemory};

use super::refused_by_cupy::{Refused, refused};
use super::waited_copy::waited_copy;
use crate::activity::tensors;
use crate::rules::{Check, Rule, Verdict, says};
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
        let verdict = Verdict::new(
            Confidence::Confirmed,
            "unpinned memory is copied during a capture",
            "this copies between the CPU and the GPU",
        );
        if let Some(operator) = copies_itself(failure) {
            return verdict
                .note(format!(
                    "`{operator}` makes the copy itself: all that it was given lies on the GPU"
                ))
                .help(says::cg102::COMPUTE_OUTSIDE);
        }
        verdict
            .note(says::cg102::ADDRESSES)
            .help(says::cg102::copy_before("a tensor"))
            .help(says::cg102::copy_after("`replay()`"))
    })
}

/// Operators that copy what they are given.
const COPYING: &[&str] = &["_copy_from", "_to_copy", "copy_", "to"];

/// The operator that the program called, if it copies though it was given nothing of the host: it looks there at what it found, or
/// computes there.
fn copies_itself<'t>(failure: &Failure<'_, 't>) -> Option<&'t str> {
    let (run, thrown) = (failure.capture?, failure.thrown()?);
    let history = failure.history;
    let operator = history.called_operator(thrown.thread, run.began.position, thrown.position)?;
    let name = history.trace.string(operator.name).strip_prefix("aten::")?;
    let mut given = tensors(&operator.arguments).peekable();
    let is_of_gpu = given.peek().is_some() && given.all(|tensor| tensor.on_gpu);
    (is_of_gpu && !COPYING.contains(&name)).then_some(name)
}

fn refused_by_cupy() -> Verdict {
    Verdict::new(
        Confidence::Confirmed,
        "data is copied between the CPU and the GPU during a capture",
        "this copies between the CPU and the GPU",
    )
    .note("CuPy refuses such copies, of pinned memory too, while its current stream captures")
    .help(says::cg102::copy_before("an array"))
    .help(says::cg102::copy_after("`graph.launch()`"))
}

fn waits_for_unpinned_source(failure: &Failure<'_, '_>) -> bool {
    failure.actor() != Actor::Other
        && waited_copy(failure)
            .is_some_and(|(kind, _)| kind == CopyKind::HostToDevice(HostMemory::Pageable))
}
