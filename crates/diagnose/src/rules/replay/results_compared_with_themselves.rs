//! CG211, as it shows in a comparison: two results of a graph are one tensor.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, called};
use crate::activity::Harm;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG211",
    check: Check::Replay(check),
};

/// Signal: after two replays or more, an eager operator takes the difference of a tensor that the graph writes and the same memory.
/// Without a `detach` before it, which is how a zero with a gradient is made, nobody means that.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::SubtractedFromItself { operation, block } = replay.harm() else {
        return None;
    };
    let name = replay.operation(operation).name;
    let tensor = replay.block(block);
    let replays = replay.activity.graphs[replay.found.graph].replays;
    Some(
        Verdict::new(
            Confidence::Likely,
            "two results of the graph are the same memory",
            format!("both operands of `{name}` are the same tensor"),
        )
        .label(replay.made(block), "its memory is allocated here, once")
        .label(replay.harmful_replay(), "this replay wrote both")
        .note(format!(
            "the graph was replayed {replays} times in all, and each replay writes its result into that memory: the difference is zero"
        ))
        .help(format!(
            "keep a copy of the first result: clone {} before the next replay",
            called(replay.name_of(&tensor), "it")
        )),
    )
}
