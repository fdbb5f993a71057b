//! CG207: the program would work on a larger tensor now than the graph does.

use cgsan_finding::Confidence;
use cgsan_trace::TwinKind;

use super::super::{Check, Rule, Verdict, says};
use super::part_of_the_capture::is_plan;
use super::{MAKING, captured};
use crate::subjects::Twin;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG207",
    check: Check::Twin(check),
};

/// Signal: the region, run again at a replay, gives an operator a tensor that is larger in one dimension, or makes one. What is
/// smaller may be padded to the captured size.
fn check(twin: &Twin<'_, '_>) -> Option<Verdict> {
    let difference = twin.difference;
    let name = captured(twin)?;
    let (then, now) = (difference.captured.as_ref()?, difference.eager.as_ref()?);
    match difference.kind {
        TwinKind::Size if !is_plan(difference) => {}
        TwinKind::Number if MAKING.contains(&&*name) => {
            let sizes = (then.parse::<i64>().ok()?, now.parse::<i64>().ok()?);
            if sizes.1 <= sizes.0 {
                return None;
            }
        }
        _ => return None,
    }
    Some(
        Verdict::new(
            Confidence::Confirmed,
            says::cg207::TITLE,
            format!("`{name}` was captured for size {then}"),
        )
        .label(
            twin.replay_location(),
            format!("eager now would work on size {now}; this replay works on {then}"),
        )
        .help(says::cg207::ONE_FOR_EACH),
    )
}
