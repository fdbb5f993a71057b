//! CG204: the graph reads a cast copy that autocast has dropped.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use crate::activity::{Block, Harm};
use crate::history::stack;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG204",
    check: Check::Replay(check),
};

/// Signal: a cast inside another operator made the block, and the end of autocast freed it; or the capture made it, and an eager
/// operator reads it before any replay.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    match replay.harm() {
        Harm::Freed {
            block, operation, ..
        } => dropped(replay, &replay.block(block), operation),
        Harm::NotComputed { block, .. } => not_computed(replay, &replay.block(block)),
        _ => None,
    }
}

/// Whether a block holds a cast that the program has not asked for. The backward pass of a cast casts too: what it makes is a
/// gradient.
fn is_hidden_cast(replay: &Replay<'_, '_>, block: &Block) -> bool {
    let callers = |operation| replay.activity.callers(operation).map(|it| it.name);
    block.operation.is_some_and(|operation| {
        callers(operation).any(|name| name == "_to_copy")
            && callers(operation).any(|name| !CASTS.contains(&name))
            && !callers(operation).any(|name| name.ends_with(BACKWARD_OF_A_CAST))
    })
}

fn not_computed(replay: &Replay<'_, '_>, block: &Block) -> Option<Verdict> {
    is_hidden_cast(replay, block).then(|| {
        Verdict::new(
            Confidence::Confirmed,
            "eager code reads autocast's copy before it is computed",
            "this reads the cast copy of a weight that only a replay computes, and there was none yet",
        )
        .label(
            replay.location(block.allocated.stack),
            "the capture cast the weight here, and autocast kept the copy",
        )
        .note("a captured cast runs at the replays alone; autocast's cache hands its result to eager code as well")
        .help(says::cg204::CACHE_OFF)
    })
}

fn dropped(replay: &Replay<'_, '_>, block: &Block, operation: usize) -> Option<Verdict> {
    let freed = replay.stack(block.freed?.stack);
    let by_autocast = freed
        .iter()
        .any(|frame| stack::is_torch_file(frame, "amp/autocast_mode.py"));
    if !(is_hidden_cast(replay, block) && by_autocast) {
        return None;
    }
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "the graph reads a copy from autocast's cache",
            "this replay reads the cast copy of a weight, not the weight",
        )
        .label(
            replay.location(block.allocated.stack),
            "autocast cast the weight here and kept the copy",
        )
        .label(
            replay.location_of(operation),
            "the capture read the copy here",
        )
        .label(
            stack::user_location(&freed),
            "autocast ended here and dropped the copy",
        )
        .note(says::cg204::STALE)
        .help(says::cg204::CACHE_OFF),
    )
}

/// The autograd node of a cast. The engine's name for its turn ends so too.
const BACKWARD_OF_A_CAST: &str = "ToCopyBackward0";

/// Operators that only convert, and what they call.
const CASTS: &[&str] = &[
    "to",
    "_to_copy",
    "empty_strided",
    "copy_",
    "empty_like",
    "empty",
];
