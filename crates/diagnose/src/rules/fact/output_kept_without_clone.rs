//! CG211: the output of a graph is stored across replays.

use cgsan_finding::Confidence;
use cgsan_trace::KeptOutput;

use super::super::{Check, Rule, Verdict};
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
    let container = kept_again_and_again_by(kept)?;
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

/// What a sentence calls the container, if it holds the same output of a graph several times.
pub(super) fn kept_again_and_again_by(kept: &KeptOutput) -> Option<String> {
    // An object may hold an output and views of it by name; a sequence holds what was added to it replay by replay.
    let is_sequence = SEQUENCES.contains(&kept.type_name.as_str());
    let enough = if is_sequence { 2 } else { 3 };
    (kept.entries >= enough).then(|| match &kept.name {
        Some(name) => format!("`{name}`"),
        None => format!("a {}", kept.type_name),
    })
}

/// Types whose entries have no names.
const SEQUENCES: &[&str] = &["list", "deque", "set", "tuple"];
