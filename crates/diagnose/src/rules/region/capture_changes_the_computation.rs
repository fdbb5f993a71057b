//! CG202: the function computes something else while a capture runs.

use super::super::{Check, Rule, Verdict, says};
use crate::subjects::Region;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG202",
    check: Check::Region(check),
};

/// Signal: the function asks whether a capture runs, and the captured operators are those of no eager call. Where the agent has
/// computed what it leaves either way, that decides.
fn check(region: &Region<'_, '_>) -> Option<Verdict> {
    region.asked?;
    let name = |index: usize| format!("`{}`", region.operation(index).called());
    let verdict = Verdict::new(
        region.left.confidence()?,
        says::cg202::TITLE,
        "the program asks here whether a capture runs",
    );
    let verdict = match region.difference.captured {
        Some(index) => verdict.label(
            region.location_of(Some(index)),
            format!("the capture runs {} here, eager calls do not", name(index)),
        ),
        None => verdict,
    };
    let verdict = match region.difference.eager {
        Some(index) => verdict.label(
            region.location_of(Some(index)),
            format!("eager calls run {} here", name(index)),
        ),
        None => verdict,
    };
    Some(
        verdict
            .note(says::cg202::REPLAYS_REPEAT)
            .help(says::cg202::SAME_IN_BOTH),
    )
}
