//! CG306: `record_stream` holds blocks back until the capture ends.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use crate::subjects::{Pool, count, size};
use crate::waste::Kind;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG306",
    check: Check::Pool(check),
};

/// Signal: at the end of a capture, blocks that were freed in it wait for a stream that `record_stream` named.
fn check(pool: &Pool<'_, '_>) -> Option<Verdict> {
    let Kind::PutAside {
        blocks,
        recorded: Some(_),
        ..
    } = &pool.waste.kind
    else {
        return None;
    };
    let freed = pool.block(blocks[0]).freed;
    Some(
        Verdict::new(
            Confidence::Confirmed,
            says::cg306::TITLE,
            "the tensor's memory cannot be used again during the capture",
        )
        .label(
            pool.location(pool.block(blocks[0]).allocated.stack),
            "the tensor was made here",
        )
        .label(
            freed.and_then(|it| pool.location(it.stack)),
            "its last reference was dropped here",
        )
        .note(format!(
            "{} in {} were freed during the capture and put aside until its end",
            size(pool.bytes(blocks)),
            count(blocks)
        ))
        .note(pool.saves("freeing without `record_stream`, once the streams are joined,"))
        .help(says::cg306::KEEP)
        .help(says::cg306::REUSE),
    )
}
