//! CG204: the graph reads a cast copy that autocast has dropped.

use super::super::{Check, Rule, Verdict};
use crate::Confidence;
use crate::activity::Harm;
use crate::history::stack;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG204",
    check: Check::Replay(check),
};

/// Signal: a cast inside another operator made the block, and the end of autocast freed it.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::Freed {
        block, operation, ..
    } = replay.harm()
    else {
        return None;
    };
    let block = replay.block(block);
    let callers: Vec<&str> = replay
        .activity
        .callers(block.operation?)
        .map(|it| it.name)
        .collect();
    let is_cast = callers.contains(&"_to_copy");
    let is_hidden = callers.iter().any(|name| !CASTS.contains(name));
    let freed = replay.stack(block.freed?.stack);
    let by_autocast = freed
        .iter()
        .any(|frame| stack::is_torch_file(frame, "amp/autocast_mode.py"));
    if !(is_cast && is_hidden && by_autocast) {
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
        .label(replay.location_of(operation), "the capture read the copy here")
        .label(
            stack::user_location(&freed),
            "autocast ended here and dropped the copy",
        )
        .note("later changes of the weight never reach the graph, and the copy's memory is free for others")
        .help("enter autocast inside the capture, or turn its cache off: `torch.autocast(\"cuda\", cache_enabled=False)`"),
    )
}

/// Operators that only convert, and what they call.
const CASTS: &[&str] = &[
    "to",
    "_to_copy",
    "empty_strided",
    "copy_",
    "empty_like",
    "empty",
];
