//! CG305: free memory lies in pieces that no pool can use.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict};
use crate::subjects::{Pool, size};
use crate::waste::Kind;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG305",
    check: Check::Pool(check),
};

/// Signal: of the captures of one pool, later ones need larger blocks than all before, and in another order less is reserved. Or
/// a capture reserved memory while as much was free in segments in which other tensors live, which go back to no driver.
fn check(pool: &Pool<'_, '_>) -> Option<Verdict> {
    match &pool.waste.kind {
        Kind::Growing { captures, free, .. } => Some(growing(pool, captures, *free)),
        Kind::SplitBeside { free, reserved, .. } => Some(split(pool, *free, *reserved)),
        _ => None,
    }
}

fn growing(pool: &Pool<'_, '_>, captures: &[usize], free: u64) -> Verdict {
    Verdict::new(
        Confidence::Confirmed,
        "a larger graph finds only small pieces in its pool",
        "this capture needs more at once than those before it, and reserves memory beside theirs",
    )
    .label(pool.began(captures[0]), "the pool's first graph was captured here")
    .note(format!(
        "{} of the pool are free after its {} captures, in pieces that were too small",
        size(free),
        captures.len()
    ))
    .note(pool.saves("capturing the largest graph first"))
    .help("capture in descending order of size: the smaller graphs find room in the blocks of the largest")
}

fn split(pool: &Pool<'_, '_>, free: u64, reserved: u64) -> Verdict {
    Verdict::new(
        Confidence::Likely,
        "free memory lies beside tensors, where no graph gets it",
        format!("the graph's pool reserves {} of its own", size(reserved)),
    )
    .note(format!(
        "{} are free in segments that eager work has split: other tensors live in them, so the driver does not get them back",
        size(free)
    ))
    .note(pool.saves("to have such memory whole"))
    .help(
        "make tensors that stay before large ones that go; or set `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`, or a \
         `max_split_size_mb`",
    )
}
