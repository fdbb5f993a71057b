//! CG304: eager work cannot use the free blocks of a graph's pool.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict};
use crate::subjects::{Pool, size};
use crate::waste::Kind;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG304",
    check: Check::Pool(check),
};

/// Signal: after the last capture the eager pool grew by blocks that would fit into free ones of a living graph's pool.
fn check(pool: &Pool<'_, '_>) -> Option<Verdict> {
    let Kind::EagerBeside {
        capture,
        blocks,
        free,
    } = &pool.waste.kind
    else {
        return None;
    };
    Some(
        Verdict::new(
            Confidence::Likely,
            "eager work cannot use the free memory of a graph",
            "this is allocated anew, while the graph's pool has as much to spare",
        )
        .label(pool.began(*capture), "the graph was captured here")
        .note(format!(
            "the graph's pool has {} that are free between replays; eager work took up to {} at once in blocks such as this",
            size(*free),
            size(pool.bytes(&blocks[..1]).max(pool.waste.estimate)),
        ))
        .note(pool.saves("capturing this work into the graph's pool"))
        .help("capture this work too, into the same pool: `torch.cuda.graph(rest, pool=graph.pool())`")
        .help("or drop the graph while it is not needed: `graph.reset()` with its outputs, then `torch.cuda.empty_cache()`"),
    )
}
