//! CG210: the host memory that a captured copy reads belongs to another tensor.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use crate::activity::Harm;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG210",
    check: Check::Replay(check),
};

/// Signal: an operator made a new tensor in the memory of the host that a captured copy reads.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::SourceFreed { owner, source } = replay.harm() else {
        return None;
    };
    let source = replay.activity.graphs[replay.found.graph].sources[source];
    let copy = source.operation.and_then(|index| replay.location_of(index));
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "a captured copy reads host memory that was freed",
            "replays copy whatever lies there now",
        )
        .label(
            source.made.and_then(|index| replay.location_of(index)),
            "the source of the copy was made here",
        )
        .label(copy, "the capture copies from memory of the host here")
        .label(replay.location_of(owner), "this tensor has its memory now")
        .note(says::cg210::ADDRESSES)
        .help(says::cg210::KEEP),
    )
}
