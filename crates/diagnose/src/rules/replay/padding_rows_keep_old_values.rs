//! CG223: rows behind a smaller batch hold the indexes of an earlier one, and the graph writes through them.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, called};
use crate::activity::{Harm, tensors};
use crate::subjects::Replay;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG223",
    check: Check::Replay(check),
};

/// Signal: a captured operator changes a tensor from outside of the capture where indexes say. Those lie in a static input, to the
/// beginning of which a copy wrote before this replay; what is behind was written by a longer copy of the same kind before an earlier
/// replay; since then others have written the tensor, or another input was set as a whole, so that the old rows write something else.
/// Indexes that the graph masks, combines with others or moves on by itself are left alone.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::WrittenThroughOldRows {
        block,
        operation,
        batch,
        earlier,
    } = replay.harm()
    else {
        return None;
    };
    let writer = replay.operation(operation).name;
    let name = called(replay.name_of(&replay.block(block)), "its index");
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
        Verdict::new(
            Confidence::Likely,
            "the graph writes through indexes of an earlier batch",
            format!("`{writer}` of this replay takes its indexes from {name}, where an earlier batch still lies behind the last one"),
        )
        .label(at_batch, format!("copies {few} elements there, and leaves the rest as it is"))
        .label(at_earlier, format!("the rest was copied here, with {many} elements"))
        .label(replay.location_of(operation), "writes where the indexes say")
        .note("a graph always processes as many rows as were captured: rows behind a smaller batch change what belongs to others")
        .help("before each replay, set the rows behind the batch to an index that nobody reads, such as one spare row"),
    )
}
