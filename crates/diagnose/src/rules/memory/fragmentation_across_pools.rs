//! CG305: free memory lies in pieces that no pool can use.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict};
use crate::subjects::{Pool, size};
use crate::waste::Kind;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG305",
    check: Check::Pool(check),
};

/// Signal: of the captures of one pool, later ones need larger blocks than all before, and in another order less is reserved.
fn check(pool: &Pool<'_, '_>) -> Option<Verdict> {
    let Kind::Growing { captures, free, .. } = &pool.waste.kind else {
        return None;
    };
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "a larger graph finds only small pieces in its pool",
            "this capture needs more at once than those before it, and reserves memory beside theirs",
        )
        .label(pool.began(captures[0]), "the pool's first graph was captured here")
        .note(format!(
            "{} of the pool are free after its {} captures, in pieces that were too small",
            size(*free),
            captures.len()
        ))
        .note(pool.saves("capturing the largest graph first"))
        .help("capture in descending order of size: the smaller graphs find room in the blocks of the largest"),
    )
}
