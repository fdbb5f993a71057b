//! CG131: the work is on another device than the capture.

use cgsan_finding::Confidence;
use cgsan_model::{Call, Device, Stream};

use super::allocation_outside_capture_pool::{current_stream, is_allocation};
use super::waited_copy::waited_copy;
use crate::rules::{Check, Rule, Verdict};
use crate::subjects::{Actor, Failure};

pub(crate) const RULE: Rule = Rule {
    id: "CG131",
    check: Check::Failure(check),
};

/// Signal: the refused call is about a stream of another device than that on which the capture began.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let capture = failure.capture?;
    if failure.actor() == Actor::Other {
        return None;
    }
    let (stream, confidence) = used_stream(failure)?;
    let Device(captured) = failure.history.device_of(capture.origin)?;
    let Device(used) = failure.history.device_of(stream)?;
    if used == captured {
        return None;
    }
    let verdict = Verdict::new(
        confidence,
        "work is on another device than its capture",
        format!("this uses cuda:{used}, and the capture is on cuda:{captured}"),
    )
    .note(format!(
        "each device has a current stream of its own: work on cuda:{used} is not part of a capture on cuda:{captured}"
    ));
    Some(match failure.call()? {
        Call::EventRecord { .. } | Call::StreamWaitEvent { .. } => verdict
            .note("a copy between two devices makes the current stream of each wait for the other")
            .help("move copies between devices out of the captured region: before it begins, or after `replay()`"),
        call if is_allocation(call) => with_device_advice(
            verdict.note(
                "PyTorch allocates from the graph's pool only on streams that capture; elsewhere it asks CUDA for memory, \
                 which a capture forbids",
            ),
            used,
        ),
        _ => with_device_advice(verdict, used),
    })
}

fn with_device_advice(verdict: Verdict, used: u32) -> Verdict {
    verdict
        .help(format!(
            "capture on the device of the work: `torch.cuda.graph(g, stream=torch.cuda.Stream(device={used}))`"
        ))
        .help(format!(
            "or call `torch.cuda.set_device({used})` before the first capture of the process: the default capture stream \
             stays on the device on which it was made"
        ))
}

/// The stream that the refused call was for. Waiting for another device on purpose is no mistake of devices.
fn used_stream(failure: &Failure<'_, '_>) -> Option<(Stream, Confidence)> {
    match failure.call()? {
        call if is_allocation(call) => current_stream(failure),
        Call::Work { stream, .. }
        | Call::EventRecord { stream, .. }
        | Call::StreamWaitEvent { stream, .. } => Some((*stream, Confidence::Confirmed)),
        Call::StreamSynchronize { stream } => {
            waited_copy(failure).map(|_| (*stream, Confidence::Confirmed))
        }
        _ => None,
    }
}
