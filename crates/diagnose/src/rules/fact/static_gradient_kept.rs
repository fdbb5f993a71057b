//! CG218: gradients that the program keeps are all the same memory of a graph.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use super::output_kept_without_clone::kept_again_and_again_by;
use crate::subjects::{Fact, Told};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG218",
    check: Check::Fact(check),
};

/// Signal: as CG211, and what is kept is a gradient.
fn check(fact: &Fact<'_, '_>) -> Option<Verdict> {
    let Told::KeptGradient(kept, growth, added) = fact.told else {
        return None;
    };
    let container = kept_again_and_again_by(kept, growth)?;
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "a gradient is overwritten by the next backward pass",
            format!("each replay overwrites the gradients that {container} holds"),
        )
        .label(fact.made(kept.address), "the gradient's memory is allocated here, once")
        .label(added.and_then(Fact::line), format!("{container} gets its entries here"))
        .note(format!(
            "{} entries of {container} lie in the same memory, so all of them show the last gradient",
            kept.entries
        ))
        .help(says::cg211::clone(fact.name_of(kept.address).unwrap_or("tensor"))),
    )
}
