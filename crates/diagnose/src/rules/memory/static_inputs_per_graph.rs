//! CG302: every graph keeps static inputs of its own.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use crate::subjects::{Pool, size};
use crate::waste::Kind;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG302",
    check: Check::Pool(check),
};

/// Signal: blocks of one line, from outside of all pools, each read by one graph alone and filled right before its replays.
fn check(pool: &Pool<'_, '_>) -> Option<Verdict> {
    let Kind::OwnInputs { blocks } = &pool.waste.kind else {
        return None;
    };
    Some(
        Verdict::new(
            Confidence::Likely,
            format!("{} graphs have static inputs of their own", blocks.len()),
            "each graph has an input that is made here, and no other uses it",
        )
        .note(format!(
            "the inputs take {}, the largest {}; each is filled right before the replay that reads it",
            size(pool.bytes(blocks)),
            size(pool.bytes(&blocks[..1]))
        ))
        .note(pool.saves("one input for all"))
        .help(says::cg302::SLICE),
    )
}
