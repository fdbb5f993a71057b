//! CG504: copying the inputs takes longer than the replay.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use crate::subjects::{Slow, size};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG504",
    check: Check::Slow(check),
};

/// Signal: before every replay, copies on the device fill the graph's inputs, and they move as many bytes as all operators of the graph,
/// or more, each of which reads and writes its tensors once. Where some look up rows or elements, they move four times as many.
fn check(slow: &Slow<'_, '_>) -> Option<Verdict> {
    let copies = slow.copies()?;
    (copies.replays >= REPLAYS && copies.copied >= LARGE).then(|| {
        Verdict::new(
            Confidence::Likely,
            "the copy into the graph's input moves as much as the graph",
            "this copy is made before every replay",
        )
        .note(format!(
            "before each of {} replays, copies move {}, and the graph moves {}",
            copies.replays,
            size(copies.copied),
            size(copies.replayed)
        ))
        .help(says::cg504::WRITE_INPUT)
    })
}

/// Fewer replays may be a comparison.
const REPLAYS: usize = 8;

/// Smaller copies take as long as their launch: some microseconds, whatever they move.
const LARGE: u64 = 2 << 20;
