//! CG214: a replay overwrites the output of another graph of its pool.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, called, says};
use crate::activity::Harm;
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG214",
    check: Check::Replay(check),
};

/// Signal: something reads an output of a graph after another graph of the pool, which uses the same memory for something
/// else, was replayed.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::Overwritten { block, reader, .. } = replay.harm() else {
        return None;
    };
    let block = replay.block(block);
    block.capture?;
    let (read, who) = replay.reader(reader);
    Some(
        Verdict::new(
            Confidence::Confirmed,
            says::cg214::TITLE,
            "this replay writes memory in which another graph's output lies",
        )
        .label(
            replay.location(block.allocated.stack),
            "the output was made here",
        )
        .label(
            read,
            format!("{who} reads it here, after it was overwritten"),
        )
        .note(says::cg214::IN_ORDER)
        .help(says::cg214::clone(called(
            replay.name_of(&block),
            "the output",
        ))),
    )
}
