//! CG211, as it shows where several results of a graph are compared, added up or put together: they are one tensor.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, called};
use crate::activity::Harm;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG211",
    check: Check::Replay(check),
};

/// Signal: after two replays or more, an eager operator takes the difference of a tensor that the graph writes and the same memory,
/// adds the one to the other in place, or is given it as often as it was looked at behind a replay. Without a `detach` before it, which is
/// how a zero with a gradient is made, nobody means that. A difference is left to the rule for kept outputs where a name is known that
/// keeps the first one.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let harm = replay.harm();
    let (Harm::SubtractedFromItself { operation, block }
    | Harm::AddedToItself { operation, block }
    | Harm::GivenAsSeveral { operation, block }) = harm
    else {
        return None;
    };
    let name = replay.operation(operation).name;
    let tensor = replay.block(block);
    let is_difference = matches!(harm, Harm::SubtractedFromItself { .. });
    if is_difference && replay.is_kept(tensor.address) {
        return None;
    }
    let called = called(replay.name_of(&tensor), "it");
    let replays = replay.activity.graphs[replay.found.graph].replays;
    let written = format!(
        "the graph was replayed {replays} times in all, and each replay writes its result into that memory"
    );
    let verdict = |title: &str, here: String, wrote: &str| {
        Verdict::new(Confidence::Likely, title, here)
            .label(replay.made(block), "its memory is allocated here, once")
            .label(replay.harmful_replay(), wrote)
    };
    Some(match harm {
        Harm::AddedToItself { .. } => verdict(
            "a sum of results is the memory of the graph",
            format!("`{name}` adds the output of the graph to itself"),
            "this replay wrote both",
        )
        .note(format!("{written}: what was summed up before is gone"))
        .help(format!(
            "begin the sum with a copy: clone {called}, or add to zeros of your own"
        )),
        Harm::GivenAsSeveral { .. } => verdict(
            "several results of the graph are the same memory",
            format!("all tensors that `{name}` is given here are the same tensor"),
            "this replay wrote all of them",
        )
        .note(format!("{written}: all hold the result of the last one"))
        .help(format!("clone {called} behind each replay")),
        _ => verdict(
            "two results of the graph are the same memory",
            format!("both operands of `{name}` are the same tensor"),
            "this replay wrote both",
        )
        .note(format!("{written}: the difference is zero"))
        .help(format!(
            "keep a copy of the first result: clone {called} before the next replay"
        )),
    })
}
