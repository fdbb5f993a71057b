//! CG203: the graph reads the output of another graph, in whose place a new one was captured.

use cgsan_finding::Confidence;

use super::super::{Verdict, called};
use crate::activity::Harm;
use crate::subjects::Replay;

/// Signal: only a graph wrote what this one reads, and that is gone. The function that released it captured one of the same operators,
/// after the reader, and its replays go before those of the reader, at two of them at least.
pub(super) fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::WriterReplaced {
        block,
        operation,
        successor,
    } = replay.harm()
    else {
        return None;
    };
    let block = replay.block(block);
    let name = called(replay.name_of(&block), "the tensor");
    Some(
        Verdict::new(
            Confidence::Likely,
            "the graph reads the output of a graph that was replaced",
            format!("this replay reads {name}, which no graph writes any more"),
        )
        .label(
            replay.location(block.allocated.stack),
            "the tensor was made here, by the graph that is gone",
        )
        .label(replay.location_of(operation), "the graph reads it here")
        .label(
            replay.replay_location(successor),
            "the new graph runs here, and writes a tensor of its own",
        )
        .help("capture the graph again that reads the output, after the one that writes it")
        .help("or have the captured code copy the output into a tensor that both captures find: `static.copy_(…)`"),
    )
}
