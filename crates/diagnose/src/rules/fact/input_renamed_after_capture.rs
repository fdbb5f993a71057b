//! CG203: a name that led to a tensor which the graph reads leads to another one at a replay.

use super::super::{Check, Rule, Verdict};
use crate::Confidence;
use crate::subjects::{Fact, Told};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG203",
    check: Check::Fact(check),
};

/// Signal: the name leads to a tensor of the same shape, and nobody but the graph has written or named the old one since. A
/// tensor that the program keeps writing to, or keeps under a name of its own, is where it puts its inputs on purpose.
fn check(fact: &Fact<'_, '_>) -> Option<Verdict> {
    let Told::Rebound(rebound) = fact.told else {
        return None;
    };
    if !(rebound.same_shape && rebound.same_dtype) {
        return None;
    }
    let is_kept_on_purpose = rebound.still_held_by.iter().any(|name| !name.contains('['));
    let block = fact.input_at(rebound.old)?;
    let ended = fact.capture().ended?.position;
    let is_written = fact
        .activity
        .last_written
        .get(&block)
        .is_some_and(|position| *position > ended);
    // A name may go from the input of one graph to that of the next.
    let is_of_another = fact.is_read_by_another_graph(rebound.new);
    if is_kept_on_purpose || is_written || is_of_another {
        return None;
    }
    let name = &rebound.name;
    let access = fact.activity.graphs[fact.graph]
        .first_accesses()
        .find(|access| access.block == block)?;
    let read = fact.activity.operations[access.operation].stack;
    let read = read
        .and_then(|frame| crate::history::stack::user_location(&fact.history.trace.stack(frame)));
    Some(
        Verdict::new(
            Confidence::Likely,
            "the graph reads the old tensor of a name that was rebound",
            format!("`{name}` is another tensor from here on"),
        )
        .label(
            read,
            format!("the capture read the tensor that `{name}` was then"),
        )
        .label(
            fact.replay_location(),
            "this replay reads the old one, which has not changed",
        )
        .note(format!(
            "the graph reads address {:#x}; `{name}` is at {:#x}",
            rebound.old, rebound.new
        ))
        .help("write into the captured tensor instead: `x.copy_(new)` before the replay"),
    )
}
