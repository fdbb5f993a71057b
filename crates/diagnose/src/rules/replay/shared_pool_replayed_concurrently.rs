//! CG216: graphs of one pool are replayed at the same time.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use crate::activity::Harm;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG216",
    check: Check::Replay(check),
};

/// Signal: two replays on streams that no event and no wait orders, of graphs that use the same memory.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::Concurrent { other, block } = replay.harm() else {
        return None;
    };
    let block = replay.block(block);
    Some(
        Verdict::new(
            Confidence::Confirmed,
            says::cg216::TITLE,
            "this replay may run at the same time as one that uses the same memory",
        )
        .label(
            replay.replay_location(other),
            "the other replay, on another stream",
        )
        .label(
            replay.location(block.allocated.stack),
            "both graphs use the memory of this tensor",
        )
        .note("nothing orders the two streams between these replays")
        .help(says::cg216::WAIT)
        .help(says::cg216::OWN_POOL),
    )
}
