//! CG506: more branches than the device has queues.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use crate::subjects::Slow;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG506",
    check: Check::Slow(check),
};

/// Signal: a graph that was captured on more streams than were seen to run at once in a replay, and as many nodes that do not wait for
/// each other.
fn check(slow: &Slow<'_, '_>) -> Option<Verdict> {
    let streams = slow.streams().filter(|it| *it > AT_ONCE)?;
    let width = slow.width();
    (width > AT_ONCE).then(|| {
        Verdict::new(
            Confidence::Likely,
            format!("{streams} streams in one graph"),
            "the capture begins here",
        )
        .note(format!("{width} of its nodes could run at once"))
        .note(says::cg506::rounds(AT_ONCE))
        .help(says::cg506::FEWER)
    })
}

/// The most branches of a replay that ran at once, with one small kernel each (`device_test/branches.py`, an H100 with CUDA 13.0).
const AT_ONCE: usize = 26;
