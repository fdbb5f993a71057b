//! CG211, as it shows where two results of a graph are compared, or added up: they are one tensor.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, called};
use crate::activity::Harm;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG211",
    check: Check::Replay(check),
};

/// Signal: after two replays or more, an eager operator takes the difference of a tensor that the graph writes and the same memory, or
/// adds the one to the other in place. Without a `detach` before it, which is how a zero with a gradient is made, nobody means that. A
/// difference is left to the rule for kept outputs where a name is known that keeps the first one.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let (operation, block, is_sum) = match replay.harm() {
        Harm::SubtractedFromItself { operation, block } => (operation, block, false),
        Harm::AddedToItself { operation, block } => (operation, block, true),
        _ => return None,
    };
    let name = replay.operation(operation).name;
    let tensor = replay.block(block);
    if !is_sum && replay.is_kept(tensor.address) {
        return None;
    }
    let called = called(replay.name_of(&tensor), "it");
    let replays = replay.activity.graphs[replay.found.graph].replays;
    let written = format!(
        "the graph was replayed {replays} times in all, and each replay writes its result into that memory"
    );
    let verdict = |title: &str, here: String| {
        Verdict::new(Confidence::Likely, title, here)
            .label(replay.made(block), "its memory is allocated here, once")
            .label(replay.harmful_replay(), "this replay wrote both")
    };
    Some(if is_sum {
        verdict(
            "a sum of results is the memory of the graph",
            format!("`{name}` adds the output of the graph to itself"),
        )
        .note(format!("{written}: what was summed up before is gone"))
        .help(format!(
            "begin the sum with a copy: clone {called}, or add to zeros of your own"
        ))
    } else {
        verdict(
            "two results of the graph are the same memory",
            format!("both operands of `{name}` are the same tensor"),
        )
        .note(format!("{written}: the difference is zero"))
        .help(format!(
            "keep a copy of the first result: clone {called} before the next replay"
        ))
    })
}
