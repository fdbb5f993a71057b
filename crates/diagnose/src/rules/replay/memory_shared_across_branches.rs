//! CG221: two branches of a graph use the same memory at the same time.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, called};
use crate::activity::{BlockId, Harm};
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG221",
    check: Check::Replay(check),
};

/// Signal: a block of a capture's pool is given out again, and captured work on one stream uses the new tensor there while work on
/// another stream, which nothing orders before it, uses the old one; one of them writes. The allocator reuses a block in the order of
/// the stream that it was allocated on (`CUDACachingAllocator.cpp`, PyTorch 2.11).
///
/// Or work on two streams uses one tensor in that way. Of two views of it, only those with the same place and the same sizes count.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    if let Harm::UnorderedInBranches {
        block,
        other,
        operation,
    } = replay.harm()
    {
        return Some(unordered(replay, block, other, operation));
    }
    let Harm::SharedAcrossBranches {
        block,
        other,
        operation,
    } = replay.harm()
    else {
        return None;
    };
    let freed = replay.block(block).freed;
    let name = |index: usize| replay.operation(index).called();
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

/// Two branches use the same tensor.
fn unordered(replay: &Replay<'_, '_>, block: BlockId, other: usize, operation: usize) -> Verdict {
    let name = |index: usize| replay.operation(index).called();
    let does = |index: usize| {
        let touched = &replay.operation(index).touched;
        let writes = touched.iter().any(|(it, writes)| *it == block && *writes);
        if writes { "writes" } else { "reads" }
    };
    let tensor = called(replay.name_of(&replay.block(block)), "the tensor");
    Verdict::new(
        Confidence::Confirmed,
        "branches of the graph use a tensor with no edge between",
        format!(
            "`{}` {} {tensor}, and may run at the same time as `{}`",
            name(operation),
            does(operation),
            name(other)
        ),
    )
    .label(
        replay.location_of(other),
        format!("`{}` {} it here, on another stream", name(other), does(other)),
    )
    .note("which of them comes first is not the same at each replay")
    .help("make the stream that comes second wait for the other after its work: `stream.wait_stream(other)`")
}
