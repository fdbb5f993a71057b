//! CG103: memory is allocated or freed past the graph's pool.

use cgsan_finding::{Confidence, Location};
use cgsan_model::{Call, Restricted, Stream};
use rustc_hash::FxHashMap;

use crate::history::{Step, stack};
use crate::rules::{Check, Rule, Verdict, says};
use crate::subjects::{Actor, Failure};

pub(crate) const RULE: Rule = Rule {
    id: "CG103",
    check: Check::Failure(check),
};

/// Signal: an allocation or a free by the capturing thread is refused, and nothing says that it was meant for a side
/// stream.
fn check(failure: &Failure<'_, '_>) -> Option<Verdict> {
    failure.capture?;
    if failure.actor() == Actor::Other || !is_allocation(failure.call()?) {
        return None;
    }
    let action = match failure.call()? {
        Call::Restricted(Restricted::Free | Restricted::MemPoolTrim) => "freed",
        _ => "allocated",
    };
    let verdict = Verdict::new(
        Confidence::Confirmed,
        format!("device memory is {action} during a capture"),
        format!("device memory is {action} here, outside the graph's pool"),
    );
    let verdict = match current_stream(failure) {
        Some((stream, _)) => verdict
            .note(format!(
                "the current stream was {}, which is not part of the capture",
                failure.history.stream_name(stream)
            ))
            .note(says::cg103::POOL),
        None => verdict,
    };
    Some(
        verdict
            .help(says::cg103::ALLOCATE_BEFORE)
            .help("free after the capture has ended"),
    )
}

/// Whether a call allocates or frees device memory at once, and not in the order of a stream.
pub(super) fn is_allocation(call: &Call) -> bool {
    matches!(
        call,
        Call::Restricted(
            Restricted::Malloc
                | Restricted::MallocManaged
                | Restricted::Free
                | Restricted::MemPoolTrim
        )
    )
}

/// The stream that was current for PyTorch at the refused allocation, if it is not part of the capture.
///
/// PyTorch's allocator asks whether the current stream captures before it allocates. Where that was not recorded, the
/// stream that the same line used before the capture (in a warm-up) stands in.
pub(super) fn current_stream(failure: &Failure<'_, '_>) -> Option<(Stream, Confidence)> {
    let refused = failure.refused()?;
    let mut same_operation = failure
        .history
        .before(refused.position)
        .filter(|step| step.thread == refused.thread)
        .take_while(|step| step.record.stack == refused.record.stack);
    if let Some((step, stream)) = same_operation.find_map(asked) {
        let outside = !failure.history.is_captured(step);
        return outside.then_some((stream, Confidence::Confirmed));
    }
    let stream = used_in_warm_up(failure, refused)?;
    Some((stream, Confidence::Likely))
}

fn asked(step: Step<'_>) -> Option<(Step<'_>, Stream)> {
    match step.record.call {
        Call::StreamIsCapturing { stream } | Call::StreamGetCaptureInfo { stream } => {
            Some((step, stream))
        }
        _ => None,
    }
}

/// The stream on which the line of the refused call last launched work before the capture.
fn used_in_warm_up(failure: &Failure<'_, '_>, refused: Step<'_>) -> Option<Stream> {
    let capture = failure.capture?;
    let here = failure.location()?;
    let mut locations: FxHashMap<_, Option<Location>> = FxHashMap::default();
    let mut launches = failure
        .history
        .before(capture.began.position)
        .filter(|step| step.thread == refused.thread);
    let stream = launches.find_map(|step| {
        let Call::Work { stream, .. } = step.record.call else {
            return None;
        };
        let location = locations
            .entry(step.record.stack?)
            .or_insert_with(|| stack::user_location(&failure.history.stack_of(step)));
        (location.as_ref() == Some(&here)).then_some(stream)
    })?;
    let is_member =
        stream == capture.origin || capture.forks.iter().any(|fork| fork.stream == stream);
    (!is_member).then_some(stream)
}
