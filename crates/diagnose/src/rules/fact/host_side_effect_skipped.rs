//! CG212: Python state that the captured function changes stays as it is over the replays.

use super::super::{Check, Rule, Verdict};
use crate::Confidence;
use crate::subjects::{Fact, Told};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG212",
    check: Check::Fact(check),
};

/// Signal: a number or a length that had been counting changed during the capture, and at no replay since.
fn check(fact: &Fact<'_, '_>) -> Option<Verdict> {
    let Told::Host(change) = fact.told else {
        return None;
    };
    let was_counting = change.before.parse::<f64>().is_ok_and(|value| value != 0.0);
    let is_number = change.after.parse::<f64>().is_ok();
    if change.moved || !(was_counting && is_number) || change.line.is_none() {
        return None;
    }
    let what = if change.is_length {
        format!("the length of `{}`", change.name)
    } else {
        format!("`{}`", change.name)
    };
    Some(
        Verdict::new(
            Confidence::Likely,
            "Python inside the captured region ran once",
            format!("{what} changes here, during the capture only"),
        )
        .label(
            fact.replay_location(),
            format!("it is still {} at this replay", change.after),
        )
        .note(format!(
            "the capture took {what} from {} to {}; no replay changes it",
            change.before, change.after
        ))
        .help("do it beside the replay, or count on the device"),
    )
}
