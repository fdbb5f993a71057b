//! CG202: the captured code does something else if no capture runs.

use super::super::{Check, Rule, Verdict, says};
use super::{captured, short};
use crate::subjects::Twin;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG202",
    check: Check::Twin(check),
};

/// Signal: the program's own code asks in the region whether a capture runs; the region, run again at once as if none did, does
/// something else, beside what the host only looks at. Where both were computed, what they leave decides.
fn check(twin: &Twin<'_, '_>) -> Option<Verdict> {
    if !twin.is_without_capture() {
        return None;
    }
    let now = twin.difference.now.as_ref().map(short);
    let verdict = Verdict::new(
        twin.left.confidence()?,
        says::cg202::TITLE,
        "the program asks here whether a capture runs",
    )
    .at(twin.difference.asked.clone().unwrap_or_default());
    let then = captured(twin);
    let is_one_place = twin.then() == twin.now();
    let verdict = match (&then, &now) {
        (Some(then), Some(now)) if then == now && is_one_place => verdict.label(
            twin.then(),
            format!("eager calls give `{now}` other arguments than the capture does here"),
        ),
        _ => {
            let verdict = match then {
                Some(name) => verdict.label(
                    twin.then(),
                    format!("the capture runs `{name}` here, eager calls do not"),
                ),
                None => verdict,
            };
            match now {
                Some(name) => verdict.label(twin.now(), format!("eager calls run `{name}` here")),
                None => verdict,
            }
        }
    };
    Some(
        verdict
            .note(says::cg202::REPLAYS_REPEAT)
            .help(says::cg202::SAME_IN_BOTH),
    )
}
