//! CG301: a replay accesses device memory that was given back.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, called};
use crate::activity::Harm;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG301",
    check: Check::Replay(check),
};

/// Signal: at a replay, a block from outside the graph's pool that the graph uses was freed, and its segment has gone back to the
/// driver.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::Freed {
        block,
        operation,
        owner: None,
    } = replay.harm()
    else {
        return None;
    };
    let position = replay.activity.replays[replay.found.replay?].position;
    let block = replay.block(block);
    let freed = block.freed?;
    if !replay.activity.segments.is_gone(&block, position) {
        return None;
    }
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "the graph uses memory that was given back to the driver",
            "this replay uses memory that is no longer mapped",
        )
        .label(replay.location(block.allocated.stack), "the tensor was made here")
        .label(replay.location_of(operation), "the capture used it here")
        .label(replay.location(freed.stack), "its last reference was dropped here")
        .note("`empty_cache()`, the entry of `torch.cuda.graph` or an allocation that ran short gave its segment back")
        .note("on a GPU the replay ends with an illegal memory access (700) or a failed launch (719), which the next call that waits reports")
        .help(format!(
                "keep {} alive as long as the graph, e.g. in the object that holds the graph",
                called(replay.name_of(&block), "the tensor")
            )),
    )
}
