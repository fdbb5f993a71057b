//! CG212: Python state that the captured function changes stays as it is over the replays.

use cgsan_finding::Confidence;
use cgsan_trace::HostChange;

use super::super::{Check, Rule, Verdict, says};
use super::attribute_not_assigned_again;
use crate::subjects::{Fact, Told};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG212",
    check: Check::Fact(check),
};

/// Signal: the capture changed a value, or drew random numbers, by a line that does so at each call; no replay does. Or it assigned an
/// attribute, which was given another tensor since.
fn check(fact: &Fact<'_, '_>) -> Option<Verdict> {
    let Told::Host { change, lines } = fact.told else {
        return attribute_not_assigned_again::check(fact);
    };
    fact.own_place()?;
    if change.after.is_empty() {
        return Some(drawn(fact, &change.name));
    }
    let is_meant = change.moved || (lines.is_none() && !was_counting(change));
    (!is_meant).then(|| {
        if change.before == change.after {
            taken(fact, change)
        } else {
            changed(fact, change)
        }
    })
}

/// Whether a recording without lines shows a number that had been counting before the capture.
fn was_counting(change: &HostChange) -> bool {
    let was_set = change.before.parse::<f64>().is_ok_and(|it| it != 0.0);
    was_set && change.after.parse::<f64>().is_ok()
}

fn drawn(fact: &Fact<'_, '_>, name: &str) -> Verdict {
    Verdict::new(
        Confidence::Likely,
        TITLE,
        "random numbers are drawn here, during the capture only",
    )
    .label(
        fact.replay_location(),
        "this replay uses those of the capture",
    )
    .note(format!(
        "the capture drew from `{name}`; every replay repeats what came of it"
    ))
    .help("draw before each replay and write the result into a static tensor, or draw on the device: `torch.rand`")
}

/// Of an iterator, what is told is its class.
fn taken(fact: &Fact<'_, '_>, change: &HostChange) -> Verdict {
    let HostChange { name, after, .. } = change;
    Verdict::new(
        Confidence::Likely,
        TITLE,
        format!("an item is taken from `{name}` here, during the capture only"),
    )
    .label(fact.replay_location(), "this replay takes none")
    .note(format!(
        "`{name}` is a `{after}`; every replay repeats what came of the items that the capture took"
    ))
    .help("take the next item beside the replay, and copy what comes of it into a static tensor")
}

fn changed(fact: &Fact<'_, '_>, change: &HostChange) -> Verdict {
    let what = if change.is_length {
        format!("the length of `{}`", change.name)
    } else {
        format!("`{}`", change.name)
    };
    Verdict::new(
        Confidence::Likely,
        TITLE,
        format!("{what} changes here, during the capture only"),
    )
    .label(fact.replay_location(), "this replay leaves it as it is")
    .note(format!(
        "the capture took {what} from {} to {}; no replay changes it",
        change.before, change.after
    ))
    .help(says::cg212::ON_DEVICE)
}

const TITLE: &str = "Python inside the captured region ran once";
