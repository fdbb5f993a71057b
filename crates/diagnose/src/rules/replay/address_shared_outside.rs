//! CG225: the address of a graph's temporary is known outside of the process.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict};
use crate::activity::Harm;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG225",
    check: Check::Replay(check),
};

/// Signal: a handle of CUDA IPC was made for the address of a tensor that a capture allocated, or a communicator registered it, by
/// other code than PyTorch's; the tensor is gone while its graph is not; and a capture was given its memory for another one.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::SharedOutside { block, owner, .. } = replay.harm() else {
        return None;
    };
    let made = replay.made(block);
    let now = replay.made(owner).filter(|it| Some(it) != made.as_ref());
    Some(
        Verdict::new(
            Confidence::Likely,
            "a graph's temporary is shared outside by its address",
            "the address is given to another process or a communicator here",
        )
        .label(made, "the tensor that had it was made here, and is gone")
        .label(now, "the pool has given its memory to this one")
        .note("an address holds no tensor alive: each replay writes first the one and then the other there")
        .help("keep the tensor as long as the other side uses its address, e.g. in a list beside the graph; or share a buffer that was made before the capture, and copy into it"),
    )
}
