//! CG209: a tensor that the graph reads was freed.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, called};
use crate::activity::Harm;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG209",
    check: Check::Replay(check),
};

/// Signal: at a replay, a block from outside the graph's pool that the graph uses was freed.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::Freed {
        block,
        operation,
        owner,
    } = replay.harm()
    else {
        return None;
    };
    let block = replay.block(block);
    let freed = block.freed?;
    let confidence = if owner.is_some() {
        Confidence::Confirmed
    } else {
        Confidence::Likely
    };
    let here = if owner.is_some() {
        "this replay uses memory that now belongs to another tensor"
    } else {
        "this replay uses memory that was freed"
    };
    let verdict = Verdict::new(
        confidence,
        "the graph reads a tensor that has been freed",
        here,
    )
    .label(
        replay.location(block.allocated.stack),
        "the tensor was made here",
    )
    .label(replay.location_of(operation), "the capture used it here")
    .label(
        replay.location(freed.stack),
        "its last reference was dropped here",
    );
    let verdict = match owner.map(|owner| replay.block(owner)) {
        Some(owner) => verdict.label(
            replay.location(owner.allocated.stack),
            "this tensor has its memory now",
        ),
        None => verdict.note(
            "the memory is free at this replay: the values are the old ones until the next tensor is given it",
        ),
    };
    Some(
        verdict
            .note("a graph keeps addresses and holds no tensor alive")
            .help(format!(
                "keep {} alive as long as the graph, e.g. in the object that holds the graph",
                called(replay.name_of(&block), "the tensor")
            )),
    )
}
