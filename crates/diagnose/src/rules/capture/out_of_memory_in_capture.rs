//! CG128: memory ran out during a capture.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Code, Restricted};

use crate::history::{Step, Thrown};
use crate::rules::{Check, Rule, Verdict};
use crate::subjects::Failure;

pub(crate) const RULE: Rule = Rule {
    id: "CG128",
    check: Check::Failure(check),
};

/// Signal: an allocation failed for want of memory (2) during the capture, and an exception or a refused call of the
/// same operation followed; or PyTorch, which can be given a limit, asked for none. A failed allocation alone is
/// harmless: PyTorch frees what it can and tries again.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    if !ran_out(failure) {
        return None;
    }
    let verdict = Verdict::new(
        Confidence::Confirmed,
        "memory ran out during a capture",
        "this needs more memory than is free",
    )
    .note("while a capture runs, cached memory cannot be given back: neither by PyTorch nor by `empty_cache()`");
    let verdict = match failed_allocation(failure) {
        Some(allocation) => verdict.call(failure.call_info(allocation)),
        None => verdict
            .note("CUDA refused no allocation: PyTorch keeps to the limit of `set_per_process_memory_fraction()`"),
    };
    Some(
        verdict
            .help(
                "free large tensors and call `torch.cuda.empty_cache()` before the capture begins",
            )
            .help("let graphs share a memory pool: `torch.cuda.graph(g, pool=other.pool())`"),
    )
}

/// Whether memory ran out during a capture.
pub(in crate::rules) fn ran_out(failure: &Failure<'_, '_>) -> bool {
    failure.capture.is_some()
        && (failed_allocation(failure).is_some()
            || failure.thrown().is_some_and(is_limit_of_pytorch))
}

fn is_limit_of_pytorch(thrown: &Thrown<'_>) -> bool {
    thrown.by_pytorch() && is_out_of_memory(thrown)
}

fn is_out_of_memory(thrown: &Thrown<'_>) -> bool {
    thrown.type_name.ends_with("OutOfMemoryError")
}

/// The allocation that CUDA refused, just before the cause.
pub(in crate::rules) fn failed_allocation<'t>(failure: &Failure<'_, 't>) -> Option<Step<'t>> {
    let ran_out = |step: &Step<'_>| {
        let call = &step.record.call;
        let allocates = matches!(
            call,
            Call::Restricted(
                Restricted::Malloc | Restricted::MallocManaged | Restricted::HostAlloc
            ) | Call::Work { .. }
        );
        allocates && step.record.result == Code::OUT_OF_MEMORY
    };
    if let Some(thrown) = failure.thrown() {
        let says_so = is_out_of_memory(thrown);
        return thrown
            .after
            .filter(|step| says_so && ran_out(step))
            .or_else(|| {
                let mut calls = failure
                    .history
                    .between(failure.capture?.began.position, thrown.position);
                calls.find(|step| says_so && step.thread == thrown.thread && ran_out(step))
            });
    }
    let refused = failure.refused()?;
    if ran_out(&refused) {
        return Some(refused);
    }
    let mut same_operation = failure
        .history
        .before(refused.position)
        .filter(|step| step.thread == refused.thread)
        .take_while(|step| step.record.stack == refused.record.stack);
    same_operation.find(ran_out)
}
