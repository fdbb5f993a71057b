//! Enqueueing work on a stream.

use cgsan_model::{Call, CaptureId, Code, NodeKind, Stream};

use super::perform::{call, perform};
use super::schedule::{self, Lane, Place};
use super::state::Gpu;
use super::work::Work;
use super::{context, fault, tally};
use crate::api::Function;
use crate::profile;

/// Enqueues work on a stream: it becomes a node if the stream captures, and runs when it is its turn otherwise.
///
/// Returns the capture that recorded it.
#[inline]
pub fn enqueue(
    function: &Function,
    stream: Stream,
    node: NodeKind,
    work: Work,
) -> Result<Option<CaptureId>, Code> {
    let profiled = profile::call(function).map(|profiled| (profiled, node.clone()));
    let call = Call::Work { stream, node };
    // A collective moves and adds its bytes itself.
    let is_computed = matches!(work, Work::Exchange(_));
    let not_captured = perform(function, &call, |gpu, answer| {
        if !is_computed {
            note(&call, answer.capture);
        }
        match answer.capture {
            Some(capture) => {
                gpu.graphs.captured(&gpu.model, capture, work);
                inherit(gpu, &call, capture);
                Ok(Err(capture))
            }
            None => Ok(Ok(work)),
        }
    })?;
    let capture = match not_captured {
        Ok(work) => {
            schedule::submit(stream, work);
            None
        }
        Err(capture) => Some(capture),
    };
    if let Some((profiled, node)) = profiled {
        profiled.enqueued(stream, &node, capture.is_some());
    }
    Ok(capture)
}

/// Does work on the legacy stream of the current device, and waits for it.
pub fn synchronous(function: &Function, node: NodeKind, work: &Work) -> Result<(), Code> {
    let device = context::device();
    let profiled = profile::call(function).map(|profiled| (profiled, node.clone()));
    call(function, &Call::SynchronousWork { device, node })?;
    schedule::wait(Place::Stream(Lane::Legacy(device)));
    fault::after_waiting()?;
    schedule::clear_what_is_read(work);
    work.run();
    if let Some((profiled, node)) = profiled {
        profiled.enqueued(Stream::Legacy(device), &node, false);
    }
    Ok(())
}

/// As [`enqueue`], for work that is done by `now` where the stream does not capture, and can then fail.
pub fn enqueue_with(
    function: &Function,
    stream: Stream,
    node: NodeKind,
    now: impl FnOnce() -> Result<(), Code>,
    later: Work,
) -> Result<Option<CaptureId>, Code> {
    let profiled = profile::call(function);
    let call = Call::Work { stream, node };
    let capture = perform(function, &call, |gpu, answer| {
        note(&call, answer.capture);
        match answer.capture {
            Some(capture) => gpu.graphs.captured(&gpu.model, capture, later),
            None => now()?,
        }
        Ok(answer.capture)
    })?;
    if let Some(profiled) = profiled {
        profiled.over(Code::SUCCESS);
    }
    Ok(capture)
}

/// A kernel that was captured has the attributes of its stream.
fn inherit(gpu: &mut Gpu, call: &Call, capture: CaptureId) {
    if let Call::Work {
        stream,
        node: NodeKind::Kernel { .. },
    } = call
    {
        let attributes = gpu.attributes_of(*stream).of_node();
        if !attributes.is_empty() {
            gpu.graphs.give_newest(&gpu.model, capture, &attributes);
        }
    }
}

/// Counts work that is permitted.
fn note(call: &Call, capture: Option<CaptureId>) {
    if let Call::Work { stream, node } = call {
        tally::add(*stream, node, capture);
    }
}
