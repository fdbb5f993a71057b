//! CG211: the output of a graph is stored across replays.

use cgsan_finding::{Confidence, Location};
use cgsan_trace::KeptOutput;

use super::super::{Check, Rule, Verdict, says};
use crate::subjects::{Fact, Growth, Told};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG211",
    check: Check::Fact(check),
};

/// Signal: a container holds the same output several times, and more from replay to replay. What the capture copies into memory
/// from before it, or overwrites there and does not read, is an output too: then the entries have the same place in it and the same
/// shape. Or a call that made a replay waits, and has the output of it in a variable that it will read; or code that makes replays
/// remembers the output of one in a variable or an attribute, for behind a loop, for its next turn, or to be read beside the next one; or
/// one statement uses the results of two such calls.
fn check(fact: &Fact<'_, '_>) -> Option<Verdict> {
    let Told::Kept(kept, growth, added) = fact.told else {
        return None;
    };
    if let Some(whose) = of_variable(kept) {
        return Some(read_later(fact, kept, &whose, added.and_then(Fact::line)));
    }
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
    .help(says::cg211::clone(fact.name_of(kept.address).unwrap_or("tensor")));
    Some(match buffer {
        Some(buffer) => verdict.note(format!(
            "`{buffer}` was made before the capture, and the graph writes its output into it"
        )),
        None => verdict,
    })
}

/// A sentence of the variable that an output of an earlier replay is read from later, if it is one.
fn of_variable(kept: &KeptOutput) -> Option<String> {
    let name = kept.name.as_deref()?;
    match kept.type_name.as_str() {
        "coroutine" => Some(format!(
            "this replay overwrites `{name}` of a coroutine, which waits and will read it"
        )),
        "thread" => Some(format!(
            "this replay overwrites `{name}` of another thread, which waits and will read it"
        )),
        "variable" => Some(format!(
            "this replay overwrites what `{name}` has kept, which is read later"
        )),
        "result" => Some(format!(
            "this replay overwrites what an earlier `{name}` has given, which is used beside its own result"
        )),
        _ => None,
    }
}

fn read_later(
    fact: &Fact<'_, '_>,
    kept: &KeptOutput,
    sentence: &str,
    bound: Option<Location>,
) -> Verdict {
    let variable = kept.name.as_deref().unwrap_or_default();
    let name = fact.name_of(kept.address).unwrap_or("output");
    Verdict::new(
        Confidence::Likely,
        "the output of a graph is kept without a copy",
        sentence,
    )
    .label(
        fact.made(kept.address),
        "the output's memory is allocated here, once",
    )
    .label(
        bound,
        if kept.type_name == "result" {
            "the earlier result comes from here".to_owned()
        } else {
            format!("`{variable}` has the output of an earlier replay from here")
        },
    )
    .help(says::cg211::clone(name))
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
const SEQUENCES: &[&str] = &["list", "deque", "set", "tuple", "cache"];
