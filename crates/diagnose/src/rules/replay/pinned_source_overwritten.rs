//! CG208: the host overwrites what a captured copy has yet to read.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use crate::activity::Harm;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG208",
    check: Check::Replay(check),
};

/// Signal: the pinned source of a captured copy is written after a replay, and the host has not waited for it: by an operator, or by
/// something else, so that its bytes differ from those at the replay before.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::SourceWritten { writer, source } = replay.harm() else {
        return None;
    };
    let source = replay.activity.graphs[replay.found.graph].sources[source];
    let copy = source.operation.and_then(|index| replay.location_of(index));
    let here = match writer {
        Some(_) => "the host writes the source while the last replay may still have to read it",
        None => "the host writes the source after this replay, which may still have to read it",
    };
    Some(
        Verdict::new(Confidence::Confirmed, says::cg208::TITLE, here)
            .label(copy, "the capture copies from this pinned memory here")
            .label(
                replay.harmful_replay().filter(|_| writer.is_some()),
                "this replay reads it when the GPU gets there",
            )
            .note(says::cg208::DOES_NOT_WAIT)
            .help(says::cg208::WAIT)
            .help(says::cg208::COPY_BEFORE),
    )
}
