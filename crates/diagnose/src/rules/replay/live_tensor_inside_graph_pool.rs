//! CG217: a tensor that outlives the capture shares its memory with temporaries of the graph.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, called};
use crate::activity::{Block, Harm};
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG217",
    check: Check::Replay(check),
};

/// Signal: something reads a tensor that was allocated during the capture, after a replay of the same graph has used its
/// memory for a temporary and not written the tensor anew; or a tensor that was allocated eagerly in the graph's pool, after a replay
/// wrote over it; or a replay fills it again after the program has written it; or another graph reads it, and its own one has not been
/// replayed yet.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    if let Harm::NotReplayed { block, operation } = replay.harm() {
        return Some(not_replayed(replay, &replay.block(block), operation));
    }
    let (block, here, place, what) = match replay.harm() {
        Harm::Overwritten { block, reader, .. }
            if replay.block(block).capture.is_none() && replay.overwrites_from_pool(block) =>
        {
            let (read, who) = replay.reader(reader);
            let here = "this replay writes over the tensor";
            (block, here, read, format!("{who} reads it here"))
        }
        Harm::TemporaryOverLive { block, reader } => {
            let (read, who) = replay.reader(reader);
            let here = "this replay writes a temporary over the tensor";
            (block, here, read, format!("{who} reads it here"))
        }
        Harm::FilledAnew { block, writer } => {
            let name = replay.operation(writer).called();
            let written = replay.location_of(writer);
            let here = "this replay fills the tensor anew";
            (
                block,
                here,
                written,
                format!("`{name}` wrote it here before"),
            )
        }
        _ => return None,
    };
    let block = replay.block(block);
    let (made, why) = if block.capture.is_some() {
        (
            "the tensor was allocated here, during the capture",
            "memory that is allocated during a capture belongs to the graph's pool, and each replay uses it again",
        )
    } else {
        (
            "the tensor was allocated here, in the graph's pool",
            "the pool gives out what the graph's temporaries have left, and each replay uses it again",
        )
    };
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "a live tensor lies in memory that the graph uses",
            here,
        )
        .label(
            replay.location(block.allocated.stack),
            made,
        )
        .label(place, what)
        .note(why)
        .help(format!(
            "allocate {} outside of the pool, before the capture, or clone it out of the pool before the next replay",
            called(replay.name_of(&block), "the tensor")
        )),
    )
}

/// The graph reads what the replays of another one compute, such as a table that is made at the first call.
fn not_replayed(replay: &Replay<'_, '_>, block: &Block, operation: usize) -> Verdict {
    let name = called(replay.name_of(block), "the tensor");
    Verdict::new(
        Confidence::Confirmed,
        "the graph reads what another graph has not computed yet",
        format!("this replay reads {name}, which only replays of another graph compute, and there was none"),
    )
    .label(
        replay.location(block.allocated.stack),
        "the tensor was allocated here, during another capture",
    )
    .label(replay.location_of(operation), "the graph reads it here")
    .note("a capture computes nothing: what it makes holds undefined values until its graph is replayed")
    .help(format!(
        "make {name} before the captures, e.g. by a warm-up call; or replay the graph that computes it first"
    ))
}
