//! CG211: the output of a graph is stored across replays.

use cgsan_trace::KeptOutput;

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
    if !is_kept_again_and_again(kept) {
        return None;
    }
    let container = container(kept);
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "the output of a graph is kept without a copy",
            format!("each replay overwrites what {container} holds"),
        )
        .label(fact.made(kept.address), "the output's memory is allocated here, once")
        .note(format!(
            "{container} holds {} references to the same memory, so all of them show the last replay's values",
            kept.entries
        ))
        .help("keep a copy: `outputs.append(y.clone())`"),
    )
}

/// Whether something holds the same output of a graph several times.
pub(super) fn is_kept_again_and_again(kept: &KeptOutput) -> bool {
    // An object may hold an output and views of it by name; a sequence holds what was added to it replay by replay.
    let is_sequence = SEQUENCES.contains(&kept.type_name.as_str());
    kept.entries >= if is_sequence { 2 } else { 3 }
}

/// What a sentence calls it.
pub(super) fn container(kept: &KeptOutput) -> String {
    kept.name.as_ref().map_or_else(
        || format!("a {}", kept.type_name),
        |name| format!("`{name}`"),
    )
}

/// Types whose entries have no names.
const SEQUENCES: &[&str] = &["list", "deque", "set", "tuple"];
