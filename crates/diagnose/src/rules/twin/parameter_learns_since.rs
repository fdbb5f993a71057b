//! CG222: a parameter requires gradients since the capture, and the graph computes none for it.

use cgsan_finding::Confidence;
use cgsan_trace::TwinCause;

use super::super::{Check, Rule, Verdict};
use crate::subjects::Twin;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG222",
    check: Check::Since(check),
};

/// Signal: the region, run again at a replay, gives gradients to parameters that did not require them at the capture, and with their
/// flags set back it does what it did then; at another replay it did so without. Flags that are others at all replays may have been
/// set for the capture on purpose, as those of the network that a step of the other one leaves as it is.
fn check(twin: &Twin<'_, '_>, cause: &TwinCause) -> Option<Verdict> {
    let TwinCause::Learns { parameter, others } = cause else {
        return None;
    };
    if !twin.varies {
        return None;
    }
    let parameter = match parameter {
        Some(name) => format!("`{name}`"),
        None => "a parameter".to_owned(),
    };
    let (all, require) = match others {
        0 => (parameter, "requires"),
        1 => (format!("{parameter} and another one"), "require"),
        more => (format!("{parameter} and {more} others"), "require"),
    };
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "the graph has no gradient for a parameter that requires one",
            "eager now would compute more gradients here than the capture did",
        )
        .label(
            twin.replay_location(),
            format!("{all} {require} gradients at this replay, and did not at the capture"),
        )
        .note("the capture records the backward pass as it is then: for what requires gradients, and nothing else")
        .help("capture again after `requires_grad_(True)`")
        .help(
            "or let all of them require gradients before the capture, and leave those that are not to change out of the optimizer",
        ),
    )
}
