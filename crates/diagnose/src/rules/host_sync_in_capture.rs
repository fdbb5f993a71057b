//! CG101: the capturing thread waits for the device.

use cgsan_model::{Call, CopyKind, NodeKind};

use super::{Rule, Verdict};
use crate::Confidence;
use crate::failure::{Actor, Failure};

pub(super) const RULE: Rule = Rule { id: "CG101", check };

/// Signal: a blocking call that the capturing thread, or autograd on its behalf, made.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let call = failure.call()?;
    failure.capture?;
    let waits_for = match call {
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
    Some(verdict.help(advice(failure)))
}

/// The copy to the host that the wait is for, if there was one.
fn value_read(failure: &Failure<'_, '_>) -> Option<String> {
    let wait = failure.refused()?;
    let Call::StreamSynchronize { stream: waited } = wait.record.call else {
        return None;
    };
    let mut same_line = failure
        .history
        .before(wait.position)
        .filter(|step| step.thread == wait.thread)
        .take_while(|step| step.record.stack == wait.record.stack);
    let bytes = same_line.find_map(|step| match step.record.call {
        Call::Work {
            stream,
            node:
                NodeKind::Memcpy {
                    kind: CopyKind::DeviceToHost(_),
                    bytes,
                    ..
                },
        } if stream == waited => Some(bytes),
        _ => None,
    })?;
    let plural = if bytes == 1 { "" } else { "s" };
    Some(format!(
        "{bytes} byte{plural} were copied to the host just before the wait: the program needs the value itself"
    ))
}

fn advice(failure: &Failure<'_, '_>) -> String {
    if failure.inside_torch("_tensor.py", "__repr__") {
        return "print the tensor after `replay()`, outside the capture".to_owned();
    }
    if matches!(failure.call(), Some(Call::StreamSynchronize { .. })) && !is_explicit(failure) {
        return "keep the value on the GPU: replace `.item()`, `print`, `if tensor`, `nonzero` and boolean masks by \
                operations of a fixed shape such as `torch.where`, and read values after `replay()`"
            .to_owned();
    }
    "move the wait out of the captured region: before it begins, or after `replay()`".to_owned()
}

/// Whether the program asked for the wait by name.
fn is_explicit(failure: &Failure<'_, '_>) -> bool {
    failure.inside_torch("cuda/streams.py", "synchronize")
        || failure.inside_torch("cuda/__init__.py", "synchronize")
}
