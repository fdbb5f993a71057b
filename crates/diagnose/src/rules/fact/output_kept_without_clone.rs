//! CG211: the output of a graph is stored across replays.

use cgsan_finding::Confidence;
use cgsan_trace::KeptOutput;

use super::super::{Check, Rule, Verdict};
use crate::subjects::{Fact, Growth, Told};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG211",
    check: Check::Fact(check),
};

/// Signal: a container holds the same output several times, and more from replay to replay. What the capture copies into memory
/// from before it is an output too: then the entries have the same place in it and the same shape.
fn check(fact: &Fact<'_, '_>) -> Option<Verdict> {
    let Told::Kept(kept, growth, added) = fact.told else {
        return None;
    };
    let container = kept_again_and_again_by(kept, growth)?;
    let buffer = fact
        .name_of(kept.address)
        .filter(|_| fact.is_input(kept.address));
    let confidence = match buffer {
        Some(_) => Confidence::Likely,
        None => Confidence::Confirmed,
    };
    let verdict = Verdict::new(
        confidence,
        "the output of a graph is kept without a copy",
        format!("each replay overwrites what {container} holds"),
    )
    .label(fact.made(kept.address), "the output's memory is allocated here, once")
    .label(added.and_then(Fact::line), format!("{container} gets its entries here"))
    .note(format!(
        "{} entries of {container} lie in the same memory, so all of them show the values of the last replay",
        kept.entries
    ))
    .help(keep_a_copy(kept, fact.name_of(kept.address)));
    Some(match buffer {
        Some(buffer) => verdict.note(format!(
            "`{buffer}` was made before the capture, and the graph copies its output into it"
        )),
        None => verdict,
    })
}

/// What to do for a container of tensors that are overwritten.
pub(super) fn keep_a_copy(kept: &KeptOutput, name: Option<&str>) -> String {
    let container = kept.name.as_ref().map(|it| format!(" in `{it}`"));
    let container = container.unwrap_or_default();
    match name {
        Some(name) => format!("keep a copy{container}: `{name}.clone()`"),
        None => format!("keep a copy{container}, made with `clone()`"),
    }
}

/// What a sentence calls the container, if it holds the same output of a graph several times.
pub(super) fn kept_again_and_again_by(kept: &KeptOutput, growth: Growth) -> Option<String> {
    // An object may hold an output and views of it by name, and so do a program's variables; a sequence holds what was added to it
    // replay by replay.
    let is_sequence = SEQUENCES.contains(&kept.type_name.as_str());
    let is_filled = kept.name.is_some() && growth == Growth::EachReplay;
    let enough = if is_sequence || is_filled { 2 } else { 3 };
    (kept.entries >= enough).then(|| match &kept.name {
        Some(name) => format!("`{name}`"),
        None => format!("a {}", kept.type_name),
    })
}

/// Types whose entries have no names.
const SEQUENCES: &[&str] = &["list", "deque", "set", "tuple"];
