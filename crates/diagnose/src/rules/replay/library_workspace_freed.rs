//! CG219: a workspace of cuBLAS that the graph uses was freed.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict};
use crate::activity::Harm;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG219",
    check: Check::Replay(check),
};

/// Signal: as CG209, and the block is one that a matrix product allocated for cuBLAS and nobody was given.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::Freed {
        block, operation, ..
    } = replay.harm()
    else {
        return None;
    };
    replay.activity.workspaces.get(&block)?;
    let block = replay.block(block);
    Some(
        Verdict::new(
            Confidence::Likely,
            "the graph uses a workspace of cuBLAS that was freed",
            "this replay lets cuBLAS write to memory that is no longer its own",
        )
        .label(
            replay.location(block.allocated.stack),
            "PyTorch allocated the workspace here, at the first matrix product on the stream",
        )
        .label(
            replay.location_of(operation),
            "the capture recorded a matrix product that uses it",
        )
        .label(replay.location(block.freed?.stack), "it was freed here")
        .note("PyTorch keeps one workspace for each cuBLAS handle and stream; a graph keeps its address and not the memory")
        .help("do not clear the workspaces while a graph lives, or capture again afterwards"),
    )
}
