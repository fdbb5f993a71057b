//! CG206: an operator ran during the capture on a stream that is not part of it.

use cgsan_finding::Confidence;
use cgsan_model::{Device, Stream};

use super::super::{Check, Rule, Verdict, says};
use crate::activity::Harm;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG206",
    check: Check::Replay(check),
};

/// Why it matters where captured work uses nothing of it.
const READ_AFTER_REPLAYS: &str =
    "no replay repeats it, and the program reads after replays what it moved on";

/// Signal: the capturing thread enqueued work on a stream outside the capture, on a tensor that captured work uses as well;
/// or nothing was captured at all; or it moved on a tensor from before the capture that nobody has written since, and that the program
/// reads after replays. Or another thread computed meanwhile what captured work reads, and a replay reads that again,
/// though what it was computed from was written anew.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::LeftOut { operation, block } = replay.harm() else {
        return None;
    };
    let name = replay.operation(operation).called();
    let accesses = &replay.activity.graphs[replay.found.graph].accesses;
    let shared = accesses.iter().find(|it| Some(it.block) == block);
    let captured = shared.and_then(|it| replay.location_of(it.operation));
    let (confidence, why) = if block.is_some() && shared.is_none() {
        (Confidence::Likely, READ_AFTER_REPLAYS)
    } else {
        (Confidence::Confirmed, says::cg206::NOT_REPEATED)
    };
    let verdict = Verdict::new(
        confidence,
        "an operator of the captured region is not in the graph",
        format!("`{name}` runs once, now, on a stream outside the capture"),
    )
    .label(captured, "captured work uses the same tensor here")
    .note(why);
    Some(match other_device(replay, operation) {
        Some(used) => verdict.help(format!(
            "capture on the device of the work: `torch.cuda.graph(g, stream=torch.cuda.Stream(device={used}))`; the default capture \
             stream stays on the device of the process's first capture"
        )),
        None if is_on_legacy_stream(replay, operation) => verdict.help(says::cg105::SIDE_STREAM).help(
            "an extension that launches its kernels on the default stream, whatever the current stream is, cannot be captured: run it \
             outside of the region",
        ),
        None => verdict.help(says::cg105::SIDE_STREAM),
    })
}

/// The device that an operator ran on, if the capture is on another one.
fn other_device(replay: &Replay<'_, '_>, operation: usize) -> Option<u32> {
    let stream = replay.operation(operation).stream?;
    let Device(used) = replay.history.device_of(stream)?;
    let origin = replay.history.captures[replay.found.graph].origin;
    let Device(captured) = replay.history.device_of(origin)?;
    (used != captured).then_some(used)
}

fn is_on_legacy_stream(replay: &Replay<'_, '_>, operation: usize) -> bool {
    matches!(replay.operation(operation).stream, Some(Stream::Legacy(_)))
}
