//! CG221: two branches of a graph use the same memory at the same time.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict};
use crate::activity::Harm;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG221",
    check: Check::Replay(check),
};

/// Signal: a block of a capture's pool is given out again, and captured work on one stream uses the new tensor there while work on
/// another stream, which nothing orders before it, uses the old one; one of them writes. The allocator reuses a block in the order of
/// the stream that it was allocated on (`CUDACachingAllocator.cpp`, PyTorch 2.11).
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::SharedAcrossBranches {
        block,
        other,
        operation,
    } = replay.harm()
    else {
        return None;
    };
    let freed = replay.block(block).freed;
    let name = |index: usize| replay.operation(index).name;
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "branches of the graph share memory with no edge between",
            format!("`{}` may run while the memory is still used for another tensor", name(operation)),
        )
        .label(replay.made(block), "the other tensor was made here")
        .label(
            replay.location_of(other),
            format!("`{}` uses it here, on another stream", name(other)),
        )
        .label(
            freed.and_then(|freed| replay.location(freed.stack)),
            "its last reference was dropped here, and its memory given out again",
        )
        .note("the allocator orders its reuse by the stream that the tensor was made on, and knows of no other")
        .help("make that stream wait for the other before the tensor is dropped: `stream.wait_stream(other)`")
        .help("or keep the tensor until the streams have joined"),
    )
}
