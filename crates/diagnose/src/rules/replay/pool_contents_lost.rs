//! CG224: memory that the graph reads came back without its contents.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, called};
use crate::activity::Harm;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG224",
    check: Check::Replay(check),
};

/// Signal: a block that the graph reads first was unmapped (`cuMemUnmap`) after its capture, or its storage was resized to nothing
/// and back and has the same address; since then no operator, copy, fill or replay has written it, and no kernel that might have.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::ContentsLost {
        block,
        operation,
        gone,
        back,
    } = replay.harm()
    else {
        return None;
    };
    let name = called(replay.name_of(&replay.block(block)), "the tensor");
    Some(
        Verdict::new(
            Confidence::Likely,
            "memory came back without its contents before a replay",
            format!("this replay reads {name}, which nobody has written since"),
        )
        .label(replay.location_of(operation), "the capture used it here")
        .label(replay.location(gone), "its memory was given up here")
        .label(replay.location(back), "and taken again here, with undefined contents")
        .note("the address is the one that the graph has; what lies there may be zeros, or what others have left")
        .help(format!("copy the contents of {name} back in place before the first replay, or leave it out of what is given up")),
    )
}
