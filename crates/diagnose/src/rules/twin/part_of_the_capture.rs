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
/// another number.
fn check(twin: &Twin<'_, '_>) -> Option<Verdict> {
    let difference = twin.difference;
    let name = captured(twin)?;
    let is_count = difference.kind == TwinKind::Number && COUNTING.contains(&name);
    let is_part = difference.kind == TwinKind::Offset || is_plan(difference);
    if !is_part && !is_count {
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
            format!("`{name}` was captured for a part of {then}"),
            format!("eager now would work on a part of {now}"),
        )
    } else {
        (
            format!("`{name}` was captured for the part at element {then} of a tensor"),
            format!("eager now would work on the part at element {now}"),
        )
    };
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "a size or offset that the host plans is frozen in the graph",
            here,
        )
        .label(twin.replay_location(), there)
        .help("let the device find the part: indices or lengths in a tensor that is written before each replay")
        .help("or capture one graph for each plan"),
    )
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
