//! CG201: a mode of PyTorch was switched after the capture, and the graph keeps the one that it was captured in.

use cgsan_finding::Confidence;
use cgsan_trace::{TwinCause, TwinKind};

use super::super::{Check, Rule, Verdict};
use super::{captured, short};
use crate::subjects::Twin;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG201",
    check: Check::Since(check),
};

/// Signal: the region, run again at a replay, does what it did as long as a mode is as it was at the capture, and something else in
/// the mode of now; and at another replay the mode was that of the capture. A graph that is always replayed in another mode may be
/// meant so. So may one that was captured in evaluation, and is replayed as well while the model trains.
fn check(twin: &Twin<'_, '_>, cause: &TwinCause) -> Option<Verdict> {
    let TwinCause::Mode {
        name,
        captured: then,
        eager,
    } = cause
    else {
        return None;
    };
    if !twin.varies {
        return None;
    }
    let now = twin.difference.now.as_ref().map(short);
    let is_other_work = matches!(
        twin.difference.kind,
        TwinKind::Operators | TwinKind::MadeOnce
    );
    let here = match captured(twin) {
        Some(operator) => format!("`{operator}` was captured here while `{name}` was {then}"),
        None => format!("the capture ran nothing here while `{name}` was {then}"),
    };
    let is_back_in_training = name.ends_with(".training") && eager == "True";
    let confidence = if is_back_in_training {
        Confidence::Likely
    } else {
        Confidence::Confirmed
    };
    let there = match now {
        Some(operator) if is_other_work => format!("would run `{operator}`"),
        None if is_other_work => "would not run it".to_owned(),
        _ => "would do something else".to_owned(),
    };
    Some(
        Verdict::new(
            confidence,
            "the graph keeps a mode that was switched after its capture",
            here,
        )
        .label(
            twin.replay_location(),
            format!("`{name}` is {eager} at this replay: eager now {there}"),
        )
        .note("a mode decides what operators do when Python calls them; a replay repeats what they did at the capture")
        .help("capture one graph for each mode, and replay that of the mode that is wanted"),
    )
}
