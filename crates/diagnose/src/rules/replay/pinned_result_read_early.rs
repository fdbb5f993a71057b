//! CG227: the host reads what a captured copy has yet to write.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use crate::activity::Harm;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG227",
    check: Check::Replay(check),
};

/// Signal: an operator of the host reads the pinned memory that a captured copy writes, after a replay that the host has not
/// waited for. One that looks again and again until the value is there is meant so.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::ResultReadEarly { result, .. } = replay.harm() else {
        return None;
    };
    let result = replay.activity.graphs[replay.found.graph].results[result];
    let copy = result.operation.and_then(|index| replay.location_of(index));
    Some(
        Verdict::new(
            Confidence::Confirmed,
            says::cg227::TITLE,
            "the host reads it here, and has not waited for the replay",
        )
        .label(copy, "the capture copies into this pinned memory here")
        .label(
            replay.harmful_replay(),
            "this replay writes it when the GPU gets there",
        )
        .note(says::cg227::QUEUED)
        .help(says::cg227::WAIT),
    )
}
