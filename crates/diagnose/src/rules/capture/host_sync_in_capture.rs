//! CG101: the capturing thread waits for the device.

use cgsan_finding::Confidence;
use cgsan_model::{Call, CopyKind, Restricted};

use super::reads_itself::instead;
use super::refused_by_cupy::{Refused, refused};
use super::waited_copy::waited_copy;
use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::{Actor, Failure};

pub(crate) const RULE: Rule = Rule {
    id: "CG101",
    check: Check::Failure(check),
};

/// Signal: a blocking call that the capturing thread, or autograd on its behalf, made; or what an operator that reads a
/// value does before.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    if refused(failure) == Some(Refused::Wait) {
        return Some(
            Verdict::new(
                Confidence::Confirmed,
                "the program waits for the GPU during a capture",
                "this waits for the GPU, which does nothing while the capture runs",
            )
            .help(says::cg101::MOVE_OUT),
        );
    }
    let call = failure.call()?;
    let waits_for = match call {
        Call::Restricted(_) if reads_through_pinned_memory(failure) => "the stream",
        Call::StreamSynchronize { .. } => "the stream",
        Call::DeviceSynchronize { .. } => "the whole device",
        Call::EventSynchronize { .. } => "an event",
        Call::SynchronousWork { .. } => "a copy",
        _ => return None,
    };
    if failure.actor() == Actor::Other || !failure.code()?.is_capture_refusal() {
        return None;
    }
    let verdict = match value_read(failure) {
        Some(read) => Verdict::new(
            Confidence::Confirmed,
            "a value is read from the GPU during a capture",
            "this waits for the GPU, which does nothing while the capture runs",
        )
        .note(read),
        None => Verdict::new(
            Confidence::Confirmed,
            format!("the program waits for {waits_for} during a capture"),
            format!("this waits for {waits_for}, which does nothing while the capture runs"),
        ),
    };
    Some(match failure.library() {
        Some(function) => verdict
            .note(format!(
                "`{function}` itself waits; a warm-up does not change that"
            ))
            .help(says::cg101::MOVE_OUT),
        None => advice(failure, verdict),
    })
}

/// The operators that bring a value to the host through pinned memory, which they allocate on first use: in PyTorch 2.6
/// to 2.10.
const READING: [&str; 2] = ["_local_scalar_dense", "nonzero"];

/// Whether the refused call is the allocation of pinned memory with which an operator begins to read a value.
pub(super) fn reads_through_pinned_memory(failure: &Failure<'_, '_>) -> bool {
    let allocates = matches!(
        failure.call(),
        Some(Call::Restricted(Restricted::HostAlloc))
    );
    allocates
        && failure
            .operator()
            .is_some_and(|operator| READING.contains(&operator))
}

/// What shows that the wait is for a value: the copy to the host before it, or the memory that the value would go to.
fn value_read(failure: &Failure<'_, '_>) -> Option<String> {
    if reads_through_pinned_memory(failure) {
        return Some(
            "this version of PyTorch first allocates pinned memory for the value, and that call is refused before the wait"
                .to_owned(),
        );
    }
    let (CopyKind::DeviceToHost(_), bytes) = waited_copy(failure)? else {
        return None;
    };
    let bytes = match bytes {
        1 => "1 byte was".to_owned(),
        bytes => format!("{bytes} bytes were"),
    };
    Some(format!(
        "{bytes} copied to the host just before the wait: the program needs the value itself"
    ))
}

fn advice(failure: &Failure<'_, '_>, verdict: Verdict) -> Verdict {
    if failure.inside_torch("_tensor.py", "__repr__") {
        return verdict.help("print the tensor after `replay()`, outside the capture");
    }
    if failure.inside_torch("distributions/distribution.py", "__init__")
        || failure.inside_torch("distributions/distribution.py", "_validate_sample")
    {
        return verdict.help(VALIDATION);
    }
    if failure.inside_torch("amp/grad_scaler.py", "_maybe_opt_step") {
        return verdict.help(SCALER);
    }
    let for_a_value = matches!(failure.call(), Some(Call::StreamSynchronize { .. }))
        || reads_through_pinned_memory(failure);
    if for_a_value && !is_explicit(failure) {
        return match instead(failure) {
            Some(instead) => verdict.help(instead),
            None => verdict
                .help(says::cg101::READ_LATER)
                .help(says::cg101::FIXED_SHAPE),
        };
    }
    verdict.help(says::cg101::MOVE_OUT)
}

const VALIDATION: &str = "pass `validate_args=False` to the distribution, or call \
                          `torch.distributions.Distribution.set_default_validate_args(False)`: it checks values on the host";

const SCALER: &str = "call `scaler.step(optimizer)` and `scaler.update()` after `replay()`: the host asks whether gradients overflowed; or give \
                      the optimizer `fused=True`, and `capturable=True` if it takes that: then the device decides, in the capture too";

/// Whether the program asked for the wait by name. Only PyTorch also waits in operators that read a value.
fn is_explicit(failure: &Failure<'_, '_>) -> bool {
    if !failure.is_of_pytorch() {
        return true;
    }
    failure.inside_torch("cuda/streams.py", "synchronize")
        || failure.inside_torch("cuda/__init__.py", "synchronize")
}
