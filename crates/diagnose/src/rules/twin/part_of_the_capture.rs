//! CG220: a part of a tensor, or a count, that the host would choose otherwise now.

use cgsan_finding::Confidence;
use cgsan_trace::{TwinDifference, TwinKind};

use super::super::{Check, Rule, Verdict};
use super::captured;
use crate::subjects::Twin;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG220",
    check: Check::Twin(check),
};

/// Signal: the region, run again at a replay, works on a part of the same size of a tensor that begins elsewhere; or counts to
/// another number; or makes a tensor of other values on the host and copies it to the GPU. A part of what was freed is part of
/// another tensor, which lies there by now.
fn check(twin: &Twin<'_, '_>) -> Option<Verdict> {
    let difference = twin.difference;
    let name = captured(twin)?;
    if difference.kind == TwinKind::Contents {
        return Some(copied(
            &name,
            difference.captured.as_ref()?,
            difference.eager.as_ref()?,
            twin,
        ));
    }
    let is_count = difference.kind == TwinKind::Number && COUNTING.contains(&&*name);
    let is_part = difference.kind == TwinKind::Offset || is_plan(difference);
    let is_of_another = is_part && twin.input_freed().is_some();
    if is_of_another || (!is_part && !is_count) {
        return None;
    }
    let (then, now) = (difference.captured.as_ref()?, difference.eager.as_ref()?);
    let (here, there) = if is_count {
        (
            format!("`{name}` was captured with {then}"),
            format!("eager now would give it {now}"),
        )
    } else if difference.kind != TwinKind::Offset {
        (
            format!("the capture took a part of {then} here"),
            format!("eager now would work on a part of {now}"),
        )
    } else {
        (
            format!("the capture took the part at element {then} of a tensor here"),
            format!("eager now would work on the part at element {now}"),
        )
    };
    let verdict = Verdict::new(
        Confidence::Confirmed,
        "a size or offset that the host plans is frozen in the graph",
        here,
    );
    let verdict = if is_part {
        verdict.note(format!("`{name}` works on that part"))
    } else {
        verdict
    };
    Some(
        verdict
        .label(twin.replay_location(), there)
        .help("let the device find the part: indices or lengths in a tensor that is written before each replay")
        .help("or capture one graph for each plan"),
    )
}

/// The captured code makes a tensor on the host, and copies it.
fn copied(name: &str, then: &str, now: &str, twin: &Twin<'_, '_>) -> Verdict {
    Verdict::new(
        Confidence::Confirmed,
        "what the host computes is frozen in the graph",
        format!("`{name}` was captured with a tensor of the host that holds {then}"),
    )
    .label(
        twin.replay_location(),
        format!("eager now would make one with {now}; this replay copies that of the capture, or what lies there by now"),
    )
    .note("what runs on the host in the captured code runs at the capture alone; replays copy from the same address")
    .help("make the tensor before each replay, and copy it into one on the device that was there before the capture")
}

/// Whether the size of a part of a tensor was planned together with those of its other parts.
pub(super) fn is_plan(difference: &TwinDifference) -> bool {
    let is_split = difference
        .view
        .as_ref()
        .is_some_and(|view| view.starts_with("aten::split_with_sizes"));
    is_split && matches!(difference.kind, TwinKind::Size | TwinKind::Covered)
}

/// Operators whose numbers are counts.
const COUNTING: &[&str] = &["arange", "repeat", "repeat_interleave", "roll"];
