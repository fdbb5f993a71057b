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
/// smaller may be padded to the captured size. The captured tensor has not been given new contents instead, and the other one is none that
/// the capture left there in another form.
fn check(twin: &Twin<'_, '_>) -> Option<Verdict> {
    let difference = twin.difference;
    let name = captured(twin)?;
    let (then, now) = (difference.captured.as_ref()?, difference.eager.as_ref()?);
    match difference.kind {
        TwinKind::Size if !is_plan(difference) && !is_meant(twin, then, now) => {}
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

/// Whether the program feeds the graph by the captured tensor while the name leads to another one, or the region has replaced a tensor by
/// one of other dimensions, as it does in each call that begins anew.
fn is_meant(twin: &Twin<'_, '_>, then: &str, now: &str) -> bool {
    let (Some(old), Some(new)) = (twin.difference.address, twin.difference.address_now) else {
        return false;
    };
    let is_fed = twin.input_freed().is_none() && twin.written_lately(old).is_some();
    let has_other_form = then.matches(TIMES).count() != now.matches(TIMES).count();
    old != new && (is_fed || (has_other_form && twin.made_in_capture(new).is_some()))
}

/// What stands between the lengths of dimensions.
const TIMES: char = '×';
