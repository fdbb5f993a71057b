//! CG211: the output of a graph is stored across replays.

use super::super::{Check, Rule, Verdict};
use crate::Confidence;
use crate::subjects::{Fact, Told};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG211",
    check: Check::Fact(check),
};

/// Signal: a container holds the same output several times, and more from replay to replay.
fn check(fact: &Fact<'_, '_>) -> Option<Verdict> {
    let Told::Kept(kept) = fact.told else {
        return None;
    };
    // An object may hold an output and views of it by name; a sequence holds what was added to it replay by replay.
    let is_sequence = SEQUENCES.contains(&kept.type_name.as_str());
    if kept.entries < if is_sequence { 2 } else { 3 } {
        return None;
    }
    let container = kept.name.as_ref().map_or_else(
        || format!("a {}", kept.type_name),
        |name| format!("`{name}`"),
    );
    let made = fact
        .activity
        .memory
        .blocks
        .iter()
        .rfind(|block| block.capture == Some(fact.graph) && block.overlaps(kept.address, 1));
    let made = made.and_then(|block| block.allocated.stack);
    let made = made
        .and_then(|frame| crate::history::stack::user_location(&fact.history.trace.stack(frame)));
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "the output of a graph is kept without a copy",
            format!("each replay overwrites what {container} holds"),
        )
        .label(made, "the output's memory is allocated here, once")
        .note(format!(
            "{container} holds {} references to the same memory, so all of them show the last replay's values",
            kept.entries
        ))
        .help("keep a copy: `outputs.append(y.clone())`"),
    )
}

/// Types whose entries have no names.
const SEQUENCES: &[&str] = &["list", "deque", "set", "tuple"];
