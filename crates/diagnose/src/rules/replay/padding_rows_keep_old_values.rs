//! CG223: rows behind a smaller batch hold an earlier one, and the graph writes through them as indexes, or sums them up.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, called};
use crate::activity::{Harm, tensors};
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG223",
    check: Check::Replay(check),
};

/// Signal: a static input, to the beginning of which a copy wrote before this replay; what is behind was written by a longer copy of
/// the same kind before an earlier replay.
///
/// A captured operator takes indexes from there, by which it changes a tensor from outside of the capture, and since then others have
/// written that tensor, or another input was set as a whole, so that the old rows write something else. Indexes that the graph masks,
/// combines with others or moves on by itself are left alone. Where it adds, the old rows add once more, if what they add is of an earlier
/// batch as well, or the same at all replays.
///
/// Or a captured operator makes one number of all rows, such as a mean or a loss. Where something else of as many rows goes into it
/// that has no old ones, be it a mask or labels that were filled, it is left alone.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    match replay.harm() {
        Harm::WrittenThroughOldRows {
            block,
            operation,
            batch,
            earlier,
        } => {
            let writer = replay.operation(operation).name;
            let name = called(replay.name_of(&replay.block(block)), "its index");
            let verdict = Verdict::new(
                Confidence::Likely,
                "the graph writes through indexes of an earlier batch",
                format!(
                    "`{writer}` of this replay takes its indexes from {name}, where an earlier batch still lies behind the last one"
                ),
            );
            Some(
                copies(replay, verdict, batch, earlier)?
                    .label(replay.location_of(operation), "writes where the indexes say")
                    .note("a graph always processes as many rows as were captured: rows behind a smaller batch change what belongs to others")
                    .help("before each replay, set the rows behind the batch to an index that nobody reads, such as one spare row"),
            )
        }
        Harm::OldRowsReduced {
            block,
            operation,
            batch,
            earlier,
        } => {
            let reducer = replay.operation(operation).name;
            let name = called(replay.name_of(&replay.block(block)), "its input");
            let verdict = Verdict::new(
                Confidence::Likely,
                "the graph counts in rows of an earlier batch",
                format!(
                    "`{reducer}` of this replay goes over all rows of {name}, where an earlier batch still lies behind the last one"
                ),
            );
            Some(
                copies(replay, verdict, batch, earlier)?
                    .label(replay.location_of(operation), "makes one number of all rows")
                    .note("a graph always processes as many rows as were captured: a mean or a loss over them counts the old ones in")
                    .help("mask the rows behind the batch, by lengths that are written before each replay; or give their labels the `ignore_index` of the loss"),
            )
        }
        _ => None,
    }
}

/// Says where the last batch and the earlier one were copied.
fn copies(
    replay: &Replay<'_, '_>,
    verdict: Verdict,
    batch: usize,
    earlier: usize,
) -> Option<Verdict> {
    let copied = |operation: usize| {
        let tensor = tensors(replay.operation(operation).arguments).next();
        tensor.map(|tensor| tensor.sizes.iter().product::<u64>())
    };
    let (few, many) = (copied(batch)?, copied(earlier)?);
    let at_batch = replay.location_of(batch);
    let at_earlier = replay
        .location_of(earlier)
        .filter(|it| Some(it) != at_batch.as_ref());
    Some(
        verdict
            .label(
                at_batch,
                format!("copies {few} elements there, and leaves the rest as it is"),
            )
            .label(
                at_earlier,
                format!("the rest was copied here, with {many} elements"),
            ),
    )
}
